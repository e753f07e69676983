"""Whatever happens to senders, every delivery arrives, and comes again only with the same id and the same body.

Here in a few seconds; `./run faults` takes minutes.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.senders import killed, two_at_once
from tests.faults.stage import stage


def test_workers_that_are_killed_lose_nothing_and_repeat_themselves_word_for_word(tmp_path: Path) -> None:
    with stage(tmp_path) as scene:
        found = killed(scene, times=3, rate=50, within=40, hasten=True)
    assert found.well, found


@pytest.mark.slow
def test_two_workers_repeat_nothing(tmp_path: Path) -> None:
    with stage(tmp_path) as scene:
        found = two_at_once(scene, seconds=3, rate=50)
    assert found.well and not found.twice, found

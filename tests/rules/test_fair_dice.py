"""The service's own dice: fair, and each kind by itself (C7)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.rules.round import resolve_round
from service.rules.submission import Check, Declaration, Submission
from tests.rules.histories import SEEDS, a_crawl, checks_of, passing, short, walking


def chi_square(faces: list[int], sides: int) -> float:
    expected = len(faces) / sides
    return sum((faces.count(face) - expected) ** 2 / expected for face in range(1, sides + 1))


@pytest.mark.parametrize("seed", ["01" * 32, "a7" * 32, "ff" * 32])
def test_the_service_s_dice_favour_no_face(seed: str) -> None:
    """Against the chi-square bound that fair dice pass 999 times in 1000 (20.5 for a d6, 43.8 for a d20)."""
    crawl = a_crawl("derelict", seed=seed)
    checks: list[int] = []
    paces: list[int] = []
    twenties: list[int] = []
    look = Declaration("Kara", "search", check=Check(modifier=0))
    for _ in range(60):
        walk = resolve_round(crawl, walking("fast", 60))
        rest = resolve_round(walk.crawl, passing("rest", 36_000))
        explored = resolve_round(rest.crawl, Submission("explore", declarations=(look,)))
        crawl = explored.crawl
        checks += [each.face for each in checks_of((walk.outcome, rest.outcome, explored.outcome))]
        paces += [each.face for each in walk.outcome.alert_rolls]
        twenties += [face for each in explored.outcome.declarations if each.check for face in each.check.dice]
    assert len(checks) > 1000
    assert chi_square(checks, 6) < 20.5
    assert len(paces) == 3600
    assert chi_square(paces, 6) < 20.5
    assert len(twenties) == 60
    assert chi_square(twenties, 20) < 43.8


@short
@given(seed=SEEDS, alert=st.lists(st.integers(1, 3), min_size=1, max_size=60).map(tuple))
def test_faces_given_for_one_kind_move_the_dice_of_no_other(seed: str, alert: tuple[int, ...]) -> None:
    """At level 4 the alert can rise no further, so that the checks stay due when they were."""
    crawl = a_crawl("derelict", seed=seed, level=4)
    walk = Submission("travel", pace="fast", rooms=120, on_encounter="continue")
    rolled = resolve_round(crawl, walk).outcome
    partly = resolve_round(crawl, replace(walk, dice={"alert": alert})).outcome
    assert partly.encounter_checks == rolled.encounter_checks
    assert [each.face for each in partly.alert_rolls[: len(alert)]] == list(alert)
    given_checks = resolve_round(crawl, replace(walk, dice={"encounter": (1, 1)})).outcome
    assert given_checks.alert_rolls == rolled.alert_rolls

"""What follows from a try: a delivery is over or tried again, and its webhook goes on, rests or ends.

A receiver that fails again and again is only probed: one try at a time, minutes apart, so that a dead one costs nobody
else anything and what waits for it does not use up its tries. In the end its webhook is disabled.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from service.webhooks import schedule
from service.webhooks.reading import Reading

TRIPS_AFTER = 5
"""Failures in a row after which a webhook is only probed."""
DISABLED_AFTER = 20
DISABLED_AFTER_SECONDS = 5 * 24 * 3600
"""So many failures in a row, over so long at least, disable a webhook."""


@dataclass(frozen=True, slots=True)
class Decision:
    """`wait` is the seconds to the delivery's next try, set for "waiting" alone; `rest` those for which its webhook is
    left alone. `probe` says that it is only probed from now on. `reason` says what went wrong and `disables` why the
    webhook ends, in words that are fit for a GM."""

    outcome: Literal["delivered", "waiting", "failed"]
    reason: str = ""
    wait: float = 0.0
    rest: float = 0.0
    probe: bool = False
    disables: str | None = None


def decide(reading: Reading, attempt: int, failures: int, failing: float, chance: Callable[[], float]) -> Decision:
    """What becomes of a delivery whose try number `attempt` (1 for the first) brought this.

    Before it, `failures` tries in a row had failed at its webhook, the first of them `failing` seconds ago.
    """
    if reading.meaning == "arrived":
        return Decision("delivered", rest=reading.wait or 0.0)
    failures += 1
    tripped = failures >= TRIPS_AFTER
    rest = max(reading.wait or 0.0, schedule.probe_after(failures - TRIPS_AFTER) if tripped else 0.0)
    disables = None
    if reading.meaning == "gone":
        disables = reading.reason
    elif failures >= DISABLED_AFTER and failing >= DISABLED_AFTER_SECONDS:
        disables = f"{failures} tries in a row have failed over {failing / 86400:.0f} days, at last: {reading.reason}"
    wait = schedule.wait_after(attempt, chance, reading.wait) if reading.meaning == "again" else None
    if wait is None:
        return Decision("failed", reading.reason, rest=rest, probe=tripped, disables=disables)
    return Decision("waiting", reading.reason, wait, rest, tripped, disables)

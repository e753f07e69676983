"""What follows from a try: a delivery is done, tried again or given up, or its webhook ends. The worker acts on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from service.webhooks import schedule
from service.webhooks.client import Verdict
from service.webhooks.formats import FORMATS
from service.webhooks.reading import Reading

Read = Callable[[Verdict, datetime], Reading]


@dataclass(frozen=True, slots=True)
class Decision:
    """`wait` is in seconds and set for "again" alone. `reason` says what went wrong, in words that are fit for a GM."""

    outcome: Literal["delivered", "again", "given_up", "disabled"]
    wait: float | None = None
    reason: str = ""


def decide(
    verdict: Verdict, tries: int, now: datetime, chance: Callable[[], float], read: Read = FORMATS["standard"].read
) -> Decision:
    """What becomes of a delivery whose try number `tries` (1 for the first) brought this verdict at `now`."""
    reading = read(verdict, now)
    match reading.meaning:
        case "arrived":
            return Decision("delivered")
        case "gone":
            return Decision("disabled", reason=reading.reason)
        case "refused":
            return Decision("given_up", reason=reading.reason)
    wait = schedule.wait_after(tries, chance, reading.wait)
    return Decision("given_up" if wait is None else "again", wait, reading.reason)

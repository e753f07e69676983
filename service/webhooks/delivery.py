"""What follows from a try: a delivery is done, tried again or given up, or its webhook ends. The worker acts on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from service.webhooks import schedule
from service.webhooks.client import Verdict


@dataclass(frozen=True, slots=True)
class Decision:
    """`wait` is in seconds and set for "again" alone. `reason` says what went wrong, in words that are fit for a GM."""

    outcome: Literal["delivered", "again", "given_up", "disabled"]
    wait: float | None = None
    reason: str = ""


def decide(verdict: Verdict, tries: int, now: datetime, chance: Callable[[], float]) -> Decision:
    """What becomes of a delivery whose try number `tries` (1 for the first) brought this verdict at `now`."""
    if verdict.delivered:
        return Decision("delivered")
    if verdict.status == 410:
        return Decision("disabled", reason="the receiver answered 410 Gone")
    asked = schedule.retry_after(verdict.retry_after, now) if verdict.status in (429, 503) else None
    wait = schedule.wait_after(tries, chance, asked)
    return Decision("given_up" if wait is None else "again", wait, _told(verdict))


def _told(verdict: Verdict) -> str:
    if verdict.status is None:
        return verdict.error or "no answer"
    if 300 <= verdict.status < 400:
        return f"the receiver answered {verdict.status}, and redirects are not followed"
    return f"the receiver answered {verdict.status}"

"""When a delivery that failed is tried again: close together at first, then on for three days."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_HOUR = 3600
WAITS = (5, 30, 120, 600, 1800, _HOUR, 2 * _HOUR, 4 * _HOUR, 8 * _HOUR, 12 * _HOUR, 20 * _HOUR, 24 * _HOUR)
"""Seconds after the first, second, … failed try: 13 tries over 71.7 hours."""
TRIES = len(WAITS) + 1
PROBES = (60, 120, 240, 480, 600)
"""Seconds between tries at a receiver that only fails: minutes, so that its backlog starts soon once it is back."""
JITTER = 0.2
LONGEST = 24 * _HOUR
"""Seconds; no receiver puts a delivery off for longer at once."""


def wait_after(tries: int, chance: Callable[[], float], asked: float | None = None) -> float | None:
    """Seconds to wait after `tries` failed tries (1 or more), None when that was the last.

    `chance`, a number from 0 up to 1, moves the schedule's wait by up to a fifth either way, so that what failed
    together does not come again together. A longer wait that the receiver `asked` for takes its place, to the second.
    """
    if tries >= TRIES:
        return None
    return max(WAITS[tries - 1] * (1 - JITTER + 2 * JITTER * chance()), asked or 0.0)


def probe_after(probes: int) -> float:
    """Seconds for which a receiver that only fails is left alone, when so many probes (from 0) have failed, too."""
    return float(PROBES[min(probes, len(PROBES) - 1)])


def retry_after(value: str | None, now: datetime) -> float | None:
    """Seconds that a Retry-After header asks for, at most 24 hours; None when it asks for no wait.

    Takes seconds or an HTTP date (RFC 9110, 10.2.3). Garbage, nothing, and what has passed ask for none.
    """
    text = (value or "").strip()
    if re.fullmatch(r"[0-9]+", text):
        seconds = float(text) if len(text) < 16 else float(LONGEST)
    else:
        seconds = (_date(text) - now).total_seconds()
    return min(seconds, float(LONGEST)) if seconds > 0 else None


_LONG_AGO = datetime.min.replace(tzinfo=UTC)


def _date(text: str) -> datetime:
    try:
        found = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return _LONG_AGO
    return found if found.tzinfo else found.replace(tzinfo=UTC)

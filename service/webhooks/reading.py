"""What a receiver's answer means for the message, and for the webhook."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from service.webhooks.schedule import LONGEST


@dataclass(frozen=True, slots=True)
class Reading:
    """What a verdict means: the message has arrived, is to be sent again, or is refused: it never will be taken, others
    may be; or the webhook is gone, and nothing more may be sent there.

    `reason` is fit for a GM and holds nothing that the receiver said. `wait` is for how many seconds the receiver asks
    to be left alone, at most 24 hours.
    """

    meaning: Literal["arrived", "again", "refused", "gone"]
    reason: str = ""
    wait: float | None = None


def seconds(value: object) -> float | None:
    """A wait that was written as a number, at most 24 hours; None for garbage, for nothing and for what has passed."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        wait = float(value)
    except (ValueError, OverflowError):
        return None
    return min(wait, float(LONGEST)) if math.isfinite(wait) and wait > 0 else None

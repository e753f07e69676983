"""How many requests one token, or one address without a token, may send in a minute.

Each web process counts for itself: it is what is to be protected, and so no request takes another trip to the store.
The headers are those of the IETF's draft (draft-ietf-httpapi-ratelimit-headers).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

WINDOW_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Allowance:
    """What is left, and for how many seconds yet; `left` is below 0 when this request is one too many."""

    most: int
    left: int
    seconds: int

    @property
    def headers(self) -> dict[str, str]:
        return {
            "RateLimit-Policy": f'"requests";q={self.most};w={WINDOW_SECONDS}',
            "RateLimit": f'"requests";r={max(self.left, 0)};t={self.seconds}',
        }


@dataclass(slots=True)
class Limiter:
    """Counts requests by who sends them, in windows of a minute that begin together; 0 limits nothing."""

    most: int
    clock: Callable[[], float] = time.monotonic
    _window: int = -1
    _counts: dict[str, int] = field(default_factory=dict)

    def count(self, who: str) -> Allowance | None:
        """Counts one more of this sender; None where nothing is limited."""
        if not self.most:
            return None
        window, within = divmod(self.clock(), WINDOW_SECONDS)
        if window != self._window:
            self._window, self._counts = int(window), {}
        used = self._counts[who] = self._counts.get(who, 0) + 1
        return Allowance(self.most, self.most - used, WINDOW_SECONDS - int(within))

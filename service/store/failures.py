"""How often an address has failed to authenticate lately."""

from __future__ import annotations

from redis import Redis

from service.store.keys import failures
from service.store.scripts import Script

_COUNT = Script("count")


class Failures:
    """Failed authentications per remote address, counted in fixed windows that begin with the first failure."""

    def __init__(self, redis: Redis, *, allowed: int = 30, window_seconds: int = 60) -> None:
        self._redis = redis
        self._allowed = allowed
        self._window = window_seconds

    def count(self, address: str) -> int:
        """Counts one more. The seconds for which the address must wait, 0 while it is within its allowance."""
        failed, seconds = _COUNT.call(self._redis, [failures(address)], [self._window])
        return max(seconds, 1) if failed > self._allowed else 0

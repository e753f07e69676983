"""What an instance key may use up: so many crawls, so many rounds a minute. Without a quota nothing is counted."""

from __future__ import annotations

import time

from redis import Redis

from service.store.errors import TooManyCrawls, TooManyRounds
from service.store.keyring import Keyring
from service.store.keys import owned, rounds_of
from service.store.records import InstanceKey
from service.store.scripts import Script, plainly

REMEMBERED_SECONDS = 10.0
"""How long a process goes by the quotas that it has read: as late is a change of them felt."""
WINDOW_SECONDS = 60

_COUNT = Script("count")


class Quotas:
    """The quotas of instance keys, by the id of the key. Every method may raise StoreUnavailable."""

    def __init__(self, redis: Redis, keyring: Keyring) -> None:
        self._redis = redis
        self._keyring = keyring
        self._known: dict[str, InstanceKey] = {}
        self._read_at = float("-inf")

    def verify_crawl(self, owner: str) -> None:
        """TooManyCrawls when the owner's index of crawls, the one to be started included, is longer than the quota."""
        key = self._key(owner)
        if key is None or key.crawls is None:
            return
        with plainly():
            there = self._redis.zcard(owned(owner))
        if there > key.crawls:
            raise TooManyCrawls(key.crawls)

    def count_round(self, owner: str) -> None:
        """Counts one more of the crawls that this key started; TooManyRounds once there are too many in a minute."""
        key = self._key(owner)
        if key is None or key.rounds_per_minute is None:
            return
        count, seconds = _COUNT.call(self._redis, [rounds_of(owner)], [WINDOW_SECONDS])
        if count > key.rounds_per_minute:
            raise TooManyRounds(key.rounds_per_minute, max(seconds, 1))

    def _key(self, owner: str) -> InstanceKey | None:
        if not owner:
            return None
        if time.monotonic() - self._read_at > REMEMBERED_SECONDS:
            self._known = {key.id: key for key in self._keyring.list()}
            self._read_at = time.monotonic()
        return self._known.get(owner)

"""Instance keys: who may start and list crawls."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from redis import Redis

from service.store.keys import INSTANCE_KEYS, KEYS_USED
from service.store.layout import Layout, Stored
from service.store.records import InstanceKey
from service.store.scripts import plainly

_KEY = Stored(
    "instance key",
    Layout(InstanceKey, {"id": "i", "label": "l", "created_at": "c", "crawls": "n", "rounds_per_minute": "r"}),
)

_TOLD_AGAIN = 60.0


class Keyring:
    """The instance keys in force, by their SHA-256; the keys themselves are never kept."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._told: dict[str, float] = {}

    def create(
        self,
        hashed: str,
        label: str,
        created_at: str,
        *,
        crawls: int | None = None,
        rounds_per_minute: int | None = None,
    ) -> InstanceKey:
        """Keeps a new key by its hex SHA-256. The id says nothing about the key: it is drawn from the digest."""
        key = InstanceKey(f"key_{hashed[:20]}", hashed, label, created_at, crawls, rounds_per_minute)
        with plainly():
            self._redis.hset(INSTANCE_KEYS, hashed, _KEY.write(key))
        return key

    def find(self, hashed: str) -> InstanceKey | None:
        with plainly():
            stored: Any = self._redis.hget(INSTANCE_KEYS, hashed)
        return _KEY.read(stored, hashed=hashed) if stored else None

    def list(self) -> tuple[InstanceKey, ...]:
        """All of them, the oldest first."""
        with plainly():
            stored: Any = self._redis.hgetall(INSTANCE_KEYS)
            used: Any = self._redis.hgetall(KEYS_USED)
        found = (_KEY.read(value, hashed=hashed.decode()) for hashed, value in stored.items())
        keys = (replace(key, used_at=_text(used.get(key.id.encode()))) for key in found)
        return tuple(sorted(keys, key=lambda key: (key.created_at, key.id)))

    def use(self, key: InstanceKey, now: str) -> None:
        """Keeps when the key was last used; it may be a minute late."""
        if time.monotonic() - self._told.get(key.id, float("-inf")) > _TOLD_AGAIN:
            with plainly():
                self._redis.hset(KEYS_USED, key.id, now)
            self._told[key.id] = time.monotonic()

    def revoke(self, key_id: str) -> bool:
        """Whether there was such a key. Its crawls stay, with the tokens that they have."""
        hashed = [key.hashed for key in self.list() if key.id == key_id]
        with plainly():
            self._redis.hdel(KEYS_USED, key_id)
            return bool(hashed) and self._redis.hdel(INSTANCE_KEYS, *hashed) != 0


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode()

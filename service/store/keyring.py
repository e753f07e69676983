"""Instance keys: who may start and list crawls."""

from __future__ import annotations

from typing import Any

from redis import Redis

from service.store.keys import INSTANCE_KEYS
from service.store.layout import Layout, Stored
from service.store.records import InstanceKey
from service.store.scripts import plainly

_KEY = Stored("instance key", Layout(InstanceKey, {"id": "i", "label": "l", "created_at": "c"}))


class Keyring:
    """The instance keys in force, by their SHA-256; the keys themselves are never kept."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def create(self, hashed: str, label: str, created_at: str) -> InstanceKey:
        """Keeps a new key by its hex SHA-256. The id says nothing about the key: it is drawn from the digest."""
        key = InstanceKey(id=f"key_{hashed[:20]}", hashed=hashed, label=label, created_at=created_at)
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
        keys = (_KEY.read(value, hashed=hashed.decode()) for hashed, value in stored.items())
        return tuple(sorted(keys, key=lambda key: (key.created_at, key.id)))

    def revoke(self, key_id: str) -> bool:
        """Whether there was such a key. Its crawls stay, with the tokens that they have."""
        hashed = [key.hashed for key in self.list() if key.id == key_id]
        with plainly():
            return bool(hashed) and self._redis.hdel(INSTANCE_KEYS, *hashed) != 0

"""Pairing codes: each stands for a token that is made when somebody exchanges it, once and soon."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson
from redis import Redis

from service.store import codec, keys
from service.store.records import Token
from service.store.scripts import plainly

PAIRING_SECONDS = 600


@dataclass(frozen=True, slots=True)
class Pairing:
    """The token that somebody may have, the crawl that it opens, and the SHA-256 of the token of whoever offers it."""

    crawl_id: str
    token: Token
    offered_by: str


class Pairings:
    """Codes by their SHA-256, which also says where they lie: whoever pairs does not know the crawl yet."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def offer(self, hashed: str, pairing: Pairing) -> None:
        stored = orjson.dumps([pairing.crawl_id, codec.TOKEN.write(pairing.token).decode(), pairing.offered_by])
        with plainly():
            self._redis.set(keys.pairing(hashed), stored, ex=PAIRING_SECONDS)

    def look(self, hashed: str) -> Pairing | None:
        """What the code stands for."""
        with plainly():
            stored: Any = self._redis.get(keys.pairing(hashed))
        if stored is None:
            return None
        crawl_id, token, offered_by = orjson.loads(stored)
        return Pairing(crawl_id, codec.TOKEN.read(token.encode()), offered_by)

    def take(self, hashed: str) -> bool:
        """Whether the code is the asker's; nobody is given it again."""
        with plainly():
            return bool(self._redis.delete(keys.pairing(hashed)))

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
    """The token that somebody may have, and the crawl that it opens."""

    crawl_id: str
    token: Token


class Pairings:
    """Codes by their SHA-256, which also says where they lie: whoever pairs does not know the crawl yet."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def offer(self, hashed: str, pairing: Pairing) -> None:
        stored = orjson.dumps([pairing.crawl_id, codec.TOKEN.write(pairing.token).decode()])
        with plainly():
            self._redis.set(keys.pairing(hashed), stored, ex=PAIRING_SECONDS)

    def take(self, hashed: str) -> Pairing | None:
        """What the code stands for; nobody is given it again."""
        with plainly():
            stored: Any = self._redis.getdel(keys.pairing(hashed))
        if stored is None:
            return None
        crawl_id, token = orjson.loads(stored)
        return Pairing(crawl_id, codec.TOKEN.read(token.encode()))

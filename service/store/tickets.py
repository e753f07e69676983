"""Tickets: each opens a crawl's stream once, within a minute, for whoever asked for it."""

from __future__ import annotations

from typing import Any

from redis import Redis

from service.store import keys
from service.store.scripts import plainly

TICKET_SECONDS = 60


class Tickets:
    """Tickets by their SHA-256. Each stands for the token that asked for it, and may do what that token may by then."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def keep(self, crawl_id: str, hashed: str, token_hash: str) -> None:
        with plainly():
            self._redis.set(keys.ticket(crawl_id, hashed), token_hash, ex=TICKET_SECONDS)

    def redeem(self, crawl_id: str, hashed: str) -> str | None:
        """The hash of the token that it stands for; None for one that was used, has run out or is another crawl's."""
        with plainly():
            token_hash: Any = self._redis.getdel(keys.ticket(crawl_id, hashed))
        return token_hash.decode() if token_hash else None

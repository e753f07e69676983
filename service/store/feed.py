"""Which crawls have something new to tell, as their commits say it: one subscription for a whole process."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Set
from typing import Any

from redis import Redis

from service.store.errors import StoreUnavailable
from service.store.keys import TOLD
from service.store.scripts import plainly

SILENCE = 15.0
"""Seconds without a word after which the store is asked whether it is still there."""


class Feed:
    """A subscription on a connection of its own. One thread hears; any may wake it."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._own = TOLD + secrets.token_hex(10)
        self._heard: Any = None
        self._followed: Set[str] = frozenset()
        self._asked = False

    def hear(self, followed: Set[str]) -> str:
        """The next crawl that is to be looked at, "" where none is just now.

        It is so after each of its commits that brought events, when somebody wakes us for it, and once it is followed:
        what came before that was not heard. Raises StoreUnavailable; the next call connects and follows all anew.
        """
        try:
            with plainly():
                self._follow(followed)
                message = self._heard.get_message(timeout=SILENCE)
                if message is None:
                    self._ask()
                    return ""
        except StoreUnavailable:
            self.close()
            raise
        self._asked = False
        return _crawl_in(message, self._own)

    def wake(self, crawl_id: str) -> None:
        """Makes `hear` return that crawl. Raises StoreUnavailable."""
        with plainly():
            self._redis.publish(self._own, crawl_id)

    def close(self) -> None:
        if self._heard is not None:
            self._heard.close()
        self._heard, self._followed, self._asked = None, frozenset(), False

    def _follow(self, followed: Set[str]) -> None:
        if self._heard is None:
            self._heard = self._redis.pubsub()  # type: ignore[no-untyped-call]
            self._heard.subscribe(self._own)
        if followed is self._followed:
            return
        if joined := followed - self._followed:
            self._heard.subscribe(*(TOLD + crawl_id for crawl_id in joined))
        if left := self._followed - followed:
            self._heard.unsubscribe(*(TOLD + crawl_id for crawl_id in left))
        self._followed = followed

    def _ask(self) -> None:
        if self._asked:
            raise StoreUnavailable
        self._heard.ping()
        self._asked = True


def _crawl_in(message: Mapping[str, Any], own: str) -> str:
    channel = (message["channel"] or b"").decode()
    match message["type"]:
        case "message" if channel == own:
            return str(message["data"].decode())
        case "message" | "subscribe" if channel != own:
            return channel.removeprefix(TOLD)
    return ""

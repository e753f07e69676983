"""Which crawls an instance key started, newest first.

An index lies in a slot of its own, so it cannot be written in the crawl's commit: it is written before that, and an
entry that leads nowhere is left out when read, and dropped once no commit can still be on its way.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, TypeVar

from redis import Redis

from service.rules.model import Crawl
from service.store.errors import BadCursor, StoreError, StoreUnavailable
from service.store.keys import STATE_FIELDS, keys_of, owned
from service.store.quotas import Quotas
from service.store.reading import crawl_of
from service.store.records import Answer, CrawlPage
from service.store.scripts import plainly

# An entry is "<microseconds since 1970, 16 digits>:<crawl id>": all scores are 0, so that Redis sorts them as text.
_ENTRY = re.compile(r"\d{16}:crl_[0-9a-z]{22}")
_COMMIT_IS_OVER_AFTER = 60.0

Kept = TypeVar("Kept", bound=Answer | None)


class Owned:
    """The indexes of crawls by owner."""

    def __init__(self, redis: Redis, quotas: Quotas) -> None:
        self._redis = redis
        self._quotas = quotas

    def add(self, owner: str, crawl_id: str, created_at: str) -> None:
        with plainly():
            self._redis.zadd(owned(owner), {_entry(crawl_id, created_at): 0})

    def begun(self, owner: str, crawl: Crawl, commit: Callable[[], Kept]) -> Kept:
        """A crawl's first commit, and the crawl in its owner's index.

        Indexed first: a crash in between leaves an entry that leads nowhere, which reading the index drops.
        Raises TooManyCrawls where the owner's quota is used up.
        """
        if not owner:
            return commit()
        self.add(owner, crawl.id, crawl.created_at)
        try:
            self._quotas.verify_crawl(owner)
            answer = commit()
        except StoreUnavailable:
            raise  # the crawl may be there
        except StoreError:
            self.drop_unless_there(owner, crawl.id, crawl.created_at)
            raise
        if answer is not None and answer.replayed:
            self.drop_unless_there(owner, crawl.id, crawl.created_at)
        return answer

    def drop(self, owner: str, crawl_id: str, created_at: str) -> None:
        with plainly():
            self._redis.zrem(owned(owner), _entry(crawl_id, created_at))

    def drop_unless_there(self, owner: str, crawl_id: str, created_at: str) -> None:
        """For a crawl that was not started after all; one that had been before keeps its entry."""
        with plainly():
            there = self._redis.exists(keys_of(crawl_id).crawl)
        if not there:
            self.drop(owner, crawl_id, created_at)

    def page(self, owner: str, after: str | None, limit: int) -> CrawlPage:
        """`limit` crawls behind `after`; goes on through entries that lead nowhere until the page is full."""
        if after is not None and _ENTRY.fullmatch(after) is None:
            raise BadCursor
        found: list[tuple[str, Crawl]] = []
        while len(found) <= limit:
            entries = self._entries(owner, after, limit + 1 - len(found))
            if not entries:
                break
            found += self._crawls(owner, entries)
            after = entries[-1]
        page = found[:limit]
        return CrawlPage(
            crawls=tuple(crawl for _, crawl in page),
            next=page[-1][0] if page and len(found) > limit else None,
        )

    def _entries(self, owner: str, after: str | None, limit: int) -> list[str]:
        with plainly():
            entries: Any = self._redis.zrevrangebylex(
                owned(owner), "+" if after is None else f"({after}", "-", start=0, num=limit
            )
        return [entry.decode() for entry in entries]

    def _crawls(self, owner: str, entries: Sequence[str]) -> list[tuple[str, Crawl]]:
        with plainly(), self._redis.pipeline(transaction=False) as pipeline:
            for entry in entries:
                pipeline.hmget(keys_of(_crawl_id(entry)).crawl, list(STATE_FIELDS))
            states: list[Any] = pipeline.execute()
        gone = [entry for entry, state in zip(entries, states, strict=True) if state[0] is None and _is_old(entry)]
        if gone:
            with plainly():
                self._redis.zrem(owned(owner), *gone)
        return [
            (entry, crawl_of(_crawl_id(entry), state))
            for entry, state in zip(entries, states, strict=True)
            if state[0] is not None
        ]


def _entry(crawl_id: str, created_at: str) -> str:
    moment = datetime.fromisoformat(created_at)
    return f"{int(moment.timestamp()) * 1_000_000 + moment.microsecond:016d}:{crawl_id}"


def _crawl_id(entry: str) -> str:
    return entry.partition(":")[2]


def _is_old(entry: str) -> bool:
    return time.time() - int(entry[:16]) / 1_000_000 > _COMMIT_IS_OVER_AFTER

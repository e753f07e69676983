"""The way in: one read and one commit for a crawl, each one round trip, and the lists around them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from redis import Redis

from service.rules.model import Encounter
from service.store.records import Answer, Change, CrawlPage, EventPage, Idempotency, Loaded, Token


class CrawlStore:
    """Crawls in Redis. Every method may raise StoreUnavailable; every one that writes, StoreFull."""

    def __init__(self, redis: Redis, *, keep_events: int = 10_000) -> None:
        raise NotImplementedError

    # self.keyring: Keyring (keyring.py) · self.webhooks: Webhooks (webhooks.py) · self.failures: Failures (failures.py)
    # self.redis: the client, for what WEBHOOKS builds (outbox.py)

    def load(
        self,
        crawl_id: str,
        token_hash: str | None,
        *,
        idempotency: Idempotency | None = None,
        pending: bool = False,
        last_step: bool = False,
        last_undone: bool = False,
    ) -> Loaded | Answer:
        """The crawl as it stands, or what this idempotency key brought before (`replayed`).

        A replay is given only to a token that the crawl still knows, or when the crawl itself is gone (its deletion,
        replayed). `pending` asks for the newest 20 pending encounters, newest first, and their number.
        Raises CrawlNotFound, IdempotencyKeyReused, AnswerSealed.
        """
        raise NotImplementedError

    def replay(self, idempotency: Idempotency) -> Answer | None:
        """What a request that names no crawl (starting one) was answered before. Errors as in `load`."""
        raise NotImplementedError

    def commit(self, change: Change) -> Answer | None:
        """Keeps all of the change and gives its answer; or, when a twin with the same key won, that one's (`replayed`).

        Raises StaleCrawl (version or declarations revision moved), CrawlNotFound, CrawlExists, IdempotencyKeyReused,
        AnswerSealed, StoreFull, StoreUnavailable.
        """
        raise NotImplementedError

    def delete(
        self,
        crawl_id: str,
        *,
        expected_version: int | None = None,
        idempotency: Idempotency | None = None,
        answer: Answer | None = None,
    ) -> Answer | None:
        """Forgets the crawl with its tokens, webhooks, events and records. Raises CrawlNotFound, StaleCrawl and so on."""
        raise NotImplementedError

    def record(self, crawl_id: str, number: int) -> Mapping[str, Any] | None:
        raise NotImplementedError
    def records(self, crawl_id: str, after: int, limit: int) -> list[Mapping[str, Any]]:
        raise NotImplementedError
    def encounter(self, crawl_id: str, encounter_id: str) -> Encounter | None:
        raise NotImplementedError
    def encounters(self, crawl_id: str, after: int, limit: int) -> list[Encounter]:
        raise NotImplementedError
    def encounters_by_id(self, crawl_id: str, ids: Sequence[str]) -> dict[str, Encounter]:
        raise NotImplementedError
    def events(self, crawl_id: str, after: int, limit: int, *, public: bool) -> EventPage:
        raise NotImplementedError
    def tokens(self, crawl_id: str) -> dict[str, Token]:
        raise NotImplementedError
    def list_crawls(self, owner: str, after: str | None, limit: int) -> CrawlPage:
        raise NotImplementedError

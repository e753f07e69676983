"""Crawls that have something to tell, and the webhooks that are to be told."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from service.rules.model import Encounter
from service.sight.encounter import encounter_body
from service.store.crawls import CrawlStore
from service.store.outbox import Claimed, Outbox, Record
from service.store.records import Change, Event
from service.webhooks import addresses, signing
from service.worker.delivering import deliveries_of
from tests.store.changes import a_crawl, started

LOOPBACK = addresses.networks("127.0.0.0/8")


def crawl_id(number: int = 0) -> str:
    """A crawl of a partition of its own, for numbers up to 255."""
    return f"crl_{number % 256:02x}{number:0>20}"


def start(store: CrawlStore, number: int = 0) -> str:
    crawl = a_crawl(crawl_id(number))
    store.commit(started(crawl))
    return crawl.id


def hook(url: str, number: int = 0, **changes: Any) -> dict[str, Any]:
    return {
        "id": f"whk_{number}",
        "url": url,
        "events": ["encounter.triggered"],
        "format": "standard",
        "audience": "gm",
        "description": None,
        "status": "active",
        "status_reason": None,
        "secret": signing.new_secret(),
        "old_secrets": [],
        "created_at": "2026-12-01T20:00:00.000Z",
    } | changes


def add(store: CrawlStore, crawl: str, webhook: dict[str, Any]) -> dict[str, Any]:
    store.webhooks.create(crawl, webhook["id"], webhook)
    return webhook


def encounter(id_: str) -> dict[str, Any]:
    return encounter_body(Encounter(id_, ordinal=1, at=3600))


def tell(store: CrawlStore, crawl: str, *ids: str, public: bool = True) -> None:
    """One commit with an event for each id."""
    events = tuple(
        Event(
            *(f"evt_{crawl}_{id_}", "encounter.triggered", "2026-12-01T20:00:00.000Z"),
            {"encounter": encounter(id_), "alert_level": 3},
            {"encounter": encounter(id_)} if public else None,
        )
        for id_ in ids
    )
    store.commit(Change(crawl, events))


def drain(outbox: Outbox, partition: int = 0) -> int:
    return outbox.queue(
        partition, [(entry, tuple(deliveries_of(entry))) for entry in outbox.read(partition, limit=10_000)]
    )


def claim(outbox: Outbox, limit: int = 100, partition: int = 0) -> tuple[Claimed, ...]:
    return outbox.claim(partition, limit).deliveries


def finish(outbox: Outbox, claimed: Claimed) -> bool:
    return outbox.record(claimed, Record("delivered", {}, "arrived"))


def put_off(outbox: Outbox, claimed: Claimed, seconds: float) -> bool:
    return outbox.record(claimed, Record("waiting", {}, "failed", wait=seconds))


def eventually(true: Callable[[], object], seconds: float = 10) -> None:
    """Polls until it is true; fails when that takes too long."""
    until = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < until, "it did not come true in time"
        time.sleep(0.005)

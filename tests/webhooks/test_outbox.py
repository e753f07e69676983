"""An event in the outbox becomes one delivery for each webhook that may know of it, and no worker's death loses it."""

from __future__ import annotations

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import orjson
import pytest

from service import worker
from service.store.crawls import CrawlStore
from service.store.outbox import AT_ONCE, LEASE_SECONDS, Outbox
from service.webhooks import client
from service.webhooks.schedule import TRIES, WAITS
from tests.webhooks.telling import LOOPBACK, add, claim, drain, hook, start, tell

NOBODY = "https://gm.example/hook"


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.at = datetime(2026, 12, 1, 20, 0, tzinfo=UTC)

    def milliseconds(self) -> int:
        return round(self.at.timestamp() * 1000)

    def now(self) -> datetime:
        return self.at

    def move(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def outbox(store: CrawlStore, clock: Clock) -> Outbox:
    """An outbox whose time is the test's."""
    return Outbox(store.redis, clock.milliseconds)


@pytest.fixture
def crawl(store: CrawlStore) -> str:
    return start(store)


def bodies(outbox: Outbox) -> list[tuple[str, int, str]]:
    told = [(each.webhook, orjson.loads(each.body)) for each in claim(outbox)]
    return sorted((webhook, body["sequence"], body["data"]["encounter"]["id"]) for webhook, body in told)


def test_every_webhook_is_told_what_its_audience_may_know(store: CrawlStore, crawl: str, outbox: Outbox) -> None:
    add(store, crawl, hook(NOBODY, 1))
    add(store, crawl, hook(NOBODY, 2, audience="public"))
    add(store, crawl, hook(NOBODY, 3, events=["round.resolved"]))
    add(store, crawl, hook(NOBODY, 4, status="paused"))
    tell(store, crawl, "hidden", public=False)
    tell(store, crawl, "seen")
    assert drain(outbox) == 2
    assert bodies(outbox) == [("whk_1", 2, "hidden"), ("whk_1", 3, "seen"), ("whk_2", 2, "seen")]


def test_the_outbox_is_empty_when_its_entries_are_queued(store: CrawlStore, crawl: str, outbox: Outbox) -> None:
    add(store, crawl, hook(NOBODY))
    tell(store, crawl, "a", "b", "c")
    assert outbox.waiting() == [0]
    assert drain(outbox) == 3
    assert outbox.read(0) == []
    assert store.redis.keys("alarum:{p000}:delivery:*")
    assert outbox.waiting() == [0]


def test_nothing_of_a_delivery_remains_when_it_is_over(store: CrawlStore, crawl: str, outbox: Outbox) -> None:
    before = set(store.redis.keys("*"))
    add(store, crawl, hook(NOBODY))
    tell(store, crawl, "a", "b")
    drain(outbox)
    for claimed in claim(outbox):
        assert outbox.finish(claimed)
    assert {key.decode() for key in set(store.redis.keys("*")) - before} == {
        "alarum:{p000}:outbox",
        f"alarum:{{p000}}:webhooks:{crawl}",
    }
    assert outbox.waiting() == []


def test_an_entry_is_queued_once_though_two_workers_read_it(store: CrawlStore, crawl: str, outbox: Outbox) -> None:
    add(store, crawl, hook(NOBODY))
    tell(store, crawl, *(str(number) for number in range(100)))
    with ThreadPoolExecutor(8) as workers:
        counts = list(workers.map(lambda _: drain(outbox), range(8)))
    assert sum(counts) == 100
    assert store.redis.zcard("alarum:{p000}:queue:whk_0") == 100


def test_a_delivery_is_leased_to_one_worker(store: CrawlStore, crawl: str, outbox: Outbox) -> None:
    for number in range(50):
        add_to = start(store, number * 256 + 256)
        add(store, add_to, hook(NOBODY, number))
        tell(store, add_to, "a", "b")
    drain(outbox)
    with ThreadPoolExecutor(8) as workers:
        claims = [each.id for found in workers.map(lambda _: claim(outbox, 20), range(8)) for each in found]
    assert len(claims) == len(set(claims)) == 100


def test_at_most_two_deliveries_of_a_webhook_are_on_their_way(
    store: CrawlStore, crawl: str, outbox: Outbox, clock: Clock
) -> None:
    add(store, crawl, hook(NOBODY))
    tell(store, crawl, "a", "b", "c")
    drain(outbox)
    first, second = claim(outbox)
    assert claim(outbox) == ()
    outbox.put_off(first, 600)
    (third,) = claim(outbox)
    assert third.id not in (first.id, second.id)
    assert claim(outbox) == ()
    assert AT_ONCE == 2


def test_a_webhook_with_a_long_queue_is_in_nobody_s_way(store: CrawlStore, crawl: str, outbox: Outbox) -> None:
    add(store, crawl, hook(NOBODY, 1))
    tell(store, crawl, *(str(number) for number in range(300)))
    drain(outbox)
    assert len(claim(outbox)) == 2
    add(store, crawl, hook(NOBODY, 2))
    tell(store, crawl, "late")
    drain(outbox)
    assert [each.webhook for each in claim(outbox, limit=1)] == ["whk_2"]


def test_a_delivery_of_a_dead_worker_is_made_again_with_the_same_id(
    store: CrawlStore, crawl: str, outbox: Outbox, clock: Clock
) -> None:
    add(store, crawl, hook(NOBODY))
    tell(store, crawl, "a")
    drain(outbox)
    (lost,) = claim(outbox)
    assert outbox.claim(0, 10).following == LEASE_SECONDS
    clock.move(LEASE_SECONDS - 0.001)
    assert claim(outbox) == ()
    clock.move(0.001)
    (again,) = claim(outbox)
    assert (again.id, again.body, again.tries) == (lost.id, lost.body, 2)


def test_a_worker_that_wakes_after_its_lease_changes_nothing(
    store: CrawlStore, crawl: str, outbox: Outbox, clock: Clock
) -> None:
    add(store, crawl, hook(NOBODY))
    tell(store, crawl, "a")
    drain(outbox)
    (paused,) = claim(outbox)
    clock.move(LEASE_SECONDS)
    (current,) = claim(outbox)
    assert not outbox.finish(paused)
    assert not outbox.put_off(paused, 5)
    assert claim(outbox) == ()
    assert outbox.finish(current)
    assert not outbox.put_off(paused, 5)
    assert outbox.waiting() == []


def test_a_late_record_counts_when_nobody_else_has_begun(
    store: CrawlStore, crawl: str, outbox: Outbox, clock: Clock
) -> None:
    add(store, crawl, hook(NOBODY))
    tell(store, crawl, "a")
    drain(outbox)
    (late,) = claim(outbox)
    clock.move(LEASE_SECONDS + 100)
    assert outbox.finish(late)
    assert claim(outbox) == ()
    assert outbox.waiting() == []


def test_the_lease_is_longer_than_any_send() -> None:
    assert client.DEADLINE + 5 < LEASE_SECONDS


def test_thirteen_tries_take_three_days(
    store: CrawlStore, crawl: str, outbox: Outbox, clock: Clock, receiver: Callable[..., Any], monkeypatch: Any
) -> None:
    monkeypatch.setattr(random, "random", lambda: 0.5)
    there = receiver(500)
    add(store, crawl, hook(there.url))
    tell(store, crawl, "a")
    drain(outbox)
    began = clock.at
    waits = []
    while claims := claim(outbox):
        worker.deliver(outbox, claims[0], LOOPBACK, clock.now)
        following = outbox.claim(0, 10).following
        if following is None:
            break
        waits.append(following)
        clock.move(following)
    assert waits == list(WAITS)
    assert len(there.got) == TRIES
    assert clock.at - began == timedelta(seconds=sum(WAITS))
    assert len({got.headers["webhook-id"] for got in there.got}) == 1
    assert len({got.body for got in there.got}) == 1
    stamps = [int(got.headers["webhook-timestamp"]) for got in there.got]
    assert [later - earlier for earlier, later in pairwise(stamps)] == list(WAITS)
    assert outbox.waiting() == []


def test_a_wait_that_the_receiver_asks_for_is_kept(
    store: CrawlStore, crawl: str, outbox: Outbox, clock: Clock, receiver: Callable[..., Any]
) -> None:
    add(store, crawl, hook(receiver(429, {"Retry-After": "7200"}).url))
    tell(store, crawl, "a")
    drain(outbox)
    worker.deliver(outbox, claim(outbox)[0], LOOPBACK, clock.now)
    assert outbox.claim(0, 10).following == 7200
    clock.move(7199)
    assert claim(outbox) == ()
    clock.move(1)
    assert len(claim(outbox)) == 1


def test_410_disables_the_webhook_and_drops_what_waits_for_it(
    store: CrawlStore, crawl: str, outbox: Outbox, clock: Clock, receiver: Callable[..., Any]
) -> None:
    gone = add(store, crawl, hook(receiver(410).url, 1))
    add(store, crawl, hook(NOBODY, 2))
    tell(store, crawl, "a", "b", "c")
    drain(outbox)
    claims = [each for each in claim(outbox) if each.webhook == "whk_1"]
    worker.deliver(outbox, claims[0], LOOPBACK, clock.now)
    closed = store.webhooks.get(crawl, "whk_1")
    assert closed == gone | {"status": "disabled", "status_reason": "the receiver answered 410 Gone"}
    assert not outbox.finish(claims[1])
    clock.move(LEASE_SECONDS)
    assert {each.webhook for each in claim(outbox)} == {"whk_2"}
    tell(store, crawl, "d")
    drain(outbox)
    assert store.redis.keys("alarum:{p000}:queue:whk_1") == []


def test_410_does_not_disable_a_webhook_that_was_changed_meanwhile(
    store: CrawlStore, crawl: str, outbox: Outbox, clock: Clock, receiver: Callable[..., Any]
) -> None:
    there = receiver(204)
    old = add(store, crawl, hook(receiver(410).url))
    tell(store, crawl, "a")
    drain(outbox)
    (claimed,) = claim(outbox)
    store.webhooks.change(crawl, "whk_0", old, old | {"url": there.url})
    worker.deliver(outbox, claimed, LOOPBACK, clock.now)
    worker.deliver(outbox, claim(outbox)[0], LOOPBACK, clock.now)
    assert len(there.got) == 1
    assert outbox.waiting() == []


@pytest.mark.parametrize("end", ["deleted", "paused", "disabled", "crawl deleted"])
def test_what_waits_for_a_webhook_ends_with_it(
    end: str, store: CrawlStore, crawl: str, outbox: Outbox, clock: Clock, receiver: Callable[..., Any]
) -> None:
    there = receiver(204)
    webhook = add(store, crawl, hook(there.url))
    tell(store, crawl, "a", "b", "c")
    drain(outbox)
    if end == "deleted":
        store.webhooks.delete(crawl, webhook["id"])
    elif end == "crawl deleted":
        store.delete(crawl)
    else:
        store.webhooks.change(crawl, webhook["id"], webhook, webhook | {"status": end})
    for claimed in claim(outbox):
        assert worker.deliver(outbox, claimed, LOOPBACK, clock.now) is None
    assert there.got == []
    assert outbox.waiting() == []
    assert store.redis.keys("alarum:{p000}:delivery:*") == []


def test_events_of_a_crawl_that_is_gone_are_dropped(store: CrawlStore, crawl: str, outbox: Outbox) -> None:
    add(store, crawl, hook(NOBODY))
    tell(store, crawl, "a")
    store.delete(crawl)
    assert drain(outbox) == 1
    assert outbox.waiting() == []


def test_an_event_that_nobody_can_read_stands_in_nobody_s_way(store: CrawlStore, crawl: str, outbox: Outbox) -> None:
    add(store, crawl, hook(NOBODY))
    entry: dict[Any, Any] = {"crawl": crawl, "seq": 9, "pseq": "", "e": "{", "p": ""}
    store.redis.xadd("alarum:{p000}:outbox", entry)
    tell(store, crawl, "a")
    assert drain(outbox) == 2
    assert len(claim(outbox)) == 1


def test_a_full_store_still_lets_deliveries_out(store: CrawlStore, crawl: str, outbox: Outbox) -> None:
    add(store, crawl, hook(NOBODY))
    tell(store, crawl, "a", "b")
    store.redis.config_set("maxmemory", 1)
    try:
        assert drain(outbox) == 2
        for claimed in claim(outbox):
            assert outbox.finish(claimed)
    finally:
        store.redis.config_set("maxmemory", 0)
    assert outbox.waiting() == []

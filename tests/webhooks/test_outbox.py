"""An event in the outbox becomes one delivery for each webhook that may know of it, and no worker's death loses it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from service.store.crawls import CrawlStore
from service.store.outbox import LEASE_SECONDS, Depth, Outbox
from service.webhooks import client
from tests.store.everywhere import all_keys, config_set
from tests.webhooks.clock import Clock
from tests.webhooks.telling import add, claim, crawl_id, drain, finish, hook, put_off, start, tell

NOBODY = "https://gm.example/hook"


@pytest.fixture
def outbox(store: CrawlStore, clock: Clock) -> Outbox:
    """An outbox whose time is the test's."""
    return Outbox(store.redis, clock.milliseconds)


def told(outbox: Outbox) -> list[tuple[str, int, str]]:
    events = [(each.webhook, each.sequence, each.read_event() or {}) for each in claim(outbox)]
    return sorted((webhook, sequence, event["data"]["encounter"]["id"]) for webhook, sequence, event in events)


def test_every_webhook_is_told_what_its_audience_may_know(store: CrawlStore, crawl: str, outbox: Outbox) -> None:
    add(store, crawl, hook(NOBODY, 1))
    add(store, crawl, hook(NOBODY, 2, audience="public"))
    add(store, crawl, hook(NOBODY, 3, events=["round.resolved"]))
    tell(store, crawl, "hidden", public=False)
    tell(store, crawl, "seen")
    assert drain(outbox) == 2
    assert told(outbox) == [("whk_1", 2, "hidden"), ("whk_1", 3, "seen"), ("whk_2", 2, "seen")]


def test_what_waits_is_counted_over_all_partitions(store: CrawlStore, outbox: Outbox) -> None:
    for number in (0, 7):
        add(store, start(store, number), hook(NOBODY, number))
        tell(store, crawl_id(number), "enc_1", "enc_2")
    assert outbox.depth() == Depth(events=4, deliveries=0, webhooks=0)
    drain(outbox, 7)
    assert outbox.depth() == Depth(events=2, deliveries=2, webhooks=1)


@pytest.mark.parametrize(("before", "after"), [("gm", "public"), ("public", "gm")])
def test_what_was_made_for_one_audience_is_not_sent_to_the_other(
    before: str, after: str, store: CrawlStore, crawl: str, outbox: Outbox
) -> None:
    read = add(store, crawl, hook(NOBODY, audience=before))
    tell(store, crawl, "seen")
    drain(outbox)
    store.webhooks.change(crawl, "whk_0", read, read | {"audience": after})
    assert claim(outbox) == ()
    assert outbox.waiting() == []
    (over,) = store.deliveries.log(crawl, "whk_0", None, 9)
    assert over.status == "failed"
    assert over.result is not None
    assert "another audience" in over.result["reason"]
    assert store.deliveries.again(crawl, "whk_0", [replace(over, audience=after)], "failed")[0] == 1
    assert [each.id for each in claim(outbox)] == [over.id]


def test_deliveries_come_in_the_order_of_their_events(store: CrawlStore, crawl: str, outbox: Outbox) -> None:
    add(store, crawl, hook(NOBODY))
    tell(store, crawl, *(str(number) for number in range(20)))
    drain(outbox)
    came = []
    while claims := claim(outbox):
        came += [each.sequence for each in claims]
        for each in claims:
            finish(outbox, each)
    assert came == list(range(2, 22))


def test_a_chat_is_sent_one_thing_at_a_time(store: CrawlStore, crawl: str, outbox: Outbox) -> None:
    add(store, crawl, hook(NOBODY, format="discord"))
    tell(store, crawl, "a", "b")
    drain(outbox)
    (first,) = claim(outbox)
    assert claim(outbox) == ()
    finish(outbox, first)
    assert [each.sequence for each in claim(outbox)] == [3]


def test_the_outbox_is_empty_when_its_entries_are_queued(store: CrawlStore, crawl: str, outbox: Outbox) -> None:
    add(store, crawl, hook(NOBODY))
    tell(store, crawl, "a", "b", "c")
    assert outbox.waiting() == [0]
    assert drain(outbox) == 3
    assert outbox.read(0) == []
    assert store.redis.keys("alarum:{p000}:delivery:*")
    assert outbox.waiting() == [0]


def test_a_delivery_that_is_over_leaves_its_log_for_a_while(store: CrawlStore, crawl: str, outbox: Outbox) -> None:
    before = set(all_keys(store.redis))
    add(store, crawl, hook(NOBODY))
    tell(store, crawl, "a")
    drain(outbox)
    (claimed,) = claim(outbox)
    assert finish(outbox, claimed)
    left = {key.decode(): store.redis.ttl(key) for key in set(all_keys(store.redis)) - before}
    week, day = 7 * 24 * 3600, 24 * 3600
    assert left == {
        "alarum:{p000}:outbox": -1,
        f"alarum:{{p000}}:webhooks:{crawl}": -1,
        f"alarum:{{p000}}:delivery:{claimed.id}": week,
        "alarum:{p000}:log:whk_0": week + day,
        "alarum:{p000}:health:whk_0": -1,
    }
    assert outbox.waiting() == []


def test_a_webhook_or_crawl_that_goes_takes_all_with_it(store: CrawlStore, outbox: Outbox) -> None:
    for number, end in enumerate(("webhook", "crawl")):
        crawl = start(store, 256 * number)
        add(store, crawl, hook(NOBODY, number))
        tell(store, crawl, "a", "b", "c", "d")
        drain(outbox)
        done, _ = claim(outbox)
        finish(outbox, done)
        if end == "webhook":
            store.webhooks.delete(crawl, f"whk_{number}")
        else:
            store.delete(crawl)
        names = {key.decode() for key in all_keys(store.redis)}
        assert [name for name in names if "whk" in name or "delivery" in name] == []
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
    put_off(outbox, first, 600)
    (third,) = claim(outbox)
    assert third.id not in (first.id, second.id)
    assert claim(outbox) == ()


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
    assert (again.id, again.event, again.tries) == (lost.id, lost.event, 2)


def test_a_worker_that_wakes_after_its_lease_changes_nothing(
    store: CrawlStore, crawl: str, outbox: Outbox, clock: Clock
) -> None:
    add(store, crawl, hook(NOBODY))
    tell(store, crawl, "a")
    drain(outbox)
    (paused,) = claim(outbox)
    clock.move(LEASE_SECONDS)
    (current,) = claim(outbox)
    assert not finish(outbox, paused)
    assert not put_off(outbox, paused, 5)
    assert claim(outbox) == ()
    assert finish(outbox, current)
    assert not put_off(outbox, paused, 5)
    assert outbox.waiting() == []


def test_a_late_record_counts_when_nobody_else_has_begun(
    store: CrawlStore, crawl: str, outbox: Outbox, clock: Clock
) -> None:
    add(store, crawl, hook(NOBODY))
    tell(store, crawl, "a")
    drain(outbox)
    (late,) = claim(outbox)
    clock.move(LEASE_SECONDS + 100)
    assert finish(outbox, late)
    assert claim(outbox) == ()
    assert outbox.waiting() == []


def test_the_lease_is_longer_than_any_send() -> None:
    assert client.DEADLINE + 5 < LEASE_SECONDS


def test_events_of_a_crawl_that_is_gone_are_dropped(store: CrawlStore, crawl: str, outbox: Outbox) -> None:
    add(store, crawl, hook(NOBODY))
    tell(store, crawl, "a")
    store.delete(crawl)
    assert drain(outbox) == 1
    assert outbox.waiting() == []


def test_a_full_store_still_lets_deliveries_out(store: CrawlStore, crawl: str, outbox: Outbox) -> None:
    add(store, crawl, hook(NOBODY))
    tell(store, crawl, "a", "b")
    config_set(store.redis, "maxmemory", 1)
    try:
        assert drain(outbox) == 2
        for claimed in claim(outbox):
            assert finish(outbox, claimed)
    finally:
        config_set(store.redis, "maxmemory", 0)
    assert outbox.waiting() == []

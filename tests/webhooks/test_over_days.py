"""Days of deliveries on a clock that the test moves, at real receivers."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest

from service.store.cluster import nodes
from service.store.crawls import CrawlStore
from service.store.outbox import LEASE_SECONDS, Outbox
from service.store.records import Delivery
from service.webhooks.schedule import TRIES, WAITS
from service.worker.delivering import deliver
from tests.webhooks.clock import Clock
from tests.webhooks.receivers import Received, answer
from tests.webhooks.telling import LOOPBACK, add, claim, drain, hook, tell

Start = Callable[..., Any]
DAY = 24 * 3600


@pytest.fixture
def outbox(store: CrawlStore, clock: Clock) -> Outbox:
    return Outbox(store.redis, clock.milliseconds)


@pytest.fixture(autouse=True)
def _no_jitter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random, "random", lambda: 0.5)


def work(outbox: Outbox, clock: Clock, seconds: float) -> int:
    """What one worker sends in so many seconds, from one due moment to the next; says how many tries it made."""
    end, tries = clock.at + timedelta(seconds=seconds), 0
    drain(outbox)
    while True:
        claims = outbox.claim(0, 100)
        for claimed in claims.deliveries:
            deliver(outbox, claimed, LOOPBACK, clock.now)
        tries += len(claims.deliveries)
        if claims.deliveries:
            continue
        if claims.following is None or clock.at + timedelta(seconds=claims.following) > end:
            clock.at = end
            return tries
        clock.move(claims.following)


def _not_shown(store: CrawlStore, shown: list[Delivery]) -> list[str]:
    kept = {key.decode().rpartition(":")[2] for key in store.redis.keys("alarum:{p000}:delivery:*")}
    return sorted(kept - {each.id for each in shown})


def log(store: CrawlStore, crawl: str, webhook: str = "whk_0") -> list[Delivery]:
    return store.deliveries.log(crawl, webhook, None, 200)


def test_thirteen_tries_take_three_days(
    store: CrawlStore, crawl: str, outbox: Outbox, clock: Clock, receiver: Start
) -> None:
    there = receiver(500, {}, b"out of order")
    add(store, crawl, hook(there.url))
    tell(store, crawl, "a")
    began = clock.at
    assert work(outbox, clock, 4 * DAY) == TRIES == len(there.got)
    assert len({got.headers["webhook-id"] for got in there.got}) == 1
    assert len({got.body for got in there.got}) == 1
    assert len({got.headers["webhook-signature"] for got in there.got}) == TRIES
    stamps = [int(got.headers["webhook-timestamp"]) for got in there.got]
    assert [later - earlier for earlier, later in pairwise(stamps)] == list(WAITS)
    assert outbox.waiting() == []
    (over,) = log(store, crawl)
    assert (over.id, over.status, over.tries) == (there.got[0].headers["webhook-id"], "failed", TRIES)
    assert over.tried == round((began + timedelta(seconds=sum(WAITS))).timestamp() * 1000)
    assert over.result is not None
    assert over.result["latency_ms"] < 5000
    assert over.result | {"latency_ms": 0} == {
        "status": 500,
        "latency_ms": 0,
        "error": None,
        "reason": "the receiver answered 500",
        "body": "out of order",
    }


@pytest.mark.parametrize(
    ("status", "asked", "seconds"),
    [
        (429, "7200", 7200),
        (503, "7200", 7200),
        (429, "604800", DAY),
        (429, "1", 5),
        (429, "-1", 5),
        (429, "soon", 5),
        (429, "Tue, 01 Dec 2026 19:00:00 GMT", 5),
        (429, "Tue, 01 Dec 2026 21:00:00 GMT", 3600),
        (500, "7200", 5),
    ],
)
def test_the_wait_that_a_receiver_asks_for_is_kept(
    status: int, asked: str, seconds: int, store: CrawlStore, crawl: str, outbox: Outbox, clock: Clock, receiver: Start
) -> None:
    there = receiver(status, {"Retry-After": asked})
    add(store, crawl, hook(there.url))
    tell(store, crawl, "a")
    assert work(outbox, clock, seconds - 0.001) == 1
    there.behave = answer(204)
    assert work(outbox, clock, 0.001) == 1
    assert [each.status for each in log(store, crawl)] == ["delivered"]


def test_a_wait_asked_for_holds_for_all_that_goes_there(
    store: CrawlStore, crawl: str, outbox: Outbox, clock: Clock, receiver: Start
) -> None:
    there = receiver(429, {"Retry-After": "600"})
    add(store, crawl, hook(there.url))
    tell(store, crawl, *"abcdefgh")
    assert work(outbox, clock, 599.9) == 2  # two were on their way together
    there.behave = answer(204)
    assert work(outbox, clock, 1) == 8


def test_a_receiver_that_only_fails_is_probed_and_its_backlog_starts_soon_after_it_is_back(
    store: CrawlStore, crawl: str, outbox: Outbox, clock: Clock, receiver: Start
) -> None:
    there = receiver(502)
    add(store, crawl, hook(there.url))
    tell(store, crawl, *(str(number) for number in range(50)))
    tries = work(outbox, clock, 6 * 3600)
    assert 36 <= tries <= 45  # six an hour, and the five that tripped it
    (health,) = store.deliveries.health(crawl, ["whk_0"])
    assert (health.waiting, health.failures) == (50, tries)
    there.behave = answer(204)
    there.got.clear()
    work(outbox, clock, 600)
    assert len({got.headers["webhook-id"] for got in there.got}) >= 40
    work(outbox, clock, DAY)
    assert {each.status for each in log(store, crawl)} == {"delivered"}
    assert outbox.waiting() == []


def test_one_dead_receiver_costs_others_nothing(
    store: CrawlStore, crawl: str, outbox: Outbox, clock: Clock, receiver: Start
) -> None:
    dead, there = receiver(500), receiver(204)
    add(store, crawl, hook(dead.url, 1))
    add(store, crawl, hook(there.url, 2))
    for turn in range(100):
        tell(store, crawl, str(turn))
        work(outbox, clock, 6)
    assert len(there.got) == 100
    assert len(dead.got) < 30  # ten minutes: the five that trip it, and a few probes


def test_a_webhook_ends_after_five_days_and_twenty_failures(
    store: CrawlStore, crawl: str, outbox: Outbox, clock: Clock, receiver: Start
) -> None:
    there = receiver(500)
    add(store, crawl, hook(there.url))
    for day in range(8):
        tell(store, crawl, str(day))
        work(outbox, clock, DAY)
        webhook = store.webhooks.get(crawl, "whk_0")
        assert webhook is not None
        assert (webhook["status"] == "disabled") == (day >= 5)
    assert "tries in a row have failed over 5 days, at last: the receiver answered 500" in webhook["status_reason"]
    tried = len(there.got)
    work(outbox, clock, DAY)
    assert len(there.got) == tried


def test_one_success_begins_the_five_days_anew(
    store: CrawlStore, crawl: str, outbox: Outbox, clock: Clock, receiver: Start
) -> None:
    there = receiver(500)
    add(store, crawl, hook(there.url))
    for day in range(8):
        there.behave = answer(204 if day == 4 else 500)
        tell(store, crawl, str(day))
        work(outbox, clock, DAY)
    webhook = store.webhooks.get(crawl, "whk_0")
    assert webhook is not None
    assert webhook["status"] == "active"


@pytest.mark.parametrize(
    ("format_", "status", "body"), [("standard", 410, b""), ("discord", 404, b""), ("slack", 403, b"invalid_token")]
)
def test_a_receiver_that_is_gone_is_sent_nothing_more(
    format_: str,
    status: int,
    body: bytes,
    store: CrawlStore,
    crawl: str,
    outbox: Outbox,
    clock: Clock,
    receiver: Start,
) -> None:
    there = receiver(status, {}, body)
    webhook = add(store, crawl, hook(there.url, format=format_))
    tell(store, crawl, "a", "b", "c", "d")
    work(outbox, clock, DAY)
    assert len(there.got) <= 2
    ended = store.webhooks.get(crawl, "whk_0")
    assert ended is not None
    assert ended == webhook | {"status": "disabled", "status_reason": ended["status_reason"]}
    assert str(status) in ended["status_reason"] or "invalid_token" in ended["status_reason"]
    there.behave = answer(204)
    there.got.clear()
    store.webhooks.change(crawl, "whk_0", ended, webhook, afresh=True)
    work(outbox, clock, 60)
    assert sorted(each.status for each in log(store, crawl)).count("delivered") == len(there.got) >= 2


def test_410_does_not_end_a_webhook_that_was_changed_meanwhile(
    store: CrawlStore, crawl: str, outbox: Outbox, clock: Clock, receiver: Start
) -> None:
    there = receiver(204)
    old = add(store, crawl, hook(receiver(410).url))
    tell(store, crawl, "a")
    drain(outbox)
    (claimed,) = claim(outbox)
    store.webhooks.change(crawl, "whk_0", old, old | {"url": there.url})
    deliver(outbox, claimed, LOOPBACK, clock.now)
    work(outbox, clock, 1)
    assert [each.status for each in log(store, crawl)] == ["delivered"]


def test_what_happens_during_a_pause_is_sent_after_it(
    store: CrawlStore, crawl: str, outbox: Outbox, clock: Clock, receiver: Start
) -> None:
    there = receiver(500)
    webhook = add(store, crawl, hook(there.url))
    tell(store, crawl, "before")
    work(outbox, clock, 1)
    paused = webhook | {"status": "paused"}
    store.webhooks.change(crawl, "whk_0", webhook, paused, afresh=True)
    tell(store, crawl, "meanwhile")
    there.behave = answer(204)
    assert work(outbox, clock, 6 * DAY) == 0
    store.webhooks.change(crawl, "whk_0", paused, webhook, afresh=True)
    assert work(outbox, clock, 1) == 2
    assert [each.status for each in log(store, crawl)] == ["delivered", "delivered"]


def test_a_long_pause_keeps_the_newest_200(
    store: CrawlStore, crawl: str, outbox: Outbox, clock: Clock, receiver: Start
) -> None:
    there = receiver(204)
    paused = add(store, crawl, hook(there.url, status="paused"))
    for part in range(5):
        tell(store, crawl, *(f"{part}-{number}" for number in range(50)))
        drain(outbox)
    assert len(store.redis.keys("alarum:{p000}:delivery:*")) == 200
    store.webhooks.change(crawl, "whk_0", paused, paused | {"status": "active"})
    assert work(outbox, clock, 1) == 200
    assert [each.sequence for each in log(store, crawl)][:2] == [251, 250]


def test_a_log_shows_the_newest_200(
    store: CrawlStore, crawl: str, outbox: Outbox, clock: Clock, receiver: Start
) -> None:
    add(store, crawl, hook(receiver(204).url))
    for part in range(5):
        tell(store, crawl, *(f"{part}-{number}" for number in range(50)))
        work(outbox, clock, 1)
    shown = log(store, crawl)
    assert [each.sequence for each in shown] == list(range(251, 51, -1))
    assert store.redis.zcard("alarum:{p000}:log:whk_0") == 200
    # That the others have arrived stays known, so that they are not recovered.
    old = [replace(each, id=id_) for each, id_ in zip(shown, _not_shown(store, shown), strict=False)]
    assert len(old) == 50
    assert store.deliveries.again(crawl, "whk_0", old, "failed") == (0, None)


def test_a_delivery_that_no_worker_survives_is_given_up(
    store: CrawlStore, crawl: str, outbox: Outbox, clock: Clock, receiver: Start
) -> None:
    there = receiver(204)
    add(store, crawl, hook(there.url))
    tell(store, crawl, "a")
    drain(outbox)
    for _ in range(TRIES):
        assert len(claim(outbox)) == 1
        clock.move(LEASE_SECONDS)
    work(outbox, clock, 1)
    assert there.got == []
    (over,) = log(store, crawl)
    assert (over.status, (over.result or {})["reason"]) == ("failed", "its tries ended without a record")
    assert outbox.waiting() == []


def test_an_event_that_is_no_longer_kept_is_given_up(
    store: CrawlStore, crawl: str, outbox: Outbox, clock: Clock, receiver: Start
) -> None:
    there = receiver(204)
    add(store, crawl, hook(there.url))
    tell(store, crawl, "a")
    drain(outbox)
    store.redis.xtrim(f"alarum:{{p000}}:events:{crawl}", maxlen=0)
    work(outbox, clock, 1)
    assert there.got == []
    assert [(each.result or {})["reason"] for each in log(store, crawl)] == ["the event is no longer kept"]


def test_discord_is_sent_no_more_than_it_says_it_takes(
    store: CrawlStore, crawl: str, outbox: Outbox, clock: Clock, receiver: Start
) -> None:
    """Five in two seconds, told by its headers, and in fractions of a second where it was not heeded."""
    came: list[float] = []

    def limited(connection: Any, request: Received) -> None:
        now = clock.at.timestamp()
        came.append(now)
        window = [at for at in came if now - at < 2]
        if len(window) > 5:
            answer(429, {}, b'{"message": "slow down", "retry_after": 0.75, "global": false}')(connection, request)
        else:
            left = {"X-RateLimit-Remaining": str(5 - len(window)), "X-RateLimit-Reset-After": "2.0"}
            answer(200, left, b"{}")(connection, request)

    there = receiver(behave=limited)
    add(store, crawl, hook(there.url, format="discord"))
    tell(store, crawl, *(str(number) for number in range(30)))
    began = clock.at
    tries = work(outbox, clock, 60)
    assert tries == 30  # none was refused
    assert max(came) - began.timestamp() == pytest.approx(10, abs=1)
    assert {each.status for each in log(store, crawl)} == {"delivered"}


def test_a_sent_again_delivery_keeps_its_id_and_waits_once(
    store: CrawlStore, crawl: str, outbox: Outbox, clock: Clock, receiver: Start
) -> None:
    there = receiver(500)
    add(store, crawl, hook(there.url))
    tell(store, crawl, "a")
    work(outbox, clock, 1)
    there.behave = answer(204)
    (waiting,) = log(store, crawl)
    for _ in range(2):
        assert store.deliveries.again(crawl, "whk_0", [waiting], "any") == (0, None)
    clock.at = clock.at.fromtimestamp(
        nodes(store.redis)[0].time()[0] + 60, clock.at.tzinfo
    )  # it was brought forward to now
    assert work(outbox, clock, 60) == 1
    (over,) = log(store, crawl)
    assert (over.status, over.tries) == ("delivered", 2)
    assert store.deliveries.again(crawl, "whk_0", [over], "failed") == (0, None)
    assert store.deliveries.again(crawl, "whk_0", [over], "any") == (1, None)
    clock.move(120)
    assert work(outbox, clock, 60) == 1
    assert {got.headers["webhook-id"] for got in there.got} == {over.id}
    assert len(there.got) == 3


def test_a_wait_asked_for_outlasts_an_answer_that_was_on_its_way(
    store: CrawlStore, crawl: str, outbox: Outbox, clock: Clock, receiver: Start
) -> None:
    there = receiver(429, {"Retry-After": "60"})
    add(store, crawl, hook(there.url))
    tell(store, crawl, *"abcd")
    drain(outbox)
    first, second = claim(outbox)
    deliver(outbox, first, LOOPBACK, clock.now)
    there.behave = answer(204)
    deliver(outbox, second, LOOPBACK, clock.now)
    assert work(outbox, clock, 59.9) == 0
    assert work(outbox, clock, 1) == 3

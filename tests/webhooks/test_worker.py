"""The worker sends what is committed at once, stops when told, and outlives whatever happens to it or the store."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from standardwebhooks.webhooks import Webhook

from service.store.crawls import CrawlStore
from service.store.embedded import EmbeddedStore
from service.store.keys import WAKE
from service.store.opening import open_store
from service.store.outbox import LEASE_SECONDS, Outbox
from service.worker.loop import Worker
from tests.store.everywhere import forget_everything, forget_scripts, listeners
from tests.webhooks.receivers import Received, answer
from tests.webhooks.telling import LOOPBACK, add, crawl_id, encounter, eventually, hook, start, tell

Start = Callable[..., Any]


@contextmanager
def working(store: CrawlStore, outbox: Outbox | None = None, **more: Any) -> Iterator[Worker]:
    """A worker in this process, from when it listens."""
    worker = Worker(outbox or Outbox(store.redis), LOOPBACK, **more)
    before = listeners(store.redis, WAKE)
    thread = threading.Thread(target=worker.run)
    thread.start()
    try:
        eventually(lambda: listeners(store.redis, WAKE) > before)
        yield worker
    finally:
        worker.stop()
        thread.join(20)
        assert not thread.is_alive()
        # Its listener hears of the stop a moment later; the next test counts listeners.
        eventually(lambda: listeners(store.redis, WAKE) <= before)


@contextmanager
def process(url: str) -> Iterator[subprocess.Popen[bytes]]:
    """The worker as a process of its own."""
    code = "import sys; from service import worker; from service.settings import read_settings; "
    code += "worker.run(sys.argv[1], read_settings({'ALARUM_WEBHOOK_ALLOW': '127.0.0.0/8'}))"
    child = subprocess.Popen([sys.executable, "-c", code, url], cwd=Path(__file__).parents[2])
    try:
        yield child
    finally:
        child.kill()
        child.wait()


def ids(received: list[Received]) -> Counter[str]:
    return Counter(got.headers["webhook-id"] for got in received)


def test_what_is_committed_arrives_signed_within_a_moment(store: CrawlStore, receiver: Start) -> None:
    there = receiver(204)
    crawl = start(store)
    webhook = add(store, crawl, hook(there.url))
    with working(store):
        tell(store, crawl, "enc_1")
        began = time.monotonic()
        (got,) = there.wait_for(1)
        assert got.at - began < 1
        eventually(lambda: Outbox(store.redis).waiting() == [])
    told = Webhook(webhook["secret"]).verify(got.body, dict(got.headers))
    assert told == {
        "id": f"evt_{crawl}_enc_1",
        "type": "encounter.triggered",
        "timestamp": "2026-12-01T20:00:00.000Z",
        "crawl": crawl,
        "sequence": 2,
        "data": {"encounter": encounter("enc_1"), "alert_level": 3},
    }


def test_what_was_committed_while_no_worker_ran_is_sent_when_one_starts(store: CrawlStore, receiver: Start) -> None:
    there = receiver(204)
    for number in (0, 3, 255):
        add(store, start(store, number), hook(there.url, number))
        tell(store, crawl_id(number), "a", "b")
    with working(store):
        there.wait_for(6)


def test_a_missed_signal_is_made_up_for_by_the_sweep(
    store: CrawlStore, receiver: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.worker.loop.SWEEP_SECONDS", 0.2)
    there = receiver(204)
    crawl = start(store)
    add(store, crawl, hook(there.url))
    told = b'{"id":"evt_1","type":"encounter.triggered","timestamp":"t","crawl":"c","data":{}}'
    with working(store):
        entry: dict[Any, Any] = {"crawl": crawl, "event": "evt_1", "type": "encounter.triggered", "seq": 2, "pseq": ""}
        store.redis.xadd(f"alarum:{{p000}}:events:{crawl}", {"e": told}, "2-0")
        store.redis.xadd("alarum:{p000}:outbox", entry)
        there.wait_for(1)


def test_two_workers_send_nothing_twice(store: CrawlStore, receiver: Start) -> None:
    there = receiver(204)
    for number in range(20):
        add(store, start(store, number), hook(there.url, number))
    with working(store), working(store):
        for turn in range(10):
            for number in range(20):
                tell(store, crawl_id(number), f"enc_{turn}")
        there.wait_for(200, seconds=30)
        eventually(lambda: Outbox(store.redis).waiting() == [])
    assert len(ids(there.got)) == len(there.got) == 200


def test_a_receiver_that_hangs_holds_up_nobody_else(store: CrawlStore, receiver: Start) -> None:
    release = threading.Event()
    slow = receiver(behave=lambda *_: release.wait(20))
    fast = receiver(204)
    for number in range(4):
        add(store, start(store, number), hook(slow.url, number))
    add(store, start(store, 100), hook(fast.url, 100))
    with working(store, senders=12):
        try:
            for number in range(4):
                tell(store, crawl_id(number), *(str(each) for each in range(10)))
            slow.wait_for(8)
            tell(store, crawl_id(100), *(str(each) for each in range(20)))
            fast.wait_for(20)
            assert slow.most_open == 8
        finally:
            release.set()


def test_when_all_senders_are_busy_the_rest_waits_for_one(store: CrawlStore, receiver: Start) -> None:
    there = receiver(204)
    for number in range(30):
        add(store, start(store, number), hook(there.url, number))
        tell(store, crawl_id(number), "a", "b", "c")
    with working(store, senders=1):
        there.wait_for(90, seconds=30)
    assert there.most_open == 1


def test_a_failure_is_tried_again_and_logged_without_the_url(
    store: CrawlStore, receiver: Start, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("service.webhooks.schedule.WAITS", (0.05,) * 12)
    there = receiver(behave=lambda *told: answer(500 if len(there.got) < 3 else 204)(*told))
    crawl = start(store)
    add(store, crawl, hook(there.url))
    with working(store):
        tell(store, crawl, "a")
        there.wait_for(3)
        eventually(lambda: Outbox(store.redis).waiting() == [])
    assert list(ids(there.got).values()) == [3]
    lines = [record.getMessage() for record in caplog.records if record.name == "alarum.worker"]
    assert len(lines) == 2
    assert "whk_0" in lines[0]
    assert "500" in lines[0]
    assert "s3cret" not in caplog.text
    assert str(there.port) not in caplog.text


def test_a_worker_killed_between_sending_and_recording_sends_again_with_the_same_id(
    store: CrawlStore, store_url: str, receiver: Start
) -> None:
    killed = threading.Event()

    def hold(connection: Any, request: Received) -> None:
        killed.wait(20)
        answer(204)(connection, request)

    there = receiver(behave=hold)
    crawl = start(store)
    add(store, crawl, hook(there.url))
    with process(store_url) as child:
        tell(store, crawl, "a")
        there.wait_for(1)
        child.kill()
        child.wait()
    killed.set()
    there.behave = answer(204)
    later = Outbox(store.redis, lambda: round((time.time() + LEASE_SECONDS) * 1000))
    with working(store, later):
        there.wait_for(2)
        eventually(lambda: later.waiting() == [])
    assert list(ids(there.got).values()) == [2]
    assert there.got[0].body == there.got[1].body


def test_a_worker_told_to_stop_finishes_what_it_is_sending(store: CrawlStore, store_url: str, receiver: Start) -> None:
    told = threading.Event()

    def hold(connection: Any, request: Received) -> None:
        told.wait(20)
        answer(204)(connection, request)

    there = receiver(behave=hold)
    crawl = start(store)
    add(store, crawl, hook(there.url))
    with process(store_url) as child:
        tell(store, crawl, "a", "b", "c")
        there.wait_for(2)
        child.send_signal(signal.SIGTERM)
        told.set()
        assert child.wait(10) == 0
    assert len(there.got) == 2
    assert store.redis.zcard("alarum:{p000}:flight:whk_0") == 0
    assert store.redis.zcard("alarum:{p000}:queue:whk_0") == 1


def test_an_idle_worker_stops_at_once(store: CrawlStore, store_url: str) -> None:
    with process(store_url) as child:
        eventually(lambda: listeners(store.redis, WAKE))
        began = time.monotonic()
        child.send_signal(signal.SIGTERM)
        assert child.wait(10) == 0
        assert time.monotonic() - began < 2


def test_a_store_that_forgets_everything_or_its_scripts_stops_nothing(store: CrawlStore, receiver: Start) -> None:
    there = receiver(204)
    with working(store):
        for count in (1, 2):
            forget_everything(store.redis)
            forget_scripts(store.redis)
            crawl = start(store)
            add(store, crawl, hook(there.url))
            tell(store, crawl, "a")
            there.wait_for(count)


@pytest.fixture
def own_store(tmp_path: Path) -> Iterator[EmbeddedStore]:
    """A server of the test's own, to be killed."""
    server = EmbeddedStore(tmp_path / "data")
    server.start()
    yield server
    server.stop()


def test_a_store_that_dies_and_comes_back_loses_nothing(own_store: EmbeddedStore, receiver: Start) -> None:
    store = open_store(own_store.url)
    dead = threading.Event()

    def hold(connection: Any, request: Received) -> None:
        dead.wait(20)
        answer(204)(connection, request)

    there = receiver(behave=hold)
    crawl = start(store)
    add(store, crawl, hook(there.url))
    with working(store):
        tell(store, crawl, "a", "b", "c")
        there.wait_for(2)
        assert own_store.pid is not None
        os.kill(own_store.pid, signal.SIGKILL)
        eventually(lambda: not own_store.alive())
        dead.set()
        eventually(lambda: there.open == 0)  # answered, and nowhere to record it
        own_store.restart()
        there.wait_for(3)
        tell(store, crawl, "d")
        there.wait_for(4)
        eventually(lambda: Outbox(store.redis).waiting() == [])
    assert list(ids(there.got).values()) == [1, 1, 1, 1]
    store.redis.close()

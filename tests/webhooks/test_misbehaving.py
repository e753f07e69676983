"""What the log of deliveries shows of receivers that misbehave, on a clock that stands still while they do."""

from __future__ import annotations

import gzip
import random
import socket
from collections.abc import Callable
from typing import Any

import pytest

from service.store.crawls import CrawlStore
from service.store.outbox import Outbox
from service.store.records import Delivery
from service.webhooks import client
from service.worker.delivering import deliver
from tests.webhooks.clock import Clock
from tests.webhooks.manners import dripping, flooding, resetting
from tests.webhooks.receivers import Behaviour, Receiver
from tests.webhooks.telling import LOOPBACK, add, claim, crawl_id, drain, hook, start, tell

Start = Callable[..., Receiver]

OK = b"HTTP/1.1 200 OK\r\n"
HOUR, DAY = 3600, 24 * 3600
METADATA = "http://169.254.169.254/latest/meta-data/"


@pytest.fixture(autouse=True)
def _quick_and_without_jitter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(client.send.__kwdefaults__, "deadline", 0.5)
    monkeypatch.setattr(random, "random", lambda: 0.5)


@pytest.fixture
def connected(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The addresses that sockets connect to from now on."""
    addresses: list[Any] = []
    connect = socket.socket.connect

    def noting(self: socket.socket, address: Any) -> None:
        addresses.append(address)
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", noting)
    return addresses


def tried(store: CrawlStore, url: str) -> Delivery:
    """A delivery after its first try there."""
    clock = Clock()
    outbox = Outbox(store.redis, clock.milliseconds)
    crawl = start(store)
    add(store, crawl, hook(url))
    tell(store, crawl, "a")
    drain(outbox)
    (claimed,) = claim(outbox)
    deliver(outbox, claimed, LOOPBACK, clock.now)
    (shown,) = store.deliveries.log(crawl, "whk_0", None, 10)
    return shown


def assert_waits(shown: Delivery, seconds: float, **result: Any) -> None:
    """It is tried again after so many seconds, and its result says so."""
    assert (shown.status, shown.tries) == ("waiting", 1)
    assert shown.tried is not None and shown.next_at == shown.tried + seconds * 1000
    assert shown.result is not None and shown.result | result == shown.result


@pytest.mark.parametrize(
    "behave",
    [
        dripping(b"", b""),
        dripping(b"", b"H"),
        dripping(OK + b"X-Slow: ", b"a"),
        dripping(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    ],
    ids=["slow", "a dripping status", "dripping headers", "continuing for ever"],
)
def test_no_answer_in_time_is_a_timeout(store: CrawlStore, receiver: Start, behave: Behaviour) -> None:
    shown = tried(store, receiver(behave=behave).url)
    assert_waits(shown, 5, status=None, error="timeout", reason="timeout", body="")


def test_a_handshake_that_hangs_is_a_timeout(store: CrawlStore) -> None:
    with socket.create_server(("127.0.0.1", 0)) as hanging:
        shown = tried(store, f"https://127.0.0.1:{hanging.getsockname()[1]}/hook")
    assert_waits(shown, 5, status=None, error="timeout", reason="timeout")


def test_a_receiver_that_is_down_is_unreachable(store: CrawlStore, receiver: Start) -> None:
    down = receiver(204)
    down.close()
    assert_waits(tried(store, down.url), 5, status=None, error="unreachable", reason="unreachable")


def test_one_that_hangs_up_without_an_answer_is_disconnected(store: CrawlStore, receiver: Start) -> None:
    shown = tried(store, receiver(behave=resetting(b"")).url)
    assert_waits(shown, 5, status=None, error="disconnected", reason="disconnected")


@pytest.mark.parametrize(
    "behave",
    [dripping(OK + b"Content-Length: 99999\r\n\r\n", b"a"), resetting(OK + b"Content-Length: 99999\r\n\r\nab")],
    ids=["a dripping body", "a reset"],
)
def test_2xx_has_arrived_whatever_comes_after(store: CrawlStore, receiver: Start, behave: Behaviour) -> None:
    there = receiver(behave=behave)
    shown = tried(store, there.url)
    assert (shown.status, shown.tries, shown.next_at, len(there.got)) == ("delivered", 1, None, 1)


@pytest.mark.parametrize("status", [200, 500])
@pytest.mark.parametrize("length", [b"Content-Length: 1000000000\r\n\r\n", b"\r\n"], ids=["told", "untold"])
def test_of_a_gigabyte_64_kib_are_read(store: CrawlStore, receiver: Start, status: int, length: bytes) -> None:
    sent: list[int] = []
    shown = tried(store, receiver(behave=flooding(b"HTTP/1.1 %d Told\r\n" % status + length, sent)).url)
    assert (shown.status, (shown.result or {})["body"]) == ("delivered" if status == 200 else "waiting", "a" * 1024)
    assert sum(sent) < 512 * 1024  # what was read, and what two sockets hold


def test_a_gzip_bomb_stays_packed(store: CrawlStore, receiver: Start) -> None:
    bomb = gzip.compress(b"a" * 50_000_000, 1)
    shown = tried(store, receiver(500, {"Content-Encoding": "gzip"}, bomb).url)
    assert_waits(shown, 5, status=500, reason="the receiver answered 500")
    assert "aaaa" not in (shown.result or {})["body"]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_followed_nowhere(store: CrawlStore, receiver: Start, connected: list[Any], status: int) -> None:
    there = receiver(status, {"Location": METADATA})
    shown = tried(store, there.url)
    why = f"the receiver answered {status}, and redirects are not followed"
    assert_waits(shown, 5, status=status, error=None, reason=why)
    assert len(there.got) == 1
    assert [address for address in connected if isinstance(address, tuple)] == [("127.0.0.1", there.port)]


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(
    ("asked", "seconds"),
    [
        ("7200", 2 * HOUR),
        ("  60", 60),
        ("1", 5),
        ("0", 5),
        ("", 5),
        ("-60", 5),
        ("+60", 5),
        ("6e3", 5),
        ("60.5", 5),
        ("60, 90", 5),
        ("soon", 5),
        ("86401", DAY),
        ("9" * 300, DAY),
        ("Tue, 01 Dec 2026 21:00:00 GMT", HOUR),
        ("Tuesday, 01-Dec-26 21:00:00 GMT", HOUR),
        ("Tue Dec  1 21:00:00 2026", HOUR),
        ("Tue, 01 Dec 2026 23:00:00 +0200", HOUR),
        ("Tue, 01 Dec 2026 19:00:00 GMT", 5),
        ("Fri, 01 Jan 2077 00:00:00 GMT", DAY),
        ("Tue, 99 Dec 2026 99:00:00 GMT", 5),
    ],
)
def test_every_kind_of_retry_after(store: CrawlStore, receiver: Start, status: int, asked: str, seconds: float) -> None:
    shown = tried(store, receiver(status, {"Retry-After": asked}).url)
    assert_waits(shown, seconds, status=status, reason=f"the receiver answered {status}")


def test_without_retry_after_the_schedule_says_when(store: CrawlStore, receiver: Start) -> None:
    assert_waits(tried(store, receiver(429).url), 5, status=429)


def test_410_ends_the_delivery_and_its_webhook(store: CrawlStore, receiver: Start) -> None:
    shown = tried(store, receiver(410).url)
    assert (shown.status, shown.next_at) == ("failed", None)
    webhook = store.webhooks.get(crawl_id(), "whk_0")
    assert webhook is not None
    assert (webhook["status"], webhook["status_reason"]) == ("disabled", "the receiver answered 410 Gone")

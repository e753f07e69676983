"""A send is one POST: signed headers, no redirect, no proxy, and over by the deadline whatever the receiver does."""

from __future__ import annotations

import socket
import ssl
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from service import __version__
from service.webhooks import addresses, client
from tests.webhooks.manners import dripping, flooding

LOOPBACK = addresses.networks("127.0.0.0/8")
Start = Callable[..., Any]


def send(url: str, deadline: float = 5.0, **more: Any) -> client.Verdict:
    return client.send(url, b'{"id":"evt_1"}', {"webhook-id": "msg_1"}, LOOPBACK, deadline=deadline, **more)


def test_the_receiver_gets_the_body_and_the_headers_and_its_answer_is_the_verdict(receiver: Start) -> None:
    there = receiver(200, {"Content-Type": "text/plain"}, b"thank you")
    verdict = send(there.url + "?a=b")
    (got,) = there.got
    assert (got.target, got.body) == ("/hook/s3cret?a=b", b'{"id":"evt_1"}')
    assert got.headers["webhook-id"] == "msg_1"
    assert got.headers["user-agent"] == f"Alarum/{__version__}"
    assert got.headers["host"] == f"127.0.0.1:{there.port}"
    assert (verdict.status, verdict.delivered, verdict.error, verdict.snippet) == (200, True, None, "thank you")
    assert 0 <= verdict.latency_ms < 5000


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("elsewhere", ["http://169.254.169.254/latest/", "own"])
def test_a_redirect_is_a_failure_and_is_not_followed(receiver: Start, status: int, elsewhere: str) -> None:
    aim = receiver(204)
    there = receiver(status, {"Location": aim.url if elsewhere == "own" else elsewhere})
    verdict = send(there.url)
    assert (verdict.status, verdict.delivered) == (status, False)
    assert (len(there.got), len(aim.got)) == (1, 0)


@pytest.mark.parametrize(
    ("first", "drop"),
    [
        (b"", b"H"),
        (b"HTTP/1.1 200 OK\r\nX-Slow: ", b"a"),
        (b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 100 Continue\r\n\r\n"),
        (b"", b""),
    ],
    ids=["status line", "header", "continue", "silence"],
)
def test_headers_that_drip_are_cut_at_the_deadline(receiver: Start, first: bytes, drop: bytes) -> None:
    there = receiver(behave=dripping(first, drop))
    began = time.monotonic()
    verdict = send(there.url, deadline=0.6)
    assert time.monotonic() - began == pytest.approx(0.6, abs=0.3)
    assert (verdict.status, verdict.error) == (None, "timeout")


def test_a_body_that_drips_is_cut_at_the_deadline_and_the_status_counts(receiver: Start) -> None:
    there = receiver(behave=dripping(b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n", b"a"))
    began = time.monotonic()
    verdict = send(there.url, deadline=0.6)
    assert time.monotonic() - began == pytest.approx(0.6, abs=0.3)
    assert (verdict.status, verdict.delivered) == (200, True)


def test_a_handshake_that_never_comes_is_cut_at_the_deadline() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        began = time.monotonic()
        verdict = send(f"https://127.0.0.1:{silent.getsockname()[1]}/", deadline=0.6)
    assert time.monotonic() - began == pytest.approx(0.6, abs=0.3)
    assert (verdict.status, verdict.error) == (None, "timeout")


def test_a_handshake_that_drips_is_cut_at_the_deadline(receiver: Start) -> None:
    def handshake_forever(connection: socket.socket, _: Any) -> None:
        raise AssertionError("a TLS hello is no request")

    there = receiver(behave=handshake_forever)
    there._serve = lambda connection: drip_records(connection)
    began = time.monotonic()
    verdict = send(f"https://127.0.0.1:{there.port}/", deadline=0.6)
    assert time.monotonic() - began == pytest.approx(0.6, abs=0.3)
    assert (verdict.status, verdict.error) == (None, "timeout")


def drip_records(connection: socket.socket) -> None:
    """A TLS record of 16 KiB announced, of which a byte comes now and again."""
    with connection:
        try:
            connection.sendall(b"\x16\x03\x03\x40\x00\x02\x00\x3f\xfc")
            while True:
                connection.sendall(b"\x00")
                time.sleep(0.05)
        except OSError:
            return


def test_a_connection_that_nobody_takes_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "CONNECT", 0.3)
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        port = full.getsockname()[1]
        waiting = [socket.socket() for _ in range(4)]
        try:
            for each in waiting:
                each.setblocking(False)
                each.connect_ex(("127.0.0.1", port))
            began = time.monotonic()
            verdict = send(f"http://127.0.0.1:{port}/")
            assert time.monotonic() - began < 2
            assert (verdict.status, verdict.error) == (None, "unreachable")
        finally:
            for each in waiting:
                each.close()


def test_dns_that_does_not_answer_is_cut_at_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: time.sleep(1) or [])
    began = time.monotonic()
    verdict = send("https://gm.example/", deadline=0.3)
    assert time.monotonic() - began == pytest.approx(0.3, abs=0.2)
    assert (verdict.status, verdict.error) == (None, "unreachable")


@pytest.mark.parametrize("length", [b"Content-Length: 1000000000\r\n\r\n", b"\r\n"])
def test_of_an_endless_body_64_kib_are_read_and_1_kib_is_kept(receiver: Start, length: bytes) -> None:
    sent: list[int] = []
    verdict = send(receiver(behave=flooding(b"HTTP/1.1 200 OK\r\n" + length, sent)).url)
    assert (verdict.status, verdict.snippet) == (200, "a" * 1024)
    assert verdict.latency_ms < 3000
    assert sum(sent) < 512 * 1024  # what was read, and what two sockets hold


def test_a_packed_body_is_not_unpacked(receiver: Start) -> None:
    import gzip

    there = receiver(200, {"Content-Encoding": "gzip"}, gzip.compress(b"a" * 10_000_000))
    verdict = send(there.url)
    assert verdict.status == 200
    assert "aaaa" not in verdict.snippet
    assert there.got[0].headers["accept-encoding"] == "identity"


def test_control_characters_of_an_answer_are_made_harmless(receiver: Start) -> None:
    verdict = send(receiver(500, {}, b"\x1b[31mred\x00\x7f \xff \xe2\x80\xae ok\n").url)
    assert verdict.snippet == "\ufffd[31mred\ufffd\ufffd \ufffd \ufffd ok\n"


def test_a_status_counts_though_the_body_breaks_off(receiver: Start) -> None:
    there = receiver(
        behave=lambda connection, _: connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nab")
    )
    assert send(there.url).delivered


@pytest.mark.parametrize(
    "told",
    [
        b"",
        b"SSH-2.0-OpenSSH_9\r\n",
        b"HTTP/1.1 abc OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 500 + b"\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * 70_000 + b"\r\n\r\n",
        b"HTTP/9.9 200 OK\r\n\r\n",
    ],
)
def test_what_is_no_answer_is_a_failure(receiver: Start, told: bytes) -> None:
    there = receiver(behave=lambda connection, _: connection.sendall(told))
    assert (send(there.url).status, send(there.url).error) == (None, "disconnected")


def test_the_headers_that_ask_for_a_wait_are_handed_on_and_no_others(receiver: Start) -> None:
    asking = {"Retry-After": "Tue, 01 Dec 2026 20:00:00 GMT", "X-RateLimit-Remaining": "0", "Set-Cookie": "a=b"}
    verdict = send(receiver(429, asking | {"X-RateLimit-Reset-After": "9" * 1000}).url)
    assert verdict.headers == {
        "retry-after": "Tue, 01 Dec 2026 20:00:00 GMT",
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset-after": "9" * 256,
    }
    assert send(receiver(429).url).headers == {}


def test_proxies_of_the_environment_see_nothing(receiver: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    proxy, there = receiver(502), receiver(204)
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
    assert send(there.url).status == 204
    assert client.send("http://gm.invalid/", b"{}", {}).error == "unreachable"
    assert proxy.got == []


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for localhost that signs itself, with its key beside it."""
    pem = tmp_path_factory.mktemp("tls") / "own.pem"
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    options = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *names]
    subprocess.run(
        ["openssl", "req", *options, "-keyout", str(pem.with_suffix(".key")), "-out", str(pem)],
        check=True,
        capture_output=True,
    )
    return pem


@pytest.fixture
def over_tls(receiver: Start, authority: Path) -> Start:
    def start(*told: Any) -> Any:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(authority, authority.with_suffix(".key"))
        there = receiver(*told)
        plain = there._serve

        def serve(connection: socket.socket) -> None:
            try:
                plain(context.wrap_socket(connection, server_side=True))
            except OSError:
                connection.close()

        there._serve = serve
        return there

    return start


def test_over_tls_the_certificate_must_be_known_and_name_the_host(over_tls: Start, authority: Path) -> None:
    there = over_tls(204)
    known = ssl.create_default_context(cafile=str(authority))
    assert send(f"https://localhost:{there.port}/", tls=known).status == 204
    assert send(f"https://localhost:{there.port}/").error == "tls"
    assert send(f"https://127.0.0.1:{there.port}/", tls=known).error == "tls"
    assert len(there.got) == 1

"""One POST to a receiver, under the guard: never redirected, never through a proxy, over in fifteen seconds.

Each send has a connection of its own. urllib3's pools would follow redirects and retry unless told otherwise, and keep
sockets that were checked long ago; here is nothing to tell otherwise.
"""

from __future__ import annotations

import functools
import socket
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Any

from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError
from urllib3.response import BaseHTTPResponse

from service import __version__
from service.webhooks import guard
from service.webhooks.addresses import Networks
from service.webhooks.deadline import Cord

DEADLINE = 15.0
"""Seconds for a whole send: DNS, connecting, TLS, headers and body."""
CONNECT = 3.0
"""Seconds that one address has to take the connection."""
READ = 64 * 1024
KEPT = 1024
HEADERS = ("retry-after", "x-ratelimit-")
"""What the names of the headers that a verdict keeps begin with."""
USER_AGENT = f"Alarum/{__version__}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a receiver made of a message.

    `status` is its HTTP status, None when it gave none; then `error` says why in a word that is fit for a GM:
    "unreachable" (no such host, refused, or an address that webhooks may not reach: it does not tell which),
    "timeout", "tls", "disconnected" or "bad_url". `latency_ms` is how long all of it took. `headers` are those that
    ask for a wait (`HEADERS`), by name in lower case, each cut to 256 characters. `snippet` is the start of the
    answer's body, at most 1 KiB. `detail` is for the operator's log only.
    """

    status: int | None
    latency_ms: int
    error: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    snippet: str = ""
    detail: str = ""

    @property
    def delivered(self) -> bool:
        """A 2xx status; what happens to the answer's body afterwards takes nothing back."""
        return self.status is not None and 200 <= self.status < 300


def send(
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    allow: Networks = (),
    *,
    deadline: float = DEADLINE,
    tls: ssl.SSLContext | None = None,
) -> Verdict:
    """POST `body` to `url` and say what came of it; raises nothing.

    `allow` are the operator's networks (`addresses.networks("127.0.0.0/8")`): what lies in them may be reached though
    it is private, and over plain http. `tls` replaces the system's certificate authorities.
    """
    began = time.monotonic()
    try:
        parts = guard.verify_url(url)
    except guard.BadUrl as refusal:
        return Verdict(None, 0, error="bad_url", detail=str(refusal))
    call = _Call(allow, plain=parts.scheme == "http", until=began + deadline)
    line = _line(call, parts, tls)
    status: int | None = None
    error: str | None = None
    asked: Mapping[str, str] = {}
    snippet = detail = ""
    try:
        told = {**headers, "User-Agent": USER_AGENT, "Connection": "close"}
        line.request("POST", parts.request_uri, body, told, preload_content=False, decode_content=False)
        answer = line.getresponse()
        call.left()  # http.client takes headers that were cut off for headers that end
        status, asked = answer.status, _asked(answer)
        snippet = _start_of(answer)
    except _FAILURES as failure:
        if status is None:
            error, detail = call.told(failure), f"{type(failure).__name__}: {failure}"
    finally:
        call.end()
        line.close()
    return Verdict(status, round((time.monotonic() - began) * 1000), error, asked, snippet, detail)


_FAILURES = (guard.AddressRefused, OSError, HTTPError, HTTPException, ValueError)
"""What a stranger's server can provoke: a failed delivery, never a failure of ours."""


class _Call:
    """One send's connection: where it may go to, and the moment at which it is cut."""

    def __init__(self, allow: Networks, plain: bool, until: float) -> None:
        self._allow, self._plain, self._until = allow, plain, until
        self._cord: Cord | None = None

    def connect(self, host: str, port: int) -> socket.socket:
        """A socket to the first address of `host` that takes the connection, with the deadline tied to it."""
        found = guard.resolve(host, port, self._allow, plain=self._plain, seconds=self.left())
        failure: OSError = OSError(f"{host} has no address")
        for family, address in found[:4]:
            sock = socket.socket(family, socket.SOCK_STREAM)
            try:
                sock.settimeout(min(CONNECT, self.left()))
                sock.connect(address)
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                sock.settimeout(self.left())
                self._cord = Cord(sock, self._until)
                return sock
            except OSError as error:
                sock.close()
                failure = error
        raise failure

    def told(self, failure: Exception) -> str:
        """The word for a GM: it must not tell a refused address from a closed port, or the service scans networks."""
        if self._cord is None:
            return "unreachable"
        if self._cord.pulled or isinstance(failure, TimeoutError):
            return "timeout"
        return "tls" if isinstance(failure, ssl.SSLError) else "disconnected"

    def left(self) -> float:
        """Seconds until the deadline; TimeoutError when it has passed."""
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError("the deadline has passed")
        return left

    def end(self) -> None:
        if self._cord:
            self._cord.let_go()


class _PlainLine(HTTPConnection):
    """HTTP whose socket comes from the guard."""

    call: _Call

    def _new_conn(self) -> socket.socket:
        return self.call.connect(self._dns_host, int(self.port or 80))


class _SafeLine(HTTPSConnection):
    """HTTPS whose socket comes from the guard; name, SNI and certificate stay those of the URL."""

    call: _Call

    def _new_conn(self) -> socket.socket:
        return self.call.connect(self._dns_host, int(self.port or 443))


def _line(call: _Call, parts: Any, tls: ssl.SSLContext | None) -> _PlainLine | _SafeLine:
    host = parts.host.strip("[]")
    line: _PlainLine | _SafeLine
    if parts.scheme == "http":
        line = _PlainLine(host, parts.port)
    else:
        line = _SafeLine(host, parts.port, ssl_context=tls or _trusted())
    line.call = call
    return line


@functools.cache
def _trusted() -> ssl.SSLContext:
    return ssl.create_default_context()


def _asked(answer: BaseHTTPResponse) -> dict[str, str]:
    merged = ((name.lower(), value[:256]) for name, value in answer.headers.itermerged())
    return {name: value for name, value in merged if name.startswith(HEADERS)}


def _start_of(answer: BaseHTTPResponse) -> str:
    """The body's first KiB as text without control characters; the rest is read away, up to 64 KiB, never unpacked."""
    text = answer.read(READ, decode_content=False)[:KEPT].decode("utf-8", "replace")
    return "".join(letter if letter.isprintable() or letter in "\n\t" else "\ufffd" for letter in text)

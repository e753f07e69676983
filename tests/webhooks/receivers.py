"""Receivers on the loopback, real sockets all of them."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast


@dataclass(frozen=True, slots=True)
class Received:
    """A request as it came; header names in lower case."""

    target: str
    headers: Mapping[str, str]
    body: bytes
    at: float


Behaviour = Callable[[socket.socket, Received], None]


class Receiver:
    """A server on the loopback that keeps what it is sent and does with the connection what `behave` says."""

    def __init__(self, behave: Behaviour) -> None:
        self.behave = behave
        self.got: list[Received] = []
        self.open = self.most_open = 0
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self._listener.getsockname()[1]
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook/s3cret"

    def close(self) -> None:
        self._closing.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        self._listener.close()

    def wait_for(self, count: int, seconds: float = 10) -> list[Received]:
        """What was received, once it is `count` requests; fails when that takes too long."""
        until = time.monotonic() + seconds
        while len(self.got) < count:
            assert time.monotonic() < until, f"{len(self.got)} of {count} came"
            time.sleep(0.005)
        return list(self.got)

    def _accept(self) -> None:
        while not self._closing.is_set():
            with suppress(OSError):
                connection, _ = self._listener.accept()
                thread = threading.Thread(target=self._serve, args=(connection,))
                self._threads.append(thread)
                thread.start()

    def _serve(self, connection: socket.socket) -> None:
        held = 1

        def put_down() -> None:
            nonlocal held
            with self._lock:
                self.open, held = self.open - held, 0

        with self._lock:
            self.open += 1
            self.most_open = max(self.open, self.most_open)
        with connection, suppress(OSError):
            connection.settimeout(30)
            request = _read(connection)
            if request:
                self.got.append(request)
                self.behave(cast("socket.socket", _Counted(connection, put_down)), request)
        put_down()


class _Counted:
    """A connection that counts as open until the first byte of its answer: the sender may go on before our thread."""

    def __init__(self, connection: socket.socket, put_down: Callable[[], None]) -> None:
        self._connection, self._put_down = connection, put_down

    def sendall(self, told: bytes) -> None:
        self._put_down()
        self._connection.sendall(told)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


def _read(connection: socket.socket) -> Received | None:
    held = b""
    while b"\r\n\r\n" not in held:
        more = connection.recv(65536)
        if not more:
            return None
        held += more
    head, _, body = held.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    while len(body) < int(headers.get("content-length", 0)):
        body += connection.recv(65536)
    return Received(first.split()[1], headers, body, time.monotonic())


def answer(status: int = 204, headers: Mapping[str, str] | None = None, body: bytes = b"") -> Behaviour:
    lines = [f"HTTP/1.1 {status} Told", *(f"{name}: {value}" for name, value in (headers or {}).items())]
    if status != 204:
        lines.append(f"Content-Length: {len(body)}")
    told = "\r\n".join([*lines, "", ""]).encode() + body
    return lambda connection, _: connection.sendall(told)

"""A load driver for where wrk is missing, and for even rates, which wrk does not know:
`python -m tests.bench.driver PORT SECONDS FILE [RATE]`.

It reads the file that load.lua describes and prints the same line. It is slower than wrk, and so the same share of a
core goes to it with every server: ratios come out kinder.
"""

from __future__ import annotations

import json
import selectors
import socket
import statistics
import sys
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

CONNECTIONS = 16


@dataclass(slots=True)
class Connection:
    """A kept connection: when its request went out, and what of the answer has come."""

    socket: socket.socket
    sent: float = 0.0
    come: bytes = b""


def requests_in(file: Path, port: int) -> list[bytes]:
    """The requests of a file, as they go over the wire."""
    lines = file.read_text(encoding="utf-8").split("\n")
    return [_request(port, *lines[i : i + 4]) for i in range(0, len(lines) - 1, 4)]


def drive(port: int, seconds: float, requests: list[bytes], rate: float = 0.0) -> dict[str, float]:
    """Asks in turn over 16 connections, each with one request under way, for so many seconds.

    With a `rate`, so many a second at even times, however long the answers take; each wait counts from its time on.
    """
    turn = cycle(requests)
    waits: list[float] = []
    asked = refused = broken = 0
    idle: deque[Connection] = deque()
    with selectors.DefaultSelector() as selector:
        for _ in range(CONNECTIONS):
            idle.append(Connection(socket.create_connection(("127.0.0.1", port))))
            selector.register(idle[-1].socket, selectors.EVENT_READ, idle[-1])
        began = time.perf_counter()
        while (now := time.perf_counter()) - began < seconds and selector.get_map():
            while idle and (at := began + asked / rate if rate else now) <= now:
                _send(idle.popleft(), next(turn), at)
                asked += 1
            for key, _ in selector.select(max(0.0, at - now) if idle else 0.1):
                connection = key.data
                status = _status(connection)
                if status == "broken":
                    broken += 1
                    selector.unregister(connection.socket)
                    connection.socket.close()
                elif status:
                    waits.append(time.perf_counter() - connection.sent)
                    refused += not status.startswith("2")
                    idle.append(connection)
        for key in list(selector.get_map().values()):
            key.data.socket.close()
    waits.sort()
    return {
        "answers": len(waits),
        "seconds": now - began,
        "refused": refused,
        "broken": broken,
        "median_ms": statistics.median(waits) * 1000 if waits else 0.0,
        "late_ms": waits[int(len(waits) * 0.99)] * 1000 if waits else 0.0,
    }


def _request(port: int, method: str, path: str, authorization: str, body: str) -> bytes:
    def head() -> Iterator[str]:
        yield f"{method} {path} HTTP/1.1"
        yield f"Host: 127.0.0.1:{port}"
        if authorization:
            yield f"Authorization: {authorization}"
        if body:
            yield "Content-Type: application/json"
            yield f"Content-Length: {len(body.encode())}"

    return "\r\n".join([*head(), "", body]).encode()


def _send(connection: Connection, request: bytes, at: float) -> None:
    connection.come = b""
    connection.sent = at
    connection.socket.sendall(request)


def _status(connection: Connection) -> str:
    """The three digits once the answer is whole, "" before; "broken" when the server has hung up."""
    try:
        more = connection.socket.recv(65536)
    except OSError:
        more = b""
    if not more:
        return "broken"
    connection.come += more
    head, found, body = connection.come.partition(b"\r\n\r\n")
    if not found:
        return ""
    length = head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]
    return head[9:12].decode() if len(body) >= int(length or 0) else ""


if __name__ == "__main__":
    port, seconds, file, *rate = sys.argv[1:]
    print(json.dumps(drive(int(port), float(seconds), requests_in(Path(file), int(port)), *map(float, rate))))

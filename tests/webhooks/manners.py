"""Bad manners of receivers: what one does with a connection on which it has been sent a message."""

from __future__ import annotations

import socket
import struct
import time
from typing import Any

from tests.webhooks.receivers import Behaviour

CHUNK = 4096


def dripping(first: bytes, drop: bytes) -> Behaviour:
    """Says `first`, then `drop` again and again; with no drop, nothing more. For five seconds at most."""

    def behave(connection: socket.socket, _: Any) -> None:
        connection.sendall(first)
        until = time.monotonic() + 5
        while time.monotonic() < until:
            if drop:
                connection.sendall(drop)
            elif connection.recv(1) == b"":
                return
            time.sleep(0.05)

    return behave


def flooding(head: bytes, sent: list[int]) -> Behaviour:
    """Says `head`, then sends a gigabyte; `sent` grows by what was taken from it. It holds little back by itself."""

    def behave(connection: socket.socket, _: Any) -> None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16 * CHUNK)
        connection.sendall(head)
        while sum(sent) < 10**9:
            sent.append(connection.send(b"a" * CHUNK))

    return behave


def resetting(first: bytes) -> Behaviour:
    """Says `first`, then tears the connection down."""

    def behave(connection: socket.socket, _: Any) -> None:
        connection.sendall(first)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    return behave

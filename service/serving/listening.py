"""The socket that the web listens on, bound by the supervisor: a taken port shows at once, and a web process that is
started again finds the connections that came meanwhile waiting in it."""

from __future__ import annotations

import errno
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from service.serving.errors import CannotServe
from service.settings import Settings

BACKLOG = 2048
_WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  (compared with, not listened on)


@contextmanager
def listen(settings: Settings) -> Iterator[socket.socket]:
    """A listening socket at the host and port set; CannotServe when there is none to be had."""
    host, port = settings.host, settings.port
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        listener = socket.socket(family, socket.SOCK_STREAM)
    except OSError:
        raise CannotServe(f"{host} is no address of this machine. Give one such as 127.0.0.1 or 0.0.0.0.") from None
    with listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(address)
            listener.listen(BACKLOG)
        except OSError as error:
            raise CannotServe(_refused(error, host, port)) from None
        yield listener


def reached_at(host: str) -> str:
    """Where this machine itself reaches a socket bound to that host."""
    return _WILDCARDS.get(host, host)


def _refused(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        another = port + 1 if port < 65535 else 8000
        return f"Port {port} of {host} is taken. Stop what uses it, or give another: --port {another}"
    if error.errno in (errno.EACCES, errno.EPERM):
        return f"This user may not listen on port {port}. Give one from 1024 up: --port 8000"
    if error.errno == errno.EADDRNOTAVAIL:
        return f"{host} is no address of this machine. Give one such as 127.0.0.1 or 0.0.0.0."
    return f"Cannot listen on port {port} of {host}: {error.strerror}."

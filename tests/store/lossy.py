"""A connection to the store that loses replies: the commit is made, and nobody hears of it."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path


class LossyLine:
    """A relay before a Unix socket. It swallows the reply to a script, and hangs up, when `loses` says so."""

    def __init__(self, server: str, at: Path, loses: Callable[[], bool]) -> None:
        self._server = server.removeprefix("unix://")
        self._at = at
        self._loses = loses
        self.lost = 0

    @property
    def url(self) -> str:
        return f"unix://{self._at}"

    @contextlib.contextmanager
    def open(self) -> Iterator[LossyLine]:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(self._at))
            listener.listen(64)
            threading.Thread(target=self._accept, args=(listener,), daemon=True).start()
            yield self
            listener.shutdown(socket.SHUT_RDWR)

    def _accept(self, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                caller, _ = listener.accept()
                threading.Thread(target=self._relay, args=(caller,), daemon=True).start()

    def _relay(self, caller: socket.socket) -> None:
        """One request, one reply: as redis-py speaks outside of pipelines."""
        with caller, socket.socket(socket.AF_UNIX) as server, contextlib.suppress(OSError):
            server.connect(self._server)
            while request := caller.recv(1 << 20):
                server.sendall(request)
                reply = server.recv(1 << 20)
                if b"EVALSHA" in request and not reply.startswith(b"-NOSCRIPT") and self._loses():
                    self.lost += 1
                    return
                caller.sendall(reply)

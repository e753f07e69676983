"""Cuts connections at their deadlines, from outside.

A socket's timeout begins anew with every byte, so a receiver that drips outlives it; a shutdown ends whatever waits.
One thread looks after all connections of the process: a timer for each would cost more than the send.
"""

from __future__ import annotations

import functools
import os
import socket
import threading
import time
from contextlib import suppress


class Cord:
    """Tied to a connection: pulled at `until` (monotonic seconds) unless it is let go before."""

    def __init__(self, connection: socket.socket, until: float) -> None:
        self.until = until
        self.pulled = False
        self._connection = connection.dup()  # TLS takes the first socket apart
        self._watch = _watch()
        self._watch.add(self)

    def pull(self) -> None:
        self.pulled = True
        with suppress(OSError):  # over already
            self._connection.shutdown(socket.SHUT_RDWR)

    def let_go(self) -> None:
        self._watch.remove(self)
        self._connection.close()


class _Watch:
    def __init__(self) -> None:
        self._cords: set[Cord] = set()
        self._changed = threading.Condition()
        self._looks_at = float("inf")
        threading.Thread(target=self._look, daemon=True, name="alarum-deadlines").start()

    def add(self, cord: Cord) -> None:
        with self._changed:
            self._cords.add(cord)
            if cord.until < self._looks_at:
                self._changed.notify()

    def remove(self, cord: Cord) -> None:
        with self._changed:
            self._cords.discard(cord)

    def _look(self) -> None:
        with self._changed:
            while True:
                now = time.monotonic()
                for cord in [cord for cord in self._cords if cord.until <= now]:
                    self._cords.remove(cord)
                    cord.pull()
                self._looks_at = min((cord.until for cord in self._cords), default=float("inf"))
                self._changed.wait(None if self._looks_at == float("inf") else max(0.0, self._looks_at - now))


@functools.cache
def _watch() -> _Watch:
    return _Watch()


os.register_at_fork(after_in_child=_watch.cache_clear)  # threads do not survive a fork

"""Somebody who listens to a crawl's stream over a real socket, and reads it as browsers do."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from tests.cli.serving import PATIENCE


@dataclass(frozen=True, slots=True)
class Told:
    """One event of a stream; `data` is what its JSON says."""

    id: int
    event: str
    data: Any


class Listener:
    """A connection to a stream. `told` grows as events come; `head` is the status line with the headers."""

    def __init__(self, url: str, path: str, headers: Mapping[str, str] | None = None, *, reads: bool = True) -> None:
        parts = urlsplit(url)
        self.told: list[Told] = []
        self.comments = 0
        self.head = ""
        self.ended = threading.Event()
        self._socket = socket.create_connection((parts.hostname or "", parts.port or 80), timeout=PATIENCE)
        lines = [f"GET {path} HTTP/1.1", f"Host: {parts.netloc}", *(f"{k}: {v}" for k, v in (headers or {}).items())]
        self._socket.sendall("\r\n".join([*lines, "", ""]).encode())
        self._thread = threading.Thread(target=self._read, daemon=True)
        if reads:
            self._thread.start()

    def wait_for(self, count: int) -> list[Told]:
        """What was told, once it is `count` events; fails when that takes too long."""
        until = time.monotonic() + PATIENCE
        while len(self.told) < count:
            assert time.monotonic() < until, f"{len(self.told)} of {count} came; {self.head}"
            assert not self.ended.is_set() or len(self.told) >= count, f"ended after {len(self.told)}; {self.head}"
            time.sleep(0.005)
        return list(self.told)

    def begin(self) -> Listener:
        """Returns once the stream has begun."""
        until = time.monotonic() + PATIENCE
        while not self.comments:
            assert time.monotonic() < until and not self.ended.is_set(), self.head
            time.sleep(0.005)
        return self

    def close(self) -> None:
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        if self._thread.is_alive():
            self._thread.join()
        self._socket.close()

    def _read(self) -> None:
        try:
            with self._socket.makefile("rb") as lines, suppress(OSError):
                while (line := lines.readline().decode()) not in ("\r\n", ""):
                    self.head += line
                self._events(lines)
        finally:
            self.ended.set()

    def _events(self, lines: Any) -> None:
        """Chunks come as lines of their own between those of the events; none of ours looks like one."""
        fields: dict[str, str] = {}
        for line in lines:
            text = line.decode().rstrip("\r\n")
            if text.startswith(":"):
                self.comments += 1
            elif ": " in text:
                name, _, value = text.partition(": ")
                fields[name] = value
            elif not text and "data" in fields:
                self.told.append(Told(int(fields["id"]), fields["event"], json.loads(fields["data"])))
                fields = {}

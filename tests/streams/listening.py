"""Somebody who listens to a crawl's stream over a real socket, and reads it as browsers do."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
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

    def __init__(self, url: str, path: str, headers: Mapping[str, str]) -> None:
        self.told: list[Told] = []
        self.comments = 0
        self.head = ""
        self.ended = threading.Event()
        self._connection = HTTPConnection(urlsplit(url).netloc, timeout=PATIENCE)
        self._connection.request("GET", path, headers=dict(headers))
        self._socket = self._connection.sock
        self._thread = threading.Thread(target=self._read, daemon=True)
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
        self._thread.join()
        self._connection.close()

    def _read(self) -> None:
        try:
            with suppress(OSError, HTTPException), self._connection.getresponse() as answer:
                self.head = f"HTTP/1.1 {answer.status} {answer.reason}\n{answer.headers}"
                self._events(answer)
        finally:
            self.ended.set()

    def _events(self, lines: Iterable[bytes]) -> None:
        fields: dict[str, str] = {}
        for line in lines:
            text = line.decode().rstrip("\n")
            if text.startswith(":"):
                self.comments += 1
            elif ": " in text:
                name, _, value = text.partition(": ")
                fields[name] = value
            elif not text and "data" in fields:
                self.told.append(Told(int(fields["id"]), fields["event"], json.loads(fields["data"])))
                fields = {}

"""Processes around a store: workers as `alarum worker` runs them, and a receiver that keeps what came."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tests.cli.serving import ROOT, environ

STOP_WITHIN = 20.0


class Arrival(NamedTuple):
    """A message that came: when, in monotonic seconds, and the SHA-256 of its body."""

    id: str
    at: float
    body: str


class Recorder:
    """The receiver's process (recorder.py), as its owner sees it."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout
        self.pid = process.pid
        self._port = int(process.stdout.readline())

    def url(self, after: float = 0.0) -> str:
        """Where it takes messages, and answers so many seconds later."""
        return f"http://127.0.0.1:{self._port}" + (f"/after/{after}" if after else "/hook")

    def count(self) -> int:
        return int(self._get("/count"))

    def arrivals(self) -> list[Arrival]:
        """All that came, in its order."""
        return [Arrival(*each) for each in self._get("/")]

    def wait_for(self, count: int, seconds: float) -> bool:
        """Whether so many have come, within so many seconds."""
        until = time.monotonic() + seconds
        while self.count() < count:
            if time.monotonic() > until:
                return False
            time.sleep(0.02)
        return True

    def _get(self, path: str) -> Any:
        with closing(http.client.HTTPConnection("127.0.0.1", self._port, timeout=STOP_WITHIN)) as connection:
            connection.request("GET", path)
            return json.loads(connection.getresponse().read())


@contextmanager
def recorder() -> Iterator[Recorder]:
    with _process([sys.executable, "-m", "tests.webhooks.recorder"], stdout=subprocess.PIPE) as process:
        yield Recorder(process)
        assert process.stdout
        process.stdout.close()


@contextmanager
def worker(store_url: str, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """`alarum worker`, its words put behind those in `log`. Stopped on the way out, if it still runs."""
    with (
        log.open("ab") as words,
        _process([sys.executable, "-m", "service", "worker", "--redis", store_url], stderr=words) as process,
    ):
        yield process


@contextmanager
def _process(command: list[str], **files: Any) -> Iterator[subprocess.Popen[bytes]]:
    variables = {**environ(), "ALARUM_WEBHOOK_ALLOW": "127.0.0.0/8"}
    process = subprocess.Popen(command, cwd=ROOT, env=variables, stdin=subprocess.DEVNULL, **files)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(STOP_WITHIN)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

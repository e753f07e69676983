"""The processes measured: Alarum as `alarum serve` runs it, and the bare application on a store of the same kind."""

from __future__ import annotations

import http.client
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import orjson

from service.store.embedded import EmbeddedStore
from service.store.opening import open_redis

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 60.0


@dataclass(frozen=True, slots=True)
class Server:
    """Something on a loopback port, and the address of the store behind it."""

    port: int
    store: str

    def ask(self, method: str, path: str, body: Any = None, token: str | None = None) -> Any:
        """The answer's JSON; RuntimeError unless it was a 2xx."""
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)) as connection:
            connection.request(method, path, orjson.dumps(body) if body is not None else None, headers)
            answer = connection.getresponse()
            content = answer.read()
        if not 200 <= answer.status < 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {content.decode(errors='replace')}")
        return orjson.loads(content)


@contextmanager
def alarum(folder: Path, workers: int, **variables: str) -> Iterator[Server]:
    """`alarum serve` with nothing left out, on a folder of its own; `variables` are settings."""
    command = [sys.executable, "-P", "-m", "service", "serve", "--port=0", f"--workers={workers}"]
    with _process([*command, f"--data-dir={folder}"], folder, stdout=subprocess.PIPE, variables=variables) as process:
        assert process.stdout
        first = process.stdout.readline().decode()
        if "http://" not in first:
            raise RuntimeError(f"alarum serve did not start:\n{_log(folder)}")
        url = urlsplit(first.split()[-1])
        assert url.port
        yield Server(url.port, EmbeddedStore(folder).url)


@contextmanager
def bare(folder: Path, workers: int) -> Iterator[Server]:
    """The bare application under gunicorn, with the settings that `alarum serve` uses."""
    store = EmbeddedStore(folder)
    store.start()
    try:
        with socket.create_server(("127.0.0.1", 0), backlog=2048) as listener:
            command = [sys.executable, "-P", "-m", "gunicorn", "-c", str(ROOT / "deploy" / "gunicorn.conf.py")]
            command += [f"--bind=fd://{listener.fileno()}", "tests.bench.bare:app"]
            variables = {"ALARUM_REDIS": store.url, "ALARUM_WORKERS": str(workers)}
            with _process(command, folder, pass_fds=(listener.fileno(),), variables=variables):
                server = Server(listener.getsockname()[1], store.url)
                server.ask("GET", "/hello")
                yield server
    finally:
        store.stop()


def settle(servers: Sequence[Server]) -> None:
    """Waits while a store rewrites its append-only file: what one measurement wrote must not weigh on the next."""
    for server in servers:
        with closing(open_redis(server.store, connections=1)) as redis:
            until = time.monotonic() + PATIENCE
            while redis.info("persistence")["aof_rewrite_in_progress"] and time.monotonic() < until:
                time.sleep(0.05)


@contextmanager
def _process(
    command: list[str],
    folder: Path,
    *,
    stdout: int | None = None,
    pass_fds: tuple[int, ...] = (),
    variables: dict[str, str] | None = None,
) -> Iterator[subprocess.Popen[bytes]]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ALARUM_")}
    environ = {**kept, "PYTHONPATH": str(ROOT), **(variables or {})}
    with (folder / "errors.txt").open("wb") as errors:
        process = subprocess.Popen(
            command, env=environ, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=stdout, stderr=errors, pass_fds=pass_fds
        )
        try:
            yield process
        finally:
            process.terminate()
            process.wait(PATIENCE)


def _log(folder: Path) -> str:
    return (folder / "errors.txt").read_text(errors="replace")

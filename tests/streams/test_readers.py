"""Readers that take nothing are dropped, and streams end with what they are about; with moments for minutes."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from service.store.crawls import CrawlStore
from service.store.records import Change
from tests.cli.serving import PATIENCE, ROOT, environ, eventually
from tests.crawls.tables import hashed
from tests.faults.tables import Table, ask
from tests.streams.listening import Listener


@dataclass(frozen=True)
class Hasty:
    """A web process on gunicorn; `said` is the file of what it says."""

    url: str
    said: Path


@pytest.fixture
def hasty(store: CrawlStore, store_url: str, tmp_path: Path) -> Iterator[Hasty]:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    said = tmp_path / "said"
    worker = ["-k", "service.serving.gevent_worker.Worker", "--access-logfile", "-"]
    command = [sys.executable, "-m", "gunicorn", *worker, "-b", f"127.0.0.1:{port}", "--no-control-socket"]
    with said.open("w") as out:
        process = subprocess.Popen(
            [*command, "tests.streams.hasty:app"],
            cwd=ROOT,
            env={**environ(), "ALARUM_REDIS": store_url},
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    url = f"http://127.0.0.1:{port}"

    def answers() -> bool:
        try:
            return ask(url, "GET", "/alive").status == 200
        except OSError:
            return False

    try:
        assert eventually(answers), said.read_text()
        yield Hasty(url, said)
    finally:
        process.terminate()
        assert process.wait(PATIENCE) == 0


def listener(table: Table, token: str | None = None) -> Listener:
    mine = {"Authorization": f"Bearer {token or table.token}"}
    return Listener(table.url, f"{table.path}/events/stream", mine).begin()


def test_whoever_takes_nothing_is_hung_up_on_and_nobody_else_notices(hasty: Hasty) -> None:
    table = Table(hasty)
    slow = socket.socket()
    slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    slow.connect(("127.0.0.1", int(hasty.url.rpartition(":")[2])))
    asked = f"GET {table.path}/events/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {table.token}\r\n\r\n"
    slow.sendall(asked.encode())
    with closing(slow), closing(listener(table)) as fast:
        for _ in range(150):  # several times what the system keeps for one reader
            assert table.play({"kind": "time", "seconds": 600, "note": "x" * 1000}).status == 201
        told = fast.wait_for(150)
        assert [each.id for each in told] == list(range(2, len(told) + 2))
        before = fast.comments
        assert eventually(lambda: fast.comments > before + 8)  # longer than the patience
        slow.settimeout(PATIENCE)
        taken = 0
        try:
            while more := slow.recv(65536):
                taken += len(more)
        except ConnectionResetError:
            pass
        assert taken < 150 * 1000


def test_a_stream_ends_with_its_crawl(hasty: Hasty) -> None:
    table = Table(hasty)
    with closing(listener(table)) as gm, closing(listener(table, table.player)) as player:
        assert table.ask("DELETE").status == 204
        assert gm.ended.wait(PATIENCE)
        assert player.ended.wait(PATIENCE)


def test_a_stream_ends_with_its_token(hasty: Hasty, store: CrawlStore) -> None:
    table = Table(hasty)
    crawl = table.path.rpartition("/")[2]
    with closing(listener(table)) as gm, closing(listener(table, table.player)) as player:
        store.commit(Change(crawl, (), tokens={hashed(table.player): None}))
        assert player.ended.wait(PATIENCE)
        table.play()
        assert gm.wait_for(1)
        assert not gm.ended.is_set()


def test_a_quiet_stream_gives_signs_of_life(hasty: Hasty) -> None:
    with closing(listener(Table(hasty))) as quiet:
        assert eventually(lambda: quiet.comments > 4)
        assert quiet.told == []


def test_a_ticket_is_in_no_log(hasty: Hasty) -> None:
    table = Table(hasty)
    ticket = table.ask("POST", "/events/ticket").body["ticket"]
    with closing(Listener(table.url, f"{table.path}/events/stream?ticket={ticket}", {}).begin()):
        pass
    refused = ask(table.url, "GET", f"{table.path}/events/stream?ticket={ticket}")
    assert refused.status == 401
    assert eventually(lambda: " 401 " in hasty.said.read_text())
    assert "events/stream" in hasty.said.read_text()
    assert ticket not in hasty.said.read_text()

"""A backup is one consistent file, taken from a running service or none, and put back only where nothing is lost."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tarfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from service.store.backup import back_up, restore
from service.store.embedded import EmbeddedStore
from service.store.folder import EmbeddedError
from service.store.opening import open_store
from service.store.records import Loaded
from tests.cli.serving import ROOT, Served, alarum, environ, eventually, served
from tests.store.changes import CRAWL, GM, a_crawl, a_round, started


def nobody(_: str) -> None:
    """To whom progress is said."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder with a crawl of three rounds."""
    path = tmp_path / "data"
    with running(path) as url:
        store = open_store(url)
        store.commit(started(a_crawl()))
        play(url, 3)
    return path


@contextlib.contextmanager
def running(folder: Path) -> Iterator[str]:
    server = EmbeddedStore(folder)
    server.start()
    try:
        yield server.url
    finally:
        server.stop()


def play(url: str, rounds: int) -> None:
    store = open_store(url)
    for _ in range(rounds):
        loaded = store.load(CRAWL, GM)
        assert isinstance(loaded, Loaded)
        store.commit(a_round(loaded))


def rounds_in(folder: Path) -> int:
    with running(folder) as url:
        loaded = open_store(url).load(CRAWL, GM)
        assert isinstance(loaded, Loaded)
        return loaded.crawl.play.rounds


def test_a_backup_put_back_is_what_was_there(folder: Path, tmp_path: Path) -> None:
    back_up(folder, tmp_path / "kept", nobody)
    restore(tmp_path / "kept", tmp_path / "other", nobody)
    assert rounds_in(tmp_path / "other") == 3
    assert {each.name for each in (tmp_path / "other").iterdir()} <= {
        *("appendonlydir", "format", "lock", "server.lock", "server.log", "server.pid")
    }


def test_what_is_there_is_replaced_only_by_force(folder: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    back_up(folder, kept, nobody)
    with running(folder) as url:
        play(url, 2)
    with pytest.raises(EmbeddedError, match="exists already"):
        back_up(folder, kept, nobody)
    with pytest.raises(EmbeddedError, match="There is data"):
        restore(kept, folder, nobody)
    assert rounds_in(folder) == 5
    restore(kept, folder, nobody, force=True)
    assert rounds_in(folder) == 3


def test_nothing_is_restored_under_a_running_server(folder: Path, tmp_path: Path) -> None:
    back_up(folder, tmp_path / "kept", nobody)
    with running(folder), pytest.raises(EmbeddedError, match="Another Alarum is running"):
        restore(tmp_path / "kept", folder, nobody, force=True)


def test_a_damaged_file_replaces_nothing(folder: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    back_up(folder, kept, nobody)
    whole = kept.read_bytes()
    for length in (0, 1, 100, len(whole) // 2, len(whole) - 1):
        kept.write_bytes(whole[:length])
        with pytest.raises(EmbeddedError, match="no whole backup"):
            restore(kept, folder, nobody, force=True)
    kept.write_bytes(whole[: len(whole) // 2] + bytes([whole[len(whole) // 2] ^ 1]) + whole[len(whole) // 2 + 1 :])
    with pytest.raises(EmbeddedError):
        restore(kept, folder, nobody, force=True)
    assert rounds_in(folder) == 3


@pytest.mark.parametrize("name", ["../outside", "/outside", "appendonlydir/../../outside", "lock", "appendonlydir"])
def test_a_file_that_holds_anything_else_is_refused(folder: Path, tmp_path: Path, name: str) -> None:
    kept = tmp_path / "kept"
    with tarfile.open(kept, "w:gz") as archive:
        archive.add(folder / "format", name)
    with pytest.raises(EmbeddedError, match="no backup of Alarum's"):
        restore(kept, tmp_path / "other", nobody)
    assert not (tmp_path / "outside").exists()


def test_a_backup_is_whole_while_the_server_rewrites_its_files(folder: Path, tmp_path: Path) -> None:
    with running(folder) as url:
        redis = open_store(url).redis
        for number in range(10):
            play(url, 1)
            redis.bgrewriteaof()
            back_up(folder, tmp_path / f"kept-{number}", nobody)
            assert eventually(lambda: not redis.info("persistence")["aof_rewrite_in_progress"])
    for number in range(10):
        restore(tmp_path / f"kept-{number}", tmp_path / f"other-{number}", nobody)
        assert rounds_in(tmp_path / f"other-{number}") == 4 + number


@pytest.mark.slow
def test_every_round_answered_before_a_backup_began_is_in_it(tmp_path: Path) -> None:
    with served(tmp_path / "data") as service:
        crawl = post(service, "/v1/crawls", {"ruleset": "derelict", "party": [{"name": "Kara"}]})
        answered: list[int] = []
        over = threading.Event()

        def table() -> None:
            while not over.is_set():
                answered.append(post(service, f"/v1/crawls/{crawl['id']}/rounds", {"kind": "explore"}, crawl)["number"])

        playing = threading.Thread(target=table)
        playing.start()
        before: list[int] = []
        for number in range(3):
            assert eventually(lambda: len(answered) > (number + 1) * 10)  # noqa: B023
            before.append(answered[-1])
            copied = alarum("backup", str(tmp_path / f"kept-{number}"), "--data-dir", str(tmp_path / "data"))
            assert copied.returncode == 0, copied.stderr
        refused = alarum("restore", str(tmp_path / "kept-0"), "--data-dir", str(tmp_path / "data"), "--force")
        over.set()
        playing.join()
        assert refused.returncode == 1
        assert "Another Alarum is running" in refused.stderr
    for number, last in enumerate(before):
        other = tmp_path / f"other-{number}"
        restored = alarum("restore", str(tmp_path / f"kept-{number}"), "--data-dir", str(other))
        assert restored.returncode == 0, restored.stderr
        with served(other) as service:
            stands = get(service, f"/v1/crawls/{crawl['id']}", crawl)
            assert last <= stands["rounds"] <= len(answered)
            post(service, f"/v1/crawls/{crawl['id']}/rounds", {"kind": "explore"}, crawl)


@pytest.mark.slow
def test_a_service_and_a_backup_killed_in_the_middle_leave_nothing_half(tmp_path: Path) -> None:
    data, kept = tmp_path / "data", tmp_path / "kept"
    with served(data) as service:
        crawl = post(service, "/v1/crawls", {"ruleset": "derelict", "party": [{"name": "Kara"}]})
        for _ in range(20):
            post(service, f"/v1/crawls/{crawl['id']}/rounds", {"kind": "explore"}, crawl)
        copying = subprocess.Popen(
            [sys.executable, "-P", "-m", "service", "backup", str(kept), "--data-dir", str(data)],
            env=environ(),
            cwd=ROOT,
        )
        store = service.process_of("store.sock")
        assert store is not None
        os.kill(store, signal.SIGKILL)
        copying.kill()
        copying.wait()
        assert not kept.exists() or tarfile.is_tarfile(kept)
    with_all = alarum("backup", str(tmp_path / "whole"), "--data-dir", str(data))
    assert with_all.returncode == 0, with_all.stderr
    alarum("restore", str(tmp_path / "whole"), "--data-dir", str(tmp_path / "other"))
    with served(tmp_path / "other") as service:
        assert get(service, f"/v1/crawls/{crawl['id']}", crawl)["rounds"] == 20


def test_the_commands_say_what_they_cannot_do(tmp_path: Path) -> None:
    data = ("--data-dir", str(tmp_path / "none"))
    nothing = alarum("backup", str(tmp_path / "kept"), *data)
    assert (nothing.returncode, "There is no data in" in nothing.stderr) == (1, True)
    elsewhere = alarum("backup", str(tmp_path / "kept"), "--redis", "redis://localhost:1")
    assert (elsewhere.returncode, "by its own means" in elsewhere.stderr) == (2, True)
    assert list(tmp_path.iterdir()) == []


def post(service: Served, path: str, body: Any, crawl: Any = None) -> Any:
    headers = {"Content-Type": "application/json"}
    if crawl:
        headers["Authorization"] = f"Bearer {crawl['tokens']['gm']}"
    with urlopen(Request(service.url + path, json.dumps(body).encode(), headers), timeout=10) as answer:
        return json.load(answer)


def get(service: Served, path: str, crawl: Any) -> Any:
    headers = {"Authorization": f"Bearer {crawl['tokens']['gm']}"}
    with urlopen(Request(service.url + path, headers=headers), timeout=10) as answer:
        return json.load(answer)

"""The embedded store: one on a folder, stopped with whoever started it, whole after every kind of death."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.store.embedded import EmbeddedStore
from service.store.folder import EmbeddedError
from service.store.opening import open_store
from service.store.records import Loaded
from tests.store.changes import CRAWL, GM, a_crawl, started


@contextlib.contextmanager
def running(server: EmbeddedStore) -> Iterator[EmbeddedStore]:
    server.start()
    try:
        yield server
    finally:
        server.stop()


def keep_a_crawl(server: EmbeddedStore) -> None:
    store = open_store(server.url)
    store.commit(started(a_crawl()))
    store.redis.close()


def assert_kept(server: EmbeddedStore) -> None:
    store = open_store(server.url)
    assert isinstance(store.load(CRAWL, GM), Loaded)
    store.redis.close()


def kill(server: EmbeddedStore) -> None:
    assert server.pid is not None
    os.kill(server.pid, signal.SIGKILL)
    deadline = time.monotonic() + 10
    while server.alive() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not server.alive()


def is_gone(pid: int) -> bool:
    """Within ten seconds; a process that its parent has not taken leave of yet counts as gone."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
            state = Path(f"/proc/{pid}/stat")
            if state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except ProcessLookupError:
            return True
        time.sleep(0.01)
    return False


def test_it_keeps_its_crawls_over_a_stop_and_leaves_no_process(tmp_path: Path) -> None:
    folder = tmp_path / "not" / "there" / "yet"
    with running(EmbeddedStore(folder)) as server:
        pid = server.pid
        assert server.alive()
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert stat.S_IMODE((folder / "store.sock").stat().st_mode) == 0o700
        keep_a_crawl(server)
    assert not server.alive()
    assert pid is not None
    assert is_gone(pid)
    with running(EmbeddedStore(folder)) as server:
        assert_kept(server)


def test_it_listens_on_its_socket_alone(tmp_path: Path) -> None:
    with running(EmbeddedStore(tmp_path)) as server:
        store = open_store(server.url)
        settings = store.redis.config_get("*")
        assert {name: settings[name] for name in ("port", "appendonly", "appendfsync", "maxmemory-policy", "save")} == {
            "port": "0",
            "appendonly": "yes",
            "appendfsync": "always",
            "maxmemory-policy": "noeviction",
            "save": "",
        }
        store.redis.close()


def test_a_second_one_on_the_same_folder_is_refused(tmp_path: Path) -> None:
    with running(EmbeddedStore(tmp_path)) as first:
        with pytest.raises(EmbeddedError, match=f"Another Alarum is running on {tmp_path}: stop that one"):
            EmbeddedStore(tmp_path).start()
        assert first.alive()
        keep_a_crawl(first)


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a file where a folder should be")
    with pytest.raises(EmbeddedError, match=r"The data folder .*/file cannot be written: "):
        EmbeddedStore(tmp_path / "file").start()
    with pytest.raises(EmbeddedError, match=r"The data folder .*/file/below cannot be written: "):
        EmbeddedStore(tmp_path / "file" / "below").start()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("2\n", "written by a newer Alarum .format 2, this one knows 1.: run that version"),
        ("sword", "is no data folder"),
    ],
)
def test_a_folder_of_another_format_is_refused_and_left_alone(tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "format").write_text(text)
    for _ in range(2):  # the first refusal gives the folder back
        with pytest.raises(EmbeddedError, match=sentence):
            EmbeddedStore(tmp_path).start()
    assert (tmp_path / "format").read_text() == text
    assert {path.name for path in tmp_path.iterdir()} == {"format", "lock"}


def test_a_server_that_is_killed_is_started_again_with_all_it_had(tmp_path: Path) -> None:
    with running(EmbeddedStore(tmp_path)) as server:
        keep_a_crawl(server)
        for _ in range(3):
            kill(server)
            server.restart()
            assert_kept(server)


def test_a_restart_leaves_a_living_server_alone(tmp_path: Path) -> None:
    with running(EmbeddedStore(tmp_path)) as server:
        pid = server.pid
        server.restart()
        assert server.pid == pid


def test_a_server_that_outlived_its_parent_is_ended_first(tmp_path: Path) -> None:
    orphaned = EmbeddedStore(tmp_path)
    orphaned.start()
    keep_a_crawl(orphaned)
    orphaned._folder.give_back()  # what the kernel does when the parent is killed
    with running(EmbeddedStore(tmp_path)) as server:
        assert not orphaned.alive()
        assert_kept(server)


PARENT = """
import sys
from pathlib import Path
from service.store.embedded import EmbeddedStore
server = EmbeddedStore(Path(sys.argv[1]))
server.start()
print(server.pid, flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the next start ends it")
def test_a_server_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.kill()
        assert is_gone(pid)
    with running(EmbeddedStore(tmp_path)) as server:
        assert server.pid != pid


def test_a_long_path_gets_its_socket_elsewhere(tmp_path: Path) -> None:
    folder = tmp_path / ("deep" * 30)
    with running(EmbeddedStore(folder)) as server:
        keep_a_crawl(server)
        path = Path(server.url.removeprefix("unix://"))
        assert folder not in path.parents
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        with pytest.raises(EmbeddedError, match="Another Alarum is running"):
            EmbeddedStore(folder).start()
        assert path.exists()
    assert not path.parent.exists()


def test_a_socket_folder_that_others_could_write_is_refused(tmp_path: Path) -> None:
    server = EmbeddedStore(tmp_path / ("deep" * 30))
    path = Path(server.url.removeprefix("unix://"))
    path.parent.mkdir(mode=0o777)
    path.parent.chmod(0o777)
    try:
        with pytest.raises(EmbeddedError, match="belongs to somebody else"):
            server.start()
    finally:
        path.parent.rmdir()


def test_a_server_that_cannot_run_says_its_last_words(tmp_path: Path) -> None:
    (tmp_path / "appendonlydir").write_text("in its way")
    with pytest.raises(EmbeddedError, match=r"ended at once; its last words: .*append"):
        EmbeddedStore(tmp_path).start()
    with pytest.raises(EmbeddedError, match="cannot be started: No such file"):
        EmbeddedStore(tmp_path, binary=tmp_path / "nothing").start()


def test_a_stale_socket_is_no_hindrance(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as left_behind:
        left_behind.bind(str(tmp_path / "store.sock"))
    with running(EmbeddedStore(tmp_path)) as server:
        keep_a_crawl(server)


def test_a_bound_on_memory_makes_it_full_not_forgetful(tmp_path: Path) -> None:
    with running(EmbeddedStore(tmp_path, max_memory=50_000_000)) as server:
        store = open_store(server.url)
        assert store.redis.config_get("maxmemory*")["maxmemory"] == "50000000"
        store.redis.close()

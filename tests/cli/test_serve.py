"""`alarum serve` as its operator meets it: real processes, a real store, real signals."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.serving import Served, alarum, eventually, runs, served

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes through /proc")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    (folder / "service").mkdir()
    (folder / "service" / "__init__.py").write_text("raise SystemExit('not Alarum')")
    with served(folder / "data", cwd=folder) as running:
        yield running


def test_it_runs_from_any_folder_even_one_with_a_service_of_its_own(service: Served) -> None:
    assert service.answers()


def test_it_says_where_it_is_where_its_data_is_and_how_to_start_a_crawl(service: Served) -> None:
    assert service.answers()
    assert f"Its data: {service.data_dir}" in service.output
    assert f"curl {service.url}/v1/crawls" in service.output


def test_no_header_names_the_path_that_is_asked_for(service: Served) -> None:
    """Gunicorn would take it from peers that it trusts, as it does this machine's own by default."""
    with socket.create_connection(("127.0.0.1", int(service.port))) as connection:
        connection.sendall(b"GET /x/alive HTTP/1.1\r\nHost: localhost\r\nSCRIPT_NAME: /x\r\nConnection: close\r\n\r\n")
        assert connection.makefile("rb").readline() == b"HTTP/1.1 404 NOT FOUND\r\n"


def test_a_taken_port_is_said_in_one_line(service: Served, tmp_path: Path) -> None:
    refused = alarum("serve", "--port", service.port, "--data-dir", str(tmp_path))
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr == (
        f"Error: Port {service.port} of 127.0.0.1 is taken. "
        f"Stop what uses it, or give another: --port {int(service.port) + 1}\n"
    )


def test_a_second_service_on_the_same_folder_is_refused(service: Served) -> None:
    refused = alarum("serve", "--port", "0", "--data-dir", str(service.data_dir))
    assert refused.returncode == 1
    assert refused.stderr.startswith(f"Error: Another Alarum is running on {service.data_dir}")
    assert refused.stderr.count("\n") == 1
    assert service.answers()


@pytest.mark.parametrize(
    "words",
    ["-m service web", "-m service worker", "store.sock"],
    ids=["the web", "the webhook sender", "the store"],
)
def test_what_is_killed_is_started_again(service: Served, words: str) -> None:
    assert eventually(lambda: service.process_of(words))
    before = service.process_of(words)
    assert before
    os.kill(before, signal.SIGKILL)
    assert eventually(lambda: service.process_of(words) not in (None, before))
    assert eventually(service.answers)
    assert service.process.poll() is None


def test_a_folder_that_cannot_be_written_is_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    refused = alarum("serve", "--port", "0", "--data-dir", str(tmp_path / "file"))
    assert refused.returncode == 1
    assert refused.stderr.startswith(f"Error: The data folder {tmp_path / 'file'} cannot be written")
    assert refused.stderr.count("\n") == 1


def test_a_folder_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "format").write_text("999\n")
    refused = alarum("serve", "--port", "0", "--data-dir", str(tmp_path))
    assert refused.returncode == 1
    assert "was written by a newer Alarum (format 999" in refused.stderr
    assert (tmp_path / "format").read_text() == "999\n"


def test_an_address_that_is_not_this_machines_is_said_in_one_line(tmp_path: Path) -> None:
    refused = alarum("serve", "--port", "0", "--host", "192.0.2.1", "--data-dir", str(tmp_path))
    assert refused.returncode == 1
    assert refused.stderr == "Error: 192.0.2.1 is no address of this machine. Give one such as 127.0.0.1 or 0.0.0.0.\n"


def test_a_redis_that_does_not_answer_is_said_without_its_password(tmp_path: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        refused = alarum("serve", "--port", "0", "--redis", f"redis://:secret@127.0.0.1:{port}/0")
    assert refused.returncode == 1
    assert refused.stderr == (
        f"Error: No Redis or Valkey answers at redis://127.0.0.1:{port}/0, or it turns us away. "
        "Start it, or correct --redis.\n"
    )


@pytest.mark.parametrize("command", [("serve", "--port", "0"), ("keys", "list")], ids=" ".join)
def test_what_is_no_redis_is_said_in_one_line(service: Served, command: tuple[str, ...]) -> None:
    refused = alarum(*command, "--redis", f"redis://127.0.0.1:{service.port}/0")
    assert refused.returncode == 1
    assert refused.stderr.startswith(f"Error: No Redis or Valkey answers at redis://127.0.0.1:{service.port}/0")
    assert refused.stderr.count("\n") == 1


def test_a_database_that_the_store_does_not_have_is_said_in_one_line(service: Served) -> None:
    url = f"unix://{service.data_dir}/store.sock"
    refused = alarum("serve", "--port", "0", "--redis", f"{url}?db=9999")
    assert refused.returncode == 1
    assert refused.stderr.startswith(f"Error: No Redis or Valkey answers at {url}")
    assert refused.stderr.count("\n") == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_all_of_it_and_leaves_nothing_running(tmp_path: Path, number: int) -> None:
    with served(tmp_path / "data") as running:
        assert eventually(lambda: len(running.processes()) >= 4)  # web, its worker, webhook sender, store
        processes = running.processes()
        assert running.stop(number) == 0
        assert not [command for pid, command in processes.items() if runs(pid)]


def test_a_service_that_runs_on_another_ones_store_leaves_that_running(service: Served, tmp_path: Path) -> None:
    url = f"unix://{service.data_dir}/store.sock"
    with served(tmp_path / "unused", "--redis", url, "--strict") as second:
        assert f"Its data: {url}" in second.output
        assert second.stop() == 0
    assert not (tmp_path / "unused").exists()
    assert service.answers()


def test_what_was_acknowledged_outlives_the_sudden_death_of_it_all(tmp_path: Path) -> None:
    with served(tmp_path / "data") as first:
        made = alarum("keys", "create", "--name", "Friday table", "--data-dir", str(first.data_dir))
        processes = first.processes()
        first.stop(signal.SIGKILL)
        assert made.returncode == 0
        assert eventually(lambda: not any(runs(pid) for pid in processes)), "the children outlived their parent"
    with served(tmp_path / "data") as second:
        shown = alarum("keys", "list", "--data-dir", str(second.data_dir))
        assert "Friday table" in shown.stdout

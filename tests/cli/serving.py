"""A real `alarum serve` for tests: on a free loopback port, in a folder of its own, watched through its output."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 30.0
"""Seconds after which a test that waits for something gives up."""


def environ() -> dict[str, str]:
    """An environment without settings of the machine's, in which `python -m service` is this checkout."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ALARUM_")}
    return {**kept, "PYTHONPATH": str(ROOT), "ALARUM_WORKERS": "1"}


def alarum(*arguments: str, cwd: Path = ROOT, **more: str) -> subprocess.CompletedProcess[str]:
    """One command, run to its end."""
    command = [sys.executable, "-P", "-m", "service", *arguments]
    return subprocess.run(
        command, env={**environ(), **more}, cwd=cwd, capture_output=True, text=True, timeout=PATIENCE, check=False
    )


def eventually(holds: Callable[[], object]) -> bool:
    """Whether something comes to hold within PATIENCE."""
    until = time.monotonic() + PATIENCE
    look = threading.Event()
    while not holds():
        if time.monotonic() > until:
            return False
        look.wait(0.02)
    return True


def processes_below(pid: int) -> dict[int, str]:
    """The processes that descend from `pid`, by their command line."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue
    found: dict[int, str] = {}
    below = {pid}
    while below:
        below = {child for child, parent in parents.items() if parent in below}
        found |= {child: _command(child) for child in below}
    return found


def runs(pid: int) -> bool:
    """Whether that process is there and has not ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


class Served:
    """A running service. `output` is all that it has said."""

    def __init__(self, process: subprocess.Popen[str], data_dir: Path) -> None:
        self.process = process
        self.data_dir = data_dir
        self.output = ""
        self.url = ""
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.output += line

    def ready(self) -> Served:
        assert eventually(lambda: "Ctrl-C" in self.output or self.process.poll() is not None)
        found = re.search(r"is at (\S+)", self.output)
        assert found, self.output
        self.url = found[1]
        return self

    @property
    def port(self) -> str:
        return self.url.rpartition(":")[2]

    def answers(self) -> bool:
        try:
            with urlopen(f"{self.url}/alive", timeout=5) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def get(self, path: str) -> dict[str, object]:
        with urlopen(self.url + path, timeout=5) as answer:
            return dict(json.load(answer))

    def processes(self) -> dict[int, str]:
        return processes_below(self.process.pid)

    def process_of(self, words: str) -> int | None:
        """The one nearest to the supervisor whose command line holds these words."""
        return next((pid for pid, command in self.processes().items() if words in command), None)

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)


def start(data_dir: Path, *options: str, cwd: Path = ROOT, **more: str) -> Served:
    arguments = ["serve", "--port", "0", "--data-dir", str(data_dir), *options]
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "service", *arguments],
        env={**environ(), **more},
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return Served(process, data_dir)


@contextmanager
def served(data_dir: Path, *options: str, cwd: Path = ROOT, **more: str) -> Iterator[Served]:
    """A service that answers; nothing of it is left afterwards."""
    service = start(data_dir, *options, cwd=cwd, **more)
    try:
        yield service.ready()
    finally:
        if service.process.poll() is None:
            service.stop()
        if service.process.stdout:
            service.process.stdout.close()

"""What open streams cost: `python -m tests.bench.streams [STREAMS]`, a thousand when nobody says.

One web process, with the webhook sender and the store that `alarum serve` runs. Prints what an idle stream takes of its
memory, how soon an event is with all who listen to a crawl, and reads and rounds in other crawls by turns without
streams and with them. Exits with 1 only on errors.
"""

from __future__ import annotations

import os
import selectors
import socket
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from tests.bench.load import Load, Measured, put, written, wrk
from tests.bench.report import errors, of_loads
from tests.bench.running import PATIENCE, Server, alarum, settle
from tests.bench.table import TRAVEL, start
from tests.cli.serving import processes_below

A_CRAWL = 50
"""Streams of one crawl: half of what it may have in a process."""
AT_ONCE = 32
"""Streams that are about to begin at the same time."""
REPEATS = 7
SECONDS = 3
TABLES = 64
TOLD = 20
"""How often an event is timed on its way to all who listen to one crawl."""

Table = tuple[str, str]


class Listeners:
    """Streams of these tables in turn, read by one thread; `begun` and `events` grow.

    They come some at a time: a thousand in the same moment would wait for each other, not for what is measured.
    """

    def __init__(self, port: int, tables: Sequence[Table], count: int) -> None:
        self.begun = self.events = 0
        self.broken = 0
        self._selector = selectors.DefaultSelector()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()
        for number in range(count):
            path, token = tables[number % len(tables)]
            connection = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
            asked = f"GET {path}/events/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n"
            connection.sendall(asked.encode())
            self._selector.register(connection, selectors.EVENT_READ, connection)
            wait_for(lambda number=number: self.begun > number - AT_ONCE)
        wait_for(lambda: self.begun == count)

    def close(self) -> None:
        self._closing.set()
        self._thread.join()
        for key in list(self._selector.get_map().values()):
            key.data.close()
        self._selector.close()

    def _read(self) -> None:
        while not self._closing.is_set():
            for key, _ in self._selector.select(0.1):
                came = key.data.recv(65_536)
                self.begun += came.count(b": these events are live")
                self.events += came.count(b"\nevent: ")
                if not came:
                    self.broken += 1
                    self._selector.unregister(key.data)


def main(count: int) -> int:
    with tempfile.TemporaryDirectory(prefix="alarum-bench-") as name, alarum(Path(name), workers=1) as server:
        tables = [start(server.ask) for _ in range(TABLES)]
        streamed = [start(server.ask) for _ in range(-(-count // A_CRAWL))]
        reads = written(Path(name) / "reads", [("GET", path, token, None) for path, token in tables])
        rounds = written(Path(name) / "rounds", [("POST", f"{path}/rounds", token, TRAVEL) for path, token in tables])
        loads = {
            "a": Load("a", "a read", server.port, reads),
            "b": Load("b", f"a read beside {count} streams", server.port, reads),
            "c": Load("c", "a round of travel", server.port, rounds),
            "d": Load("d", f"a round of travel beside {count} streams", server.port, rounds),
        }
        measured: dict[str, list[Measured]] = {letter: [] for letter in loads}
        taken: list[float] = []  # memory that was once taken is used again: the first says what a stream needs
        told: list[float] = []
        broken = 0
        for load in loads.values():
            put(load, 1, wrk())  # warming up
        for _ in range(REPEATS):
            for letter in ("a", "c"):
                measured[letter].append(_put(server, loads[letter]))
            before, files = _memory(), _open_files()
            with closing(Listeners(server.port, streamed, count)) as listeners:
                taken.append((_memory() - before) / count)
                told += _told(server, streamed, listeners, count // len(streamed))
                for letter in ("b", "d"):
                    measured[letter].append(_put(server, loads[letter]))
                broken += listeners.broken
            _show_closed(server, streamed, files + 100)
        _print(loads, measured, taken, told)
    failed = broken + sum(errors(repeats) for repeats in measured.values())
    if failed:
        print(f"{failed} requests or streams failed: this run says nothing.", file=sys.stderr)
    return 1 if failed else 0


def _put(server: Server, load: Load) -> Measured:
    settle((server,))
    return put(load, SECONDS, wrk())


def _told(server: Server, tables: Sequence[Table], listeners: Listeners, count: int) -> Iterator[float]:
    """Seconds from asking for a change until all streams of its crawl have its event."""
    for number in range(TOLD):
        path, token = tables[number % len(tables)]
        expected = listeners.events + count
        began = time.perf_counter()
        server.ask("PATCH", path, {"name": f"Deck {number}"}, token)
        wait_for(lambda expected=expected: listeners.events >= expected)
        yield time.perf_counter() - began


def _show_closed(server: Server, tables: Sequence[Table], files: int) -> None:
    """A connection that was closed shows when it is written to, the second time for sure."""

    def none_is_left() -> bool:
        for path, token in tables:
            server.ask("PATCH", path, {"name": f"Deck {time.monotonic()}"}, token)
        return _open_files() <= files

    wait_for(none_is_left)


def wait_for(holds: Callable[[], bool]) -> None:
    """Returns once it holds; RuntimeError when it does not come to."""
    until = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > until:
            raise RuntimeError("The streams did not begin, were not told, or did not end.")
        time.sleep(0.0005)


def _memory() -> int:
    """Bytes that the web process has in memory."""
    return int((_worker() / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _open_files() -> int:
    return sum(1 for _ in (_worker() / "fd").iterdir())


def _worker() -> Path:
    """The youngest with these words is gunicorn's worker, the other its master."""
    return Path(f"/proc/{max(pid for pid, command in processes_below(os.getpid()).items() if '--listener' in command)}")


def _print(
    loads: Mapping[str, Load], measured: Mapping[str, Sequence[Measured]], taken: Sequence[float], told: Sequence[float]
) -> None:
    print(f"memory of an idle stream: {taken[0] / 1024:.1f} KB")
    slow = sorted(told)
    print(
        f"an event is with the {A_CRAWL} who listen to its crawl, and its maker answered: median "
        f"{statistics.median(slow) * 1000:.1f} ms, 99 % {slow[int(len(slow) * 0.99)] * 1000:.1f} ms"
    )
    for line in of_loads(list(loads.values()), measured):
        print(line)
    for beside, alone in (("b", "a"), ("d", "c")):
        each = [one.rate / other.rate for one, other in zip(measured[beside], measured[alone], strict=True)]
        print(f"{beside}/{alone}  {statistics.median(each):.2f} ({min(each):.2f}–{max(each):.2f})")


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else 1_000))

"""How fast Alarum is beside bare Flask on this machine, in one run: `./run bench`, or `python -m tests.bench`."""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.bench import deliveries, engine, report, streams
from tests.bench.load import Load, Measured, put, written, wrk
from tests.bench.running import Server, alarum, bare, settle
from tests.bench.sizes import sizes
from tests.bench.table import EXPLORE, TRAVEL, start

EXAMPLES = """
Examples:
  ./run bench                          seven repeats of three seconds, about two minutes
  ./run bench --quick                  three repeats of one second
  ./run bench deliveries               how soon and how fast webhooks are told (--help says more)
  ./run bench streams 1000             what a thousand open streams cost beside reads and rounds

The stores lie in a temporary folder (TMPDIR chooses where: a real disk tells more than one in memory). Exits with 1
when any answer was no 2xx; never because something was slow.
"""


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="./run bench", description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=7, help="how often each path is measured (default: 7)")
    parser.add_argument("--seconds", type=float, default=3, help="how long each time, whole for wrk (default: 3)")
    parser.add_argument("--crawls", type=int, default=64, help="how many crawls share the rounds (default: 64)")
    parser.add_argument("--workers", type=int, default=2, help="web processes of each server (default: 2)")
    parser.add_argument("--driver", choices=("wrk", "python"), help="makes the load (default: wrk if there is one)")
    parser.add_argument("--quick", action="store_true", help="three repeats of one second")
    asked = parser.parse_args()
    if asked.quick:
        asked.repeats, asked.seconds = 3, 1
    return asked


def main() -> int:
    if sys.argv[1:2] == ["deliveries"]:
        return deliveries.main(sys.argv[2:], progress)
    if sys.argv[1:2] == ["streams"]:
        return streams.main(int(sys.argv[2]) if sys.argv[2:] else 1_000)
    asked = arguments()
    with_wrk = None if asked.driver == "python" else wrk()
    if asked.driver == "wrk" and not with_wrk:
        print("There is no wrk on PATH; install it, or ask for --driver python.", file=sys.stderr)
        return 2
    print(
        f"Python {platform.python_version()}, {os.cpu_count()} cores, {asked.workers} web processes, "
        f"{'wrk' if with_wrk else 'the Python driver'} over 16 connections, {asked.crawls} crawls, "
        f"{asked.repeats} repeats of {asked.seconds:g} s by turns",
        flush=True,
    )
    with tempfile.TemporaryDirectory(prefix="alarum-bench-") as folder:
        return run(Path(folder), asked, with_wrk)


def run(folder: Path, asked: argparse.Namespace, with_wrk: str | None) -> int:
    for name in ("bare", "alarum"):
        (folder / name).mkdir()
    progress("starting both servers")
    with bare(folder / "bare", asked.workers) as simple, alarum(folder / "alarum", asked.workers) as service:
        loads = loads_on(folder, simple, service, asked.crawls)
        measured = measure(loads, (simple, service), asked.repeats, asked.seconds, with_wrk)
        progress("weighing a crawl after 50 rounds")
        weighed = sizes(simple.store)
    times = []
    for number in range(asked.repeats):
        progress(f"the engine alone, repeat {number + 1} of {asked.repeats}")
        times.append(engine.explore_us())
    progress("")
    for line in (
        *report.of_loads(loads, measured),
        *report.of_ratios(measured),
        report.of_engine(times),
        *report.of_sizes(weighed),
    ):
        print(line)
    failed = sum(report.errors(repeats) for repeats in measured.values())
    if failed:
        print(f"{failed} requests failed: this run says nothing.", file=sys.stderr)
    return 1 if failed else 0


def loads_on(folder: Path, simple: Server, service: Server, crawls: int) -> tuple[Load, ...]:
    """The four paths. The rounds go to many crawls in turn, so that no two are on one crawl at once."""
    tables = [start(service.ask) for _ in range(crawls)]

    def rounds(name: str, body: object) -> Path:
        return written(folder / name, [("POST", f"{path}/rounds", token, body) for path, token in tables])

    hello = written(folder / "a", [("GET", "/hello", None, None)])
    commit = written(folder / "b", [("POST", "/commit", None, {"clock": 60})])
    return (
        Load("a", "bare Flask, hello", simple.port, hello),
        Load("b", "bare Flask, one Lua commit", simple.port, commit),
        Load("c", "a round of travel, three rooms", service.port, rounds("c", TRAVEL)),
        Load("d", "a round of exploring, five declarations", service.port, rounds("d", EXPLORE)),
    )


def measure(
    loads: Sequence[Load], servers: Sequence[Server], repeats: int, seconds: float, with_wrk: str | None
) -> dict[str, list[Measured]]:
    """Every path once, then every path again, so that a slow spell of the machine meets all alike."""
    measured: dict[str, list[Measured]] = {load.letter: [] for load in loads}
    for load in loads:
        progress(f"warming up {load.letter}")
        put(load, 1, with_wrk)
    for number in range(repeats):
        for load in loads:
            settle(servers)
            progress(f"repeat {number + 1} of {repeats}: {load.letter}, {load.title}")
            measured[load.letter].append(put(load, seconds, with_wrk))
    return measured


def progress(what: str) -> None:
    """What is going on: one line on a terminal, written over; a line each elsewhere."""
    if sys.stderr.isatty():
        print(f"\r\033[K{what}", end="", file=sys.stderr, flush=True)
    elif what:
        print(what, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())

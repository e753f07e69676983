"""How soon and how fast webhooks are told, and what that costs the rounds of play."""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from service.store.embedded import EmbeddedStore
from service.store.keys import WAKE
from service.store.opening import open_store
from tests.bench import sending, told
from tests.bench.beside import Rounds, beside
from tests.bench.lag import lag, set_tables
from tests.bench.load import wrk
from tests.webhooks.processes import recorder, worker

EXAMPLES = """
Parts:
  lag       from commit to arrival, over 50 webhooks of three crawls
  sending   one worker with a full outbox, by turns with a bare urllib3 loop; and what an idle worker takes
  rounds    rounds of the whole service while webhooks are told, by turns with rounds while none are

Examples:
  ./run bench deliveries               all of it, about six minutes
  ./run bench deliveries lag sending   two of the parts
  ./run bench deliveries --quick       all of it, small and short: shows that it works, not how fast it is

Everything runs on this machine and shares its cores. Exits with 1 when a delivery was lost or a round failed; never
because something was slow.
"""
PARTS = ("lag", "sending", "rounds")


def arguments(given: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="./run bench deliveries",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help="lag, sending, rounds (default: all of them)")
    parser.add_argument("--rates", type=float, nargs="+", default=[20, 100], help="of lag, a second (default: 20 100)")
    parser.add_argument("--count", type=int, default=1000, help="deliveries at each rate (default: 1000)")
    parser.add_argument("--full", type=int, default=3000, help="deliveries in a full outbox (default: 3000)")
    parser.add_argument("--idle", type=float, default=10, help="seconds that a worker idles (default: 10)")
    parser.add_argument("--repeats", type=int, default=7, help="of what goes by turns (default: 7)")
    parser.add_argument("--seconds", type=float, default=3, help="of rounds each time, whole for wrk (default: 3)")
    parser.add_argument("--even", type=float, default=100, help="rounds a second at an even rate (default: 100)")
    parser.add_argument("--crawls", type=int, default=64, help="how many share the rounds (default: 64)")
    parser.add_argument("--quick", action="store_true", help="one repeat, and little of the rest")
    asked = parser.parse_args(given)
    if unknown := sorted(set(asked.parts) - set(PARTS)):
        parser.error(f"no such part: {', '.join(unknown)}")
    if asked.quick:
        asked.rates, asked.repeats, asked.seconds, asked.idle = [100], 1, 1, 1
        asked.count, asked.full = asked.count // 10, asked.full // 10
    return asked


def main(given: list[str], say: Callable[[str], None]) -> int:
    asked = arguments(given)
    parts = set(asked.parts or PARTS)
    lines: list[str] = []
    lost = failed = 0
    busy = [os.getloadavg()[0]]
    with tempfile.TemporaryDirectory(prefix="alarum-bench-") as name:
        if parts & {"lag", "sending"}:
            lost += of_a_worker(Path(name), asked, parts, lines, say)
        if "rounds" in parts:
            (folder := Path(name, "service")).mkdir()
            wanted = Rounds(asked.crawls, asked.repeats, asked.seconds, asked.even)
            found = beside(folder, wanted, wrk(), say)
            lost, failed = lost + found.lost, told.failed(found)
            lines += told.of_rounds(found, asked.even)
    busy.append(os.getloadavg()[0])
    say("")
    print(f"{os.cpu_count()} cores, load average {busy[0]:.1f} before and {busy[1]:.1f} after", *lines, sep="\n")
    print(f"\n{lost} deliveries were lost, {failed} rounds failed")
    return 1 if lost or failed else 0


def of_a_worker(
    folder: Path, asked: argparse.Namespace, parts: set[str], lines: list[str], say: Callable[[str], None]
) -> int:
    """What one worker does on a store of its own; says how many deliveries were lost."""
    server = EmbeddedStore(folder / "store")
    server.start()
    store = open_store(server.url)
    try:
        with closing(store.redis), recorder() as there, worker(server.url, folder / "worker.txt") as process:
            set_tables(store, there.url())
            while not store.redis.pubsub_numsub(WAKE)[0][1] and process.poll() is None:
                time.sleep(0.01)
            lags = []
            for rate in asked.rates if "lag" in parts else ():
                say(f"lag at {rate:.0f} a second")
                lags.append(lag(store, there, rate, asked.count))
            lines += told.of_lags(lags)
            if "sending" in parts:
                say("an idle worker")
                idle = sending.idle(process.pid, asked.idle)
                ours, bare = [], []
                for number in range(asked.repeats):
                    say(f"sending, repeat {number + 1} of {asked.repeats}")
                    bare.append(sending.of_bare_loop(there, asked.full // 3))
                    ours.append(sending.of_worker(store, there, process, f"full{number}", asked.full))
                lines += told.of_sending(ours, bare, idle)
            return sum(each.lost for each in lags)
    finally:
        server.stop()

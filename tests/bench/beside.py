"""Whether rounds are as fast while webhooks are told as they are without.

One service, three sets of crawls that play the same rounds: one has nothing to tell and nobody else has; one has
nothing to tell while another table's webhooks are told twenty times a second; of one every round is told to a webhook
of its own. The receiver is up, and takes its share of this machine, as the sender and the load do: what is measured at
full load is how they share the cores; what is measured at a rate that leaves room is whether one waits for the other.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from service.store.crawls import CrawlStore
from service.store.opening import open_redis
from service.store.outbox import Outbox
from tests.bench.lag import PATIENCE, commits, set_tables, webhooks_of
from tests.bench.load import Load, Measured, put, written
from tests.bench.running import Server, alarum, settle
from tests.bench.table import TRAVEL, start
from tests.webhooks.processes import Recorder, recorder

BESIDE = 20.0
"""Deliveries a second that go on beside the rounds of the second set."""
SETS = ("nothing to tell", "20 deliveries a second beside", "each round told")
HOOK = {"events": ["round.resolved"], "format": "standard", "audience": "gm"}


@dataclass(frozen=True, slots=True)
class Rounds:
    """How many crawls each set has, how often and how long it is measured, and the rounds a second of an even rate."""

    crawls: int
    repeats: int
    seconds: float
    even: float


@dataclass(slots=True)
class Beside:
    """What was measured of each set, by its name: at full load, and at an even rate; deliveries made and lost."""

    full: dict[str, list[Measured]]
    even: dict[str, list[Measured]]
    told: int = 0
    lost: int = 0


@dataclass(frozen=True, slots=True)
class _Tables:
    service: Server
    there: Recorder
    store: CrawlStore
    crawls: dict[str, list[tuple[str, str]]]
    loads: dict[str, Load]


def beside(folder: Path, wanted: Rounds, with_wrk: str | None, say: Callable[[str], None]) -> Beside:
    """Every set at full load and at an even rate, then all of it again. Nothing is begun while anything of what was
    before is still being delivered."""
    found = Beside({name: [] for name in SETS}, {name: [] for name in SETS})
    with _tables(folder, wanted.crawls) as tables:
        for repeat in range(wanted.repeats + 1):
            for name, (into, rate) in product(SETS, ((found.full, 0.0), (found.even, wanted.even))):
                say(f"rounds, repeat {repeat} of {wanted.repeats} (0 warms up): {name}, {rate or 'all it can'}")
                with _told_beside(tables.store, f"{repeat}_{rate:.0f}", name == SETS[1]) as told:
                    into[name].append(put(tables.loads[name], wanted.seconds, with_wrk, rate))
                found.told += sum(told)
                _drained(tables)
        played = [tables.service.ask("GET", path, None, token)["rounds"] for path, token in tables.crawls[SETS[2]]]
        found.told += sum(played)
        found.lost = found.told - len({arrival.id for arrival in tables.there.arrivals()})
    for repeats in (*found.full.values(), *found.even.values()):
        del repeats[0]
    return found


@contextmanager
def _tables(folder: Path, crawls: int) -> Iterator[_Tables]:
    with (
        recorder() as there,
        alarum(folder, 2, ALARUM_WEBHOOK_ALLOW="127.0.0.0/8") as service,
        closing(open_redis(service.store)) as redis,
    ):
        store = CrawlStore(redis)
        started = {name: [start(service.ask) for _ in range(crawls)] for name in SETS}
        for path, token in started[SETS[2]]:
            service.ask("POST", f"{path}/webhooks", {**HOOK, "url": there.url()}, token)
        set_tables(store, there.url())
        loads = {
            name: Load("", name, service.port, written(folder / f"set{number}", _rounds(started[name])))
            for number, name in enumerate(SETS)
        }
        yield _Tables(service, there, store, started, loads)


def _rounds(crawls: list[tuple[str, str]]) -> list[tuple[str, str, str | None, object]]:
    return [("POST", f"{path}/rounds", token, TRAVEL) for path, token in crawls]


@contextmanager
def _told_beside(store: CrawlStore, name: str, wanted: bool) -> Iterator[list[int]]:
    """While it lasts, fifty webhooks of three other crawls are told; then the list says how often."""
    told: list[int] = []
    over = threading.Event()

    def tell() -> None:
        for crawl, _, _ in commits(store, f"beside{name}", BESIDE, 10**9):
            told.append(len(webhooks_of(crawl)))
            if over.is_set():
                return

    teller = threading.Thread(target=tell)
    if wanted:
        teller.start()
    try:
        yield told
    finally:
        over.set()
        if wanted:
            teller.join()


def _drained(tables: _Tables) -> None:
    outbox = Outbox(tables.store.redis)
    until = time.monotonic() + PATIENCE
    while outbox.waiting() and time.monotonic() < until:
        time.sleep(0.1)
    settle((tables.service,))

"""A stage for what may happen to senders: a store, tables that are told, a receiver; and the sum of what came."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from service.store.crawls import CrawlStore
from service.store.embedded import EmbeddedStore
from service.store.opening import open_store
from service.store.outbox import LEASE_SECONDS, Outbox
from service.webhooks.messages import message_id
from tests.webhooks.processes import Recorder, recorder
from tests.webhooks.telling import add, crawl_id, hook, start, tell

CRAWLS = tuple(range(0, 240, 6))
"""Numbers of crawls, each of a partition of its own and with a webhook for its GM and one for its players. They are
many, since what a dead worker held keeps its webhook back until the lease ends."""
ANSWERS_AFTER = 0.05
"""Seconds that the receiver takes, so that whenever a sender dies it is in the middle of something."""
PATIENCE = 2 * LEASE_SECONDS + 30.0


@dataclass(frozen=True, slots=True)
class Sum:
    """Deliveries that were due; of these: lost, arrived more than once, and those of several bodies. `strangers` came
    though nobody was told them, and `left` is what should not be in the store any more."""

    told: int
    lost: int
    twice: int
    bodies: int
    strangers: int
    left: tuple[str, ...]

    @property
    def well(self) -> bool:
        return not (self.lost or self.bodies or self.strangers or self.left)


@dataclass(slots=True)
class Stage:
    url: str
    store: CrawlStore
    there: Recorder
    log: Path
    told: set[str] = field(default_factory=set)

    def tell(self, crawl: str, name: str) -> list[str]:
        """One event, in a commit of its own; the ids of what its webhooks must get."""
        tell(self.store, crawl, name)
        ids = [message_id(f"evt_{crawl}_{name}", webhook) for webhook in self.store.webhooks.all(crawl)]
        self.told.update(ids)
        return ids

    @contextmanager
    def telling(self, rate: float) -> Iterator[None]:
        """While it lasts, `rate` commits a second over all crawls in turn."""
        over = threading.Event()

        def go_on() -> None:
            began = time.monotonic()
            for number in count():
                self.tell(crawl_id(CRAWLS[number % len(CRAWLS)]), f"enc_{len(self.told)}")
                if over.wait(max(0.0, began + number / rate - time.monotonic())):
                    return

        with ThreadPoolExecutor(1) as teller:
            telling = teller.submit(go_on)
            try:
                yield
            finally:
                over.set()
                telling.result()

    def end_leases(self) -> None:
        """What is leased by now is lost to whoever has it, as if the time of a lease had passed."""
        for flight in self.store.redis.keys("alarum:{p*}:flight:*"):
            self.store.redis.zadd(flight, dict.fromkeys(self.store.redis.zrange(flight, 0, -1), 0), xx=True)
        for due in self.store.redis.keys("alarum:{p*}:due"):
            self.store.redis.zadd(due, dict.fromkeys(self.store.redis.zrange(due, 0, -1), 0), xx=True)

    def drained(self) -> bool:
        """Whether, within a while, nothing is left to do."""
        outbox = Outbox(self.store.redis)
        until = time.monotonic() + PATIENCE
        while outbox.waiting() and time.monotonic() < until:
            time.sleep(0.05)
        return not outbox.waiting()

    def sum(self, *left: str) -> Sum:
        arrivals = self.there.arrivals()
        times = Counter(arrival.id for arrival in arrivals)
        bodies = Counter(id_ for id_, _ in {(arrival.id, arrival.body) for arrival in arrivals})
        return Sum(
            told=len(self.told),
            lost=len(self.told - times.keys()),
            twice=sum(each > 1 for each in times.values()),
            bodies=sum(each > 1 for each in bodies.values()),
            strangers=len(times.keys() - self.told),
            left=(*left, *self._left()),
        )

    def _left(self) -> Iterator[str]:
        """Entries, queues and leases; deliveries that wait, that no log shows, or that would stay for ever."""
        redis = self.store.redis
        names = sorted(name.decode() for name in redis.keys("alarum:{p*"))
        logged = {id_.decode() for name in names if ":log:" in name for id_ in redis.zrange(name, 0, -1)}
        for name in names:
            what, _, which = name.partition("}:")[2].partition(":")
            if what in ("queue", "flight", "due") or (what == "outbox" and redis.xlen(name)):
                yield name
            elif what == "delivery":
                if redis.hget(name, "status") != b"delivered" or which not in logged or redis.ttl(name) < 0:
                    yield name
                logged.discard(which)
        yield from (f"{id_}, which a log shows" for id_ in sorted(logged))


@contextmanager
def stage(folder: Path) -> Iterator[Stage]:
    server = EmbeddedStore(folder / "store")
    server.start()
    try:
        store = open_store(server.url)
        with closing(store.redis), recorder() as there:
            for number in CRAWLS:
                crawl = start(store, number)
                for which, audience in enumerate(("gm", "public")):
                    add(store, crawl, hook(there.url(ANSWERS_AFTER), number + which, audience=audience))
            yield Stage(server.url, store, there, folder / "workers.txt")
    finally:
        server.stop()

"""From commit to arrival: how long events take to those who are told of them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass

from service.store.crawls import CrawlStore
from service.webhooks.messages import message_id
from tests.webhooks.processes import Recorder
from tests.webhooks.telling import add, crawl_id, hook, start, tell

WEBHOOKS = 50
CRAWLS = tuple(crawl_id(number) for number in (0, 85, 170))
"""Three, each of a partition of its own."""
PATIENCE = 60.0


@dataclass(frozen=True, slots=True)
class Lag:
    """Deliveries a second, how many there were and came, and seconds from just before the commit to the arrival."""

    rate: float
    expected: int
    lags: tuple[float, ...]

    @property
    def lost(self) -> int:
        return self.expected - len(self.lags)

    def within(self, share: float) -> float:
        """Seconds in which that share of them had arrived."""
        return self.lags[min(int(len(self.lags) * share), len(self.lags) - 1)]

    def median(self) -> float:
        return statistics.median(self.lags)


def set_tables(store: CrawlStore, url: str) -> None:
    """Three crawls that share fifty webhooks: each event goes to the sixteen or seventeen of its crawl."""
    for number in (0, 85, 170):
        start(store, number)
    for number in range(WEBHOOKS):
        add(store, CRAWLS[number % 3], hook(url, number))


def webhooks_of(crawl: str) -> list[str]:
    return [f"whk_{number}" for number in range(CRAWLS.index(crawl), WEBHOOKS, 3)]


def commits(store: CrawlStore, name: str, rate: float, count: int) -> Iterator[tuple[str, str, float]]:
    """At least `count` deliveries at `rate` a second, by commits at even times, the three crawls in turn. Each commit:
    its crawl, its event, and the moment just before it."""
    told = number = 0
    began = time.monotonic()
    while told < count:
        crawl = CRAWLS[number % 3]
        time.sleep(max(0.0, began + told / rate - time.monotonic()))
        at = time.monotonic()
        tell(store, crawl, f"{name}_{number}")
        yield crawl, f"evt_{crawl}_{name}_{number}", at
        told += len(webhooks_of(crawl))
        number += 1


def lag(store: CrawlStore, there: Recorder, rate: float, count: int) -> Lag:
    """How long deliveries take at that rate, while a worker runs."""
    before = there.count()
    expected = {
        message_id(event, webhook): at
        for crawl, event, at in commits(store, f"lag{rate:.0f}", rate, count)
        for webhook in webhooks_of(crawl)
    }
    there.wait_for(before + len(expected), PATIENCE)
    first: dict[str, float] = {}
    for arrival in there.arrivals():
        first.setdefault(arrival.id, arrival.at)
    return Lag(rate, len(expected), tuple(sorted(first[id_] - at for id_, at in expected.items() if id_ in first)))

"""Receivers on the loopback, and the outbox of this run's store."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from service.store.crawls import CrawlStore
from service.store.outbox import Outbox
from tests.webhooks.clock import Clock
from tests.webhooks.receivers import Behaviour, Receiver, answer
from tests.webhooks.telling import start


@pytest.fixture
def receiver() -> Iterator[Callable[..., Receiver]]:
    """Starts receivers: `receiver(status, headers, body)`, or `receiver(behave=…)` for one with manners of its own."""
    started: list[Receiver] = []

    def begin(*told: object, behave: Behaviour | None = None) -> Receiver:
        started.append(Receiver(behave or answer(*told)))  # type: ignore[arg-type]
        return started[-1]

    yield begin
    for each in started:
        each.close()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def crawl(store: CrawlStore) -> str:
    """A crawl that has something to tell."""
    return start(store)


@pytest.fixture
def outbox(store: CrawlStore) -> Outbox:
    return Outbox(store.redis)

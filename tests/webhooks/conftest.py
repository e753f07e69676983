"""Receivers on the loopback, and the outbox of this run's store."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from service.store.crawls import CrawlStore
from service.store.outbox import Outbox
from tests.webhooks.receivers import Behaviour, Receiver, answer


@pytest.fixture
def receiver() -> Iterator[Callable[..., Receiver]]:
    """Starts receivers: `receiver(status, headers, body)`, or `receiver(behave=…)` for one with manners of its own."""
    started: list[Receiver] = []

    def start(*told: object, behave: Behaviour | None = None) -> Receiver:
        started.append(Receiver(behave or answer(*told)))  # type: ignore[arg-type]
        return started[-1]

    yield start
    for each in started:
        each.close()


@pytest.fixture
def outbox(store: CrawlStore) -> Outbox:
    return Outbox(store.redis)

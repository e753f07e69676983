"""The evening, played once for all tests that render it."""

from __future__ import annotations

import pytest

from service.store.opening import open_store
from tests.render import evening


@pytest.fixture(scope="session")
def told_events(store_url: str) -> list[evening.Seen]:
    """(event, audience) of every event of the evening."""
    store = open_store(store_url)
    try:
        return list(evening.evening(store))
    finally:
        store.redis.close()

"""A crawl that is in the store, and its GM's way of reading it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from service.rules.model import Crawl
from service.store.crawls import CrawlStore
from service.store.records import Loaded
from tests.store.changes import CRAWL, GM, a_crawl, started


@pytest.fixture
def load(store: CrawlStore) -> Callable[..., Loaded]:
    """Loads the crawl as its GM."""

    def _load(crawl_id: str = CRAWL, **wanted: bool) -> Loaded:
        found = store.load(crawl_id, GM, **wanted)
        assert isinstance(found, Loaded)
        return found

    return _load


@pytest.fixture
def crawl(store: CrawlStore) -> Crawl:
    """A crawl that has just been started."""
    crawl = a_crawl()
    store.commit(started(crawl))
    return crawl

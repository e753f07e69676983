"""The application over an empty store, and a crawl in it."""

from __future__ import annotations

from hashlib import sha256

import pytest

from service.app import create_app
from service.settings import Settings
from service.store.crawls import CrawlStore
from tests.api.talking import Api, Crawl, start

KEY = "ik_" + "K" * 43


@pytest.fixture
def api(store: CrawlStore) -> Api:
    return Api(create_app(Settings(), store))


@pytest.fixture
def keyed(store: CrawlStore) -> Api:
    """An instance that others can reach: it asks for keys and counts failures. `KEY` is one of its keys."""
    store.keyring.create(sha256(KEY.encode()).hexdigest(), "ours", "2026-11-30T12:00:00Z")
    return Api(create_app(Settings(host="0.0.0.0", registration="key"), store))


@pytest.fixture
def crawl(api: Api) -> Crawl:
    return start(api)

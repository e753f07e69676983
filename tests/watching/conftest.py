"""The application over an empty store."""

from __future__ import annotations

import pytest

from service.app import create_app
from service.settings import Settings
from service.store.crawls import CrawlStore
from tests.api.talking import Api


@pytest.fixture
def api(store: CrawlStore) -> Api:
    return Api(create_app(Settings(), store))

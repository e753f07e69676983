"""What all tests share: one real server a run, empty at the start of each test that asks for the store."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from service.store.crawls import CrawlStore
from service.store.embedded import EmbeddedStore
from service.store.opening import open_store
from tests.store.clusters import cluster
from tests.store.everywhere import forget_everything

# CI tries the same examples every time; at one's desk each run tries others.
settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
settings.register_profile("desk", deadline=None, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "desk")


@pytest.fixture(scope="session")
def store_url() -> Iterator[str]:
    """The address of this run's server; it ends with the run. `ALARUM_TEST_SERVER` names another program to run, and
    with `ALARUM_TEST_CLUSTER` it is a cluster of three."""
    binary = os.environ.get("ALARUM_TEST_SERVER")
    with tempfile.TemporaryDirectory(prefix="alarum-tests-") as folder:
        if os.environ.get("ALARUM_TEST_CLUSTER"):
            with cluster(Path(folder)) as started:
                yield started.url
            return
        server = EmbeddedStore(Path(folder), binary=Path(binary) if binary else None)
        server.start()
        yield server.url
        server.stop()


@pytest.fixture
def store(store_url: str) -> Iterator[CrawlStore]:
    """An empty store."""
    opened = open_store(store_url)
    forget_everything(opened.redis)
    yield opened
    opened.redis.close()

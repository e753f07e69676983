"""A store that could lose what it acknowledged is found out."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from service.store.crawls import CrawlStore
from service.store.durability import durability
from service.store.records import Finding


@pytest.fixture
def settings(store: CrawlStore) -> Iterator[CrawlStore]:
    """The store, whose settings are put right again afterwards."""
    yield store
    store.redis.replicaof("NO", "ONE")
    store.redis.config_set("appendonly", "yes")
    store.redis.config_set("appendfsync", "always")
    store.redis.config_set("maxmemory-policy", "noeviction")


def test_the_embedded_store_keeps_what_it_acknowledges(store: CrawlStore) -> None:
    assert durability(store.redis) == ()


@pytest.mark.parametrize(
    ("name", "value", "grave", "word"),
    [
        ("appendonly", "no", True, "appendonly yes"),
        ("appendfsync", "no", True, "appendfsync always"),
        ("appendfsync", "everysec", False, "the last second"),
        ("maxmemory-policy", "volatile-lru", True, "noeviction"),
    ],
)
def test_a_setting_that_loses_crawls_is_named(
    settings: CrawlStore, name: str, value: str, grave: bool, word: str
) -> None:
    settings.redis.config_set(name, value)
    (finding,) = durability(settings.redis)
    assert finding.grave == grave
    assert word in finding.detail


def test_a_replica_is_no_place_to_write(settings: CrawlStore) -> None:
    settings.redis.replicaof("127.0.0.1", 1)
    settings.redis.config_set("appendfsync", "everysec")
    first, second = durability(settings.redis)
    assert first == Finding(True, "The store is a replica; give the address of the primary.")
    assert not second.grave

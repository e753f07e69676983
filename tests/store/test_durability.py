"""A store that could lose what it acknowledged is found out."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from service.store.crawls import CrawlStore
from service.store.durability import durability
from service.store.opening import open_redis, open_store
from service.store.records import Finding
from tests.store.changes import a_crawl, started
from tests.store.clusters import cluster, until


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


def test_a_store_that_hides_its_state_is_found_out(store: CrawlStore) -> None:
    store.redis.execute_command("ACL", "SETUSER", "blind", "on", "nopass", "~*", "&*", "+@all", "-info")
    blind = open_store(f"unix://blind:any@{store.redis.connection_pool.connection_kwargs['path']}")
    try:
        (finding,) = durability(blind.redis)
        assert finding.grave and "INFO" in finding.detail
        blind.commit(started(a_crawl()))
    finally:
        blind.redis.close()
        store.redis.execute_command("ACL", "DELUSER", "blind")


def test_a_clock_that_is_half_a_minute_off_is_told(store: CrawlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    monkeypatch.setattr("service.store.durability.time.time", lambda: now + 40)
    (finding,) = durability(store.redis)
    assert finding == Finding(False, "The store's clock is 40 s behind this machine's; set both by the same source.")


def test_every_node_of_a_cluster_is_looked_at(tmp_path: Path) -> None:
    with cluster(tmp_path, replicas=1, appendfsync="always") as nodes:
        redis = open_redis(nodes.url)
        lag = Finding(False, "A failover can lose the last rounds; `min-replicas-to-write 1` would make them fewer.")
        assert durability(redis) == (replace(lag, detail=f"1 of 4 nodes: {lag.detail}"),)
        for node in nodes.all[1:3]:
            node.redis.config_set("maxmemory-policy", "allkeys-lru")
        nodes.all[3].kill()
        until(lambda: not nodes.all[0].redis.info("replication")["connected_slaves"])
        evicts, away = durability(redis)
        assert evicts.grave and evicts.detail.startswith("2 of 4 nodes: The store evicts keys")
        assert away == Finding(False, "1 of 4 nodes: The store does not answer.")
        redis.close()


def test_a_replica_is_no_place_to_write(settings: CrawlStore) -> None:
    settings.redis.replicaof("127.0.0.1", 1)
    settings.redis.config_set("appendfsync", "everysec")
    first, second = durability(settings.redis)
    assert first == Finding(True, "The store is a replica; give the address of the primary.")
    assert not second.grave

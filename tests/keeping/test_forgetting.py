"""A crawl is forgotten so many days after it ended, with all that is its own; one that has not ended never is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service.app import create_app
from service.settings import Settings
from service.store import keys
from service.store.crawls import CrawlStore
from service.store.errors import StaleCrawl
from service.store.outbox import Outbox
from service.worker.forgetting import forget_ended
from tests.api.conftest import KEY
from tests.api.talking import Api, Crawl, start
from tests.crawls.tables import hashed
from tests.webhooks.telling import LOOPBACK, claim, drain, put_off

DAY = 24 * 3600 * 1000


@pytest.fixture
def api(store: CrawlStore) -> Api:
    store.keyring.create(hashed(KEY), "ours", "2026-11-30T12:00:00Z")
    return Api(create_app(Settings(registration="key", webhook_allow=LOOPBACK), store), KEY)


def ended(crawl: Crawl) -> Crawl:
    assert crawl.gm.post(f"{crawl.path}/end").status_code == 200
    return crawl


def days_later(store: CrawlStore, crawl: Crawl, days: int) -> None:
    """Its end moves into the past."""
    index = keys.keys_of(crawl.started["id"]).ended
    store.redis.zincrby(index, -days * DAY, crawl.started["id"])


def all_about(store: CrawlStore, *words: str) -> list[str]:
    """Every key that names or holds one of these words, what Idempotency-Keys brought aside."""
    found = []
    for key in store.redis.keys("*"):
        content = key + store.redis.dump(key)
        if any(word.encode() in content for word in words) and b":idempotency:" not in key:
            found.append(key.decode())
    return found


def test_only_those_that_ended_long_enough_ago_are_forgotten(store: CrawlStore, api: Api) -> None:
    crawls = {name: start(api, name=name) for name in ("active", "paused", "just ended", "ended long ago")}
    crawls["paused"].gm.post(f"{crawls['paused'].path}/pause")
    for name in ("just ended", "ended long ago"):
        ended(crawls[name])
    days_later(store, crawls["just ended"], 29)
    days_later(store, crawls["ended long ago"], 30)
    assert forget_ended(store, 30) == 1
    assert forget_ended(store, 30) == 0
    left = [crawl["name"] for crawl in api.get("/v1/crawls").json["crawls"]]
    assert left == ["just ended", "paused", "active"]
    assert crawls["ended long ago"].gm.get(crawls["ended long ago"].path).status_code == 404


def test_nothing_of_it_is_left(store: CrawlStore, api: Api) -> None:
    crawl = start(api)
    webhook = crawl.gm.post(f"{crawl.path}/webhooks", {"url": "http://127.0.0.1:9999/"}).json["id"]
    crawl.round()
    crawl.gm.post(f"{crawl.path}/encounter_checks", {"face": 6})
    outbox, partition = Outbox(store.redis), keys.partition_of(crawl.started["id"])
    drain(outbox, partition)
    put_off(outbox, claim(outbox, 1, partition)[0], 60)
    ended(crawl)
    drain(outbox, partition)
    days_later(store, crawl, 1)
    assert all_about(store, crawl.started["id"], webhook)
    assert forget_ended(store, 1) == 1
    assert all_about(store, crawl.started["id"], webhook) == []


def test_no_crawl_that_is_played_is_forgotten_whatever_the_index_says(store: CrawlStore, api: Api) -> None:
    crawl = start(api)
    store.redis.zadd(keys.keys_of(crawl.started["id"]).ended, {crawl.started["id"]: 0})
    assert forget_ended(store, 1) == 0
    assert crawl.round()["number"] == 1


def test_a_crawl_is_not_forgotten_by_a_moment_before_its_end(store: CrawlStore, api: Api) -> None:
    crawl = ended(start(api))
    with pytest.raises(StaleCrawl):
        store.delete(crawl.started["id"], ended_by=0)


def test_an_imported_crawl_that_has_ended_counts_from_its_import(store: CrawlStore, api: Api) -> None:
    crawl = ended(start(api))
    days_later(store, crawl, 400)
    document: Any = crawl.gm.get(f"{crawl.path}/export").json
    copy = api.post("/v1/crawls/import", raw=json.dumps(document).encode()).json
    assert forget_ended(store, 30) == 1
    assert [each["id"] for each in api.get("/v1/crawls").json["crawls"]] == [copy["id"]]
    days_later(store, Crawl(copy, api, api), 30)
    assert forget_ended(store, 30) == 1
    assert api.get("/v1/crawls").json["crawls"] == []

"""Instance keys, the crawls that they started, a crawl's webhooks, and failed authentications."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.rules.model import Crawl
from service.store.crawls import CrawlStore
from service.store.errors import (
    BadCursor,
    CrawlNotFound,
    IdempotencyKeyReused,
    StaleCrawl,
    StoreFull,
    TooManyWebhooks,
    WebhookNotFound,
)
from service.store.failures import Failures
from service.store.keys import failures, owned
from service.store.records import InstanceKey
from tests.store.changes import CRAWL, a_crawl, a_key, an_answer, started
from tests.store.everywhere import config_set


def test_instance_keys_are_found_by_their_digest_until_revoked(store: CrawlStore) -> None:
    first = store.keyring.create("ab" * 32, "the club", "2026-11-30T12:00:00Z")
    second = store.keyring.create("cd" * 32, "", "2026-11-30T13:00:00Z")
    assert first == InstanceKey("key_" + "ab" * 10, "ab" * 32, "the club", "2026-11-30T12:00:00Z")
    assert store.keyring.find("ab" * 32) == first
    assert store.keyring.find("ef" * 32) is None
    assert store.keyring.list() == (first, second)
    assert store.keyring.revoke(first.id)
    assert not store.keyring.revoke(first.id)
    assert store.keyring.find("ab" * 32) is None
    assert store.keyring.list() == (second,)


def five_crawls(store: CrawlStore) -> list[Crawl]:
    """The newest first; two share a moment."""
    crawls = [a_crawl(f"crl_{n}0" + "k" * 20, f"2026-11-30T12:00:0{min(n, 4)}.5Z") for n in range(1, 6)]
    for crawl in crawls:
        store.commit(started(crawl))
    return crawls[::-1]


def test_an_owner_lists_its_own_crawls_newest_first_page_by_page(store: CrawlStore) -> None:
    crawls = five_crawls(store)
    store.commit(started(a_crawl("crl_ff" + "k" * 20), owner="key_2"))
    found, after = [], None
    while True:
        page = store.list_crawls("key_1", after, 2)
        found.append(page.crawls)
        after = page.next
        if after is None:
            break
    assert found == [tuple(crawls[0:2]), tuple(crawls[2:4]), tuple(crawls[4:5])]
    assert store.list_crawls("key_3", None, 2).crawls == ()


def test_a_crawl_deleted_between_two_pages_loses_nobody(store: CrawlStore) -> None:
    crawls = five_crawls(store)
    page = store.list_crawls("key_1", None, 2)
    store.delete(crawls[1].id)
    assert store.list_crawls("key_1", page.next, 9).crawls == tuple(crawls[2:])


def test_an_entry_that_leads_nowhere_is_left_out_and_dropped_once_it_is_old(store: CrawlStore) -> None:
    crawls = five_crawls(store)
    store._owned.add("key_1", "crl_00" + "k" * 20, "2026-11-30T13:00:00Z")
    store._owned.add("key_1", "crl_00" + "k" * 20, "2126-11-30T13:00:00Z")  # a commit may still be on its way
    assert store.list_crawls("key_1", None, 5).crawls == tuple(crawls)
    assert store.redis.zcard(owned("key_1")) == 6


@pytest.mark.parametrize("after", ["", "x", "0:crl_", "(1", "1" * 16 + ":crl_" + "k" * 22 + "\n"])
def test_a_cursor_that_no_list_gave_out_is_refused(store: CrawlStore, after: str) -> None:
    with pytest.raises(BadCursor):
        store.list_crawls("key_1", after, 5)


def test_webhooks_are_made_changed_and_removed_with_their_answers(store: CrawlStore, crawl: Crawl) -> None:
    first, second = (
        {"url": "https://example.org/", "status": "active"},
        {"url": "https://example.org/", "status": "paused"},
    )
    key, answer = a_key("hook"), an_answer(secret=True)
    assert store.webhooks.create(CRAWL, "whk_1", first, idempotency=key, answer=answer) == answer
    assert store.webhooks.create(CRAWL, "whk_2", first, idempotency=key, answer=answer) == replace(
        answer, replayed=True
    )
    with pytest.raises(IdempotencyKeyReused):
        store.webhooks.delete(CRAWL, "whk_1", idempotency=a_key("hook", "other"), answer=answer)
    assert store.webhooks.all(CRAWL) == {"whk_1": first}
    store.webhooks.change(CRAWL, "whk_1", first, second)
    with pytest.raises(StaleCrawl):
        store.webhooks.change(CRAWL, "whk_1", first, first)
    assert store.webhooks.get(CRAWL, "whk_1") == second
    store.webhooks.delete(CRAWL, "whk_1")
    with pytest.raises(WebhookNotFound):
        store.webhooks.delete(CRAWL, "whk_1")
    with pytest.raises(WebhookNotFound):
        store.webhooks.change(CRAWL, "whk_1", second, first)
    assert store.webhooks.get(CRAWL, "whk_1") is None
    assert store.webhooks.all(CRAWL) == {}


def test_a_crawl_has_twenty_webhooks_at_most(store: CrawlStore, crawl: Crawl) -> None:
    for number in range(20):
        store.webhooks.create(CRAWL, f"whk_{number}", {})
    with pytest.raises(TooManyWebhooks):
        store.webhooks.create(CRAWL, "whk_20", {})
    assert len(store.webhooks.all(CRAWL)) == 20


def test_no_webhook_without_a_crawl(store: CrawlStore) -> None:
    with pytest.raises(CrawlNotFound):
        store.webhooks.create(CRAWL, "whk_1", {})


def test_an_address_waits_once_it_has_failed_too_often(store: CrawlStore) -> None:
    failed = Failures(store.redis, allowed=2, window_seconds=60)
    assert [failed.count("203.0.113.7") for _ in range(2)] == [0, 0]
    assert failed.count("203.0.113.7") == 60
    assert failed.count("203.0.113.8") == 0


def test_a_window_begins_with_the_first_failure_and_is_not_drawn_out(store: CrawlStore) -> None:
    failed = Failures(store.redis, allowed=0, window_seconds=60)
    failed.count("203.0.113.7")
    store.redis.expire(failures("203.0.113.7"), 5)  # what 55 seconds do
    assert failed.count("203.0.113.7") == 5


def test_a_full_store_counts_no_failure_but_says_so(store: CrawlStore) -> None:
    config_set(store.redis, "maxmemory", 1)
    try:
        with pytest.raises(StoreFull):
            store.failures.count("203.0.113.7")
    finally:
        config_set(store.redis, "maxmemory", 0)

"""A crawl's keys share a slot, whatever is in its id."""

from __future__ import annotations

import pytest
from redis.crc import key_slot

from service.store.errors import CrawlNotFound
from service.store.keys import STATE_FIELDS, keys_of, partition_of, partition_of_scope
from service.store.writing import keys_to_write
from tests.store.changes import CRAWL, a_crawl, a_key, an_answer, started


def test_a_crawl_names_its_partition() -> None:
    assert [partition_of(f"crl_{digits}{'k' * 20}") for digits in ("00", "7f", "ff")] == [0, 127, 255]
    assert keys_of(CRAWL).crawl == f"alarum:{{p127}}:crawl:{CRAWL}"
    assert keys_of(CRAWL).outbox == "alarum:{p127}:outbox"


@pytest.mark.parametrize(
    "text", ["", "crl_7f", "crl_7F" + "k" * 20, "crl_7f" + "k" * 21, "crl_7f" + "K" * 20, CRAWL + "\n"]
)
def test_what_cannot_be_a_crawls_id_is_not_found(text: str) -> None:
    with pytest.raises(CrawlNotFound):
        keys_of(text)


def test_a_commit_touches_one_slot_with_its_outbox_and_its_idempotency_key() -> None:
    key = a_key("start")
    change = started(a_crawl(f"crl_{key.scope[:2]}{'k' * 20}"), idempotency=key, answer=an_answer())
    assert partition_of(change.crawl_id) == partition_of_scope(key.scope)
    assert len({key_slot(name.encode()) for name in keys_to_write(change)}) == 1
    assert set(keys_of(change.crawl_id).own()) < set(keys_to_write(change))


def test_one_read_brings_all_that_a_change_is_checked_against() -> None:
    assert {"version", "card", "play", "status", "sequence", "public_sequence", "revision"} < set(STATE_FIELDS)

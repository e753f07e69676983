"""The same key with the same request changes the crawl once, however often and however parallel it comes."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from service.rules.model import Crawl
from service.store.crawls import CrawlStore
from service.store.errors import AnswerSealed, IdempotencyKeyReused, StaleCrawl
from service.store.keys import IDEMPOTENCY_SECONDS, SEALED_SECONDS, idempotency, sealed
from service.store.records import Answer, Change, Loaded
from tests.store.changes import CRAWL, GM, PLAYER, a_crawl, a_key, a_round, an_answer, an_undo, started
from tests.store.everywhere import all_keys

Load = Callable[..., Loaded]


def test_the_first_answer_is_given_again_before_anything_else_is_looked_at(
    store: CrawlStore, crawl: Crawl, load: Load
) -> None:
    first = a_round(load(), idempotency=a_key("one"), answer=an_answer())
    assert store.commit(first) == an_answer()
    store.commit(an_undo(load(last_step=True)))
    again = replace(an_answer(), replayed=True)
    assert store.load(CRAWL, GM, idempotency=a_key("one")) == again
    assert store.commit(first) == again
    assert load().crawl.version == 3


def test_the_same_key_with_another_body_is_refused(store: CrawlStore, crawl: Crawl, load: Load) -> None:
    store.commit(a_round(load(), idempotency=a_key("one", "body"), answer=an_answer()))
    with pytest.raises(IdempotencyKeyReused):
        store.load(CRAWL, GM, idempotency=a_key("one", "other"))
    with pytest.raises(IdempotencyKeyReused):
        store.commit(a_round(load(), idempotency=a_key("one", "other"), answer=an_answer()))
    assert load().crawl.version == 2


def test_an_unused_key_brings_nothing_and_a_refusal_is_not_kept(store: CrawlStore, crawl: Crawl, load: Load) -> None:
    old = load()
    store.commit(a_round(old))
    with pytest.raises(StaleCrawl):
        store.commit(a_round(old, idempotency=a_key("one"), answer=an_answer()))
    assert isinstance(store.load(CRAWL, GM, idempotency=a_key("one")), Loaded)


def test_a_revoked_token_gets_no_answer_again(store: CrawlStore, crawl: Crawl, load: Load) -> None:
    store.commit(a_round(load(), idempotency=a_key("one"), answer=an_answer()))
    assert isinstance(store.load(CRAWL, PLAYER, idempotency=a_key("one")), Answer)
    store.commit(Change(CRAWL, (), tokens={PLAYER: None}))
    found = store.load(CRAWL, PLAYER, idempotency=a_key("one"))
    assert isinstance(found, Loaded)
    assert found.token is None


def test_a_key_is_kept_for_seven_days(store: CrawlStore, crawl: Crawl, load: Load) -> None:
    store.commit(a_round(load(), idempotency=a_key("one"), answer=an_answer()))
    assert store.redis.ttl(idempotency(0x7F, a_key("one").scope)) == IDEMPOTENCY_SECONDS == 604_800


def test_fifty_at_once_make_one_change_and_get_equal_answers(store: CrawlStore, crawl: Crawl) -> None:
    def submit(number: int) -> Answer:
        while True:
            found = store.load(CRAWL, GM, idempotency=a_key("one"))
            if isinstance(found, Answer):
                return found
            try:
                answer = store.commit(a_round(found, idempotency=a_key("one"), answer=an_answer(number)))
            except StaleCrawl:
                continue
            assert answer is not None
            return answer

    with ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(submit, range(50)))
    assert sum(not answer.replayed for answer in answers) == 1
    assert len({(answer.status, str(answer.body), answer.etag, answer.location) for answer in answers}) == 1
    found = store.load(CRAWL, GM)
    assert isinstance(found, Loaded)
    assert (found.crawl.version, found.sequence, found.undo_depth) == (2, 3, 1)


def starting(number: int) -> Change:
    """One of several tries to start a crawl with the same key, each with an id and a token of its own."""
    key = a_key("start")
    crawl_id = f"crl_{key.scope[:2]}{number:0>20}"
    answer = Answer(201, {"id": crawl_id, "tokens": {"gm": f"gm_{number}"}}, '"1"', f"/v1/crawls/{crawl_id}", True)
    return started(a_crawl(crawl_id), idempotency=key, answer=answer)


def test_a_crawl_is_started_once_for_one_key(store: CrawlStore) -> None:
    assert store.replay(a_key("start")) is None
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda number: store.commit(starting(number)), range(8)))
    assert len({str(answer and answer.body) for answer in answers}) == 1
    again = store.replay(a_key("start"))
    assert again is not None
    assert again.replayed
    assert again.body == (answers[0] and answers[0].body)
    assert [crawl.id for crawl in store.list_crawls("key_1", None, 50).crawls] == [again.body["id"]]
    assert len(all_keys(store.redis, "alarum:*:crawl:*")) == 1


def test_an_answer_with_secrets_is_kept_sealed_and_for_ten_minutes(store: CrawlStore) -> None:
    change = starting(7)
    store.commit(change)
    key = a_key("start")
    seal = sealed(int(key.scope[:2], 16), key.scope)
    assert store.redis.ttl(seal) == SEALED_SECONDS == 600
    assert not any(b"gm_7" in (store.redis.dump(name) or b"") for name in all_keys(store.redis))
    assert store.replay(key) == replace(change.answer or an_answer(), replayed=True)
    store.redis.delete(seal)  # what ten minutes do
    with pytest.raises(AnswerSealed):
        store.replay(key)
    with pytest.raises(AnswerSealed):
        store.commit(change)
    assert store.list_crawls("key_1", None, 50).crawls[0].id == change.crawl_id


def test_a_seal_opens_with_the_key_alone(store: CrawlStore) -> None:
    store.commit(starting(7))
    with pytest.raises(AnswerSealed):
        store.replay(replace(a_key("start"), seal=bytes(32)))

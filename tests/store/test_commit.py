"""One commit keeps all of a change or nothing of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from service.rules.model import Crawl, Encounter
from service.rules.submission import Declaration
from service.store.crawls import CrawlStore
from service.store.errors import CrawlExists, CrawlNotFound, EventsTrimmed, StaleCrawl, StoreFull
from service.store.keys import keys_of, outbox
from service.store.records import Change, Loaded, Token
from tests.store.changes import (
    CRAWL,
    GM,
    PLAYER,
    a_crawl,
    a_declaration,
    a_key,
    a_record,
    a_redo,
    a_round,
    an_answer,
    an_event,
    an_undo,
    started,
)
from tests.store.everywhere import all_keys, config_set, forget_scripts

Load = Callable[..., Loaded]


def everything(store: CrawlStore) -> dict[bytes, bytes | None]:
    """All keys with their content, byte for byte."""
    return {key: store.redis.dump(key) for key in all_keys(store.redis)}


def test_a_crawl_is_found_as_it_was_started(store: CrawlStore) -> None:
    crawl = a_crawl()
    assert store.commit(started(crawl, answer=an_answer())) == an_answer()
    assert store.load(CRAWL, GM) == Loaded(crawl, Token("gm"), {}, 0, 1, 1, 0, 0, "key_1")


def test_a_token_says_who_asks(store: CrawlStore, crawl: Crawl) -> None:
    player, stranger = store.load(CRAWL, PLAYER), store.load(CRAWL, "0" * 64)
    assert isinstance(player, Loaded)
    assert isinstance(stranger, Loaded)
    assert player.token == Token("player", crawl.card.party[0].id)
    assert stranger.token is None
    assert store.tokens(CRAWL) == {GM: Token("gm"), PLAYER: player.token}


def test_a_token_is_given_and_revoked_without_touching_the_crawl(store: CrawlStore, crawl: Crawl) -> None:
    store.commit(Change(CRAWL, (), tokens={"a" * 64: Token("player"), PLAYER: None}))
    assert store.tokens(CRAWL) == {GM: Token("gm"), "a" * 64: Token("player")}
    assert store.load(CRAWL, GM) == Loaded(crawl, Token("gm"), {}, 0, 1, 1, 0, 0, "key_1")


@pytest.mark.parametrize("crawl_id", [CRAWL, "crl_", "crl_zz" + "k" * 20, "../../etc", "crl_7f" + "{}" * 10, ""])
def test_what_is_not_there_is_not_found(store: CrawlStore, crawl_id: str) -> None:
    with pytest.raises(CrawlNotFound):
        store.load(crawl_id, GM)
    with pytest.raises(CrawlNotFound):
        store.commit(Change(crawl_id, (an_event(1),), a_crawl(), expected_version=1))


def test_a_crawl_is_started_once(store: CrawlStore, crawl: Crawl) -> None:
    with pytest.raises(CrawlExists):
        store.commit(started(crawl))
    assert store.list_crawls("key_1", None, 10).crawls == (crawl,)


def test_a_round_keeps_state_record_encounter_step_and_events(store: CrawlStore, crawl: Crawl, load: Load) -> None:
    changes = []
    for _ in range(5):
        changes.append(a_round(load()))
        store.commit(changes[-1])
    last = changes[-1]
    encounter = next(iter(last.encounters.values()))
    found = load(pending=True, last_step=True, last_undone=True)
    assert found.crawl == last.crawl
    assert found.crawl.version == 6
    assert (found.sequence, found.public_sequence) == (11, 6)
    assert (found.undo_depth, found.redo_depth) == (5, 0)
    assert (found.pending, found.pending_count) == ((encounter,), 1)
    assert (found.last_step, found.last_undone) == (last.step, None)
    assert store.record(CRAWL, 5) == a_record(5)
    assert store.record(CRAWL, 6) is None
    assert store.records(CRAWL, 0, 50) == [a_record(number) for number in range(1, 6)]
    assert store.records(CRAWL, 1, 2) == [a_record(2), a_record(3)]
    assert store.encounter(CRAWL, "enc_nobody") is None
    assert [store.encounter(CRAWL, encounter.id or "")] == store.encounters(CRAWL, 0, 10) == [encounter]


def test_only_the_newest_twenty_pending_encounters_come_along(store: CrawlStore, crawl: Crawl, load: Load) -> None:
    came = [Encounter(f"enc_{number:0>3}", number, number * 60) for number in range(1, 26)]
    store.commit(replace(a_round(load()), encounters={encounter.id: encounter for encounter in came}))
    evaded = replace(came[-1], status="evaded", revealed=True)
    store.commit(replace(a_round(load()), encounters={evaded.id: evaded}))
    found = load(pending=True)
    assert found.pending_count == 24
    assert found.pending == tuple(reversed(came[4:24]))
    assert store.encounters(CRAWL, 22, 2) == [came[22], came[23]]
    assert store.encounters(CRAWL, 24, 9) == [evaded]
    assert store.encounters_by_id(CRAWL, ["enc_025", "enc_none", "enc_001"]) == {"enc_025": evaded, "enc_001": came[0]}


def test_a_stale_version_changes_nothing(store: CrawlStore, crawl: Crawl, load: Load) -> None:
    before = load()
    store.commit(a_round(before))
    kept = everything(store)
    with pytest.raises(StaleCrawl):
        store.commit(a_round(before, idempotency=a_key("late"), answer=an_answer()))
    assert everything(store) == kept


def test_a_declaration_leaves_the_version_and_takes_a_sequence(store: CrawlStore, crawl: Crawl, load: Load) -> None:
    kara = crawl.card.party[0].id
    store.commit(a_declaration(load()))
    found = load()
    assert found.crawl == crawl
    assert found.declarations == {kara: Declaration(kara, "search", room_ft=30)}
    assert (found.declarations_revision, found.sequence, found.public_sequence) == (1, 2, 2)


def test_a_stale_declarations_revision_changes_nothing(store: CrawlStore, crawl: Crawl, load: Load) -> None:
    before = load()
    store.commit(a_declaration(before))
    kept = everything(store)
    with pytest.raises(StaleCrawl):
        store.commit(a_declaration(before))
    with pytest.raises(StaleCrawl):
        store.commit(a_round(before, expected_revision=before.declarations_revision))
    assert everything(store) == kept


def test_undo_and_redo_restore_exactly_what_was(store: CrawlStore, crawl: Crawl, load: Load) -> None:
    for _ in range(4):
        store.commit(a_round(load()))
    store.commit(a_declaration(load()))
    before = load(pending=True, last_step=True)
    store.commit(a_round(load()))
    after = load(pending=True, last_step=True)

    store.commit(an_undo(after))
    undone = load(pending=True, last_step=True, last_undone=True)
    assert undone.crawl == replace(before.crawl, version=after.crawl.version + 1)
    assert (undone.pending, undone.declarations, undone.last_step) == ((), before.declarations, before.last_step)
    assert (undone.undo_depth, undone.redo_depth) == (4, 1)
    assert store.record(CRAWL, 5) is None
    assert store.encounters(CRAWL, 0, 10) == []

    redo = a_redo(undone)
    store.commit(replace(redo, encounters={after.pending[0].id: after.pending[0]}))
    redone = load(pending=True, last_step=True, last_undone=True)
    assert redone.crawl == replace(after.crawl, version=after.crawl.version + 2)
    assert (redone.pending, redone.declarations, redone.last_step) == (after.pending, {}, after.last_step)
    assert (redone.undo_depth, redone.redo_depth, redone.last_undone) == (5, 0, None)
    assert store.record(CRAWL, 5) == a_record(5)


def test_a_new_step_clears_redo(store: CrawlStore, crawl: Crawl, load: Load) -> None:
    store.commit(a_round(load()))
    store.commit(an_undo(load(last_step=True)))
    store.commit(a_round(load()))
    assert (load().undo_depth, load().redo_depth) == (1, 0)


def test_nothing_is_undone_where_there_is_nothing(store: CrawlStore, crawl: Crawl, load: Load) -> None:
    store.commit(a_round(load()))
    undo = an_undo(load(last_step=True))
    store.redis.delete(keys_of(CRAWL).history)
    with pytest.raises(StaleCrawl):
        store.commit(undo)
    assert load().crawl.version == 2


def test_both_sequences_are_gapless_with_declarations_among_the_rounds(
    store: CrawlStore, crawl: Crawl, load: Load
) -> None:
    for number in range(12):
        store.commit(a_declaration(load()) if number % 3 == 1 else a_round(load()))
    for public, count in ((False, 1 + 8 * 2 + 4), (True, 1 + 8 + 4)):
        page = store.events(CRAWL, 0, 100, public=public)
        assert [event["sequence"] for event in page.events] == list(range(1, count + 1))
        assert not page.more
        assert all(list(event) == ["id", "type", "timestamp", "crawl", "sequence", "data"] for event in page.events)
    assert "note" not in str(store.events(CRAWL, 0, 100, public=True))


def test_events_are_paged_and_say_where_they_begin_once_trimmed(store_url: str, store: CrawlStore) -> None:
    short = CrawlStore(store.redis, keep_events=4)
    short.commit(started(a_crawl()))
    for number in range(2, 11):
        short.commit(Change(CRAWL, (an_event(number),)))
    page = short.events(CRAWL, 6, 3, public=False)
    assert ([event["sequence"] for event in page.events], page.more) == ([7, 8, 9], True)
    assert short.events(CRAWL, 10, 3, public=False).events == ()
    assert short.events(CRAWL, 2**53, 3, public=False).events == ()
    with pytest.raises(EventsTrimmed) as trimmed:
        short.events(CRAWL, 5, 3, public=True)
    assert trimmed.value.earliest == 7


def test_events_are_kept_for_thirty_days(store: CrawlStore, crawl: Crawl, load: Load) -> None:
    def tell(day: int, count: int) -> None:
        at = (datetime(2026, 12, 1, tzinfo=UTC) + timedelta(days=day)).isoformat().replace("+00:00", "Z")
        told = tuple(replace(an_event(number, public=number % 2 == 0), timestamp=at) for number in range(count))
        store.commit(Change(CRAWL, told))

    for day, count in ((0, 20), (10, 20), (35, 60)):
        tell(day, count)
    with pytest.raises(EventsTrimmed) as trimmed:
        store.events(CRAWL, 0, 200, public=False)
    assert trimmed.value.earliest == 22  # the first of the tenth day: crawl.started has sequence 1
    with pytest.raises(EventsTrimmed) as trimmed:
        store.events(CRAWL, 0, 200, public=True)
    assert trimmed.value.earliest == 12
    assert [each["sequence"] for each in store.events(CRAWL, 21, 200, public=False).events] == list(range(22, 102))
    assert [each["sequence"] for each in store.events(CRAWL, 11, 200, public=True).events] == list(range(12, 52))


def test_only_a_crawl_with_webhooks_fills_the_outbox(store: CrawlStore, crawl: Crawl, load: Load) -> None:
    store.commit(a_round(load()))
    assert store.redis.exists(outbox(0x7F)) == 0
    store.webhooks.create(CRAWL, "whk_1", {"url": "https://example.org/"})
    store.commit(a_round(load()))
    entries = [fields for _, fields in store.redis.xrange(outbox(0x7F))]
    names = {b"crawl": CRAWL.encode()}
    assert entries == [
        names | {b"event": b"evt_2", b"type": b"round.resolved", b"seq": b"4", b"pseq": b"3"},
        names | {b"event": b"evt_2", b"type": b"alert.changed", b"seq": b"5", b"pseq": b""},
    ]


def test_a_full_store_refuses_the_whole_commit_and_still_reads(store: CrawlStore, crawl: Crawl, load: Load) -> None:
    store.commit(a_round(load()))
    found, kept = load(), everything(store)
    config_set(store.redis, "maxmemory", 1)
    try:
        with pytest.raises(StoreFull):
            store.commit(a_round(found, idempotency=a_key("full"), answer=an_answer()))
        with pytest.raises(StoreFull):
            store.commit(started(a_crawl("crl_00" + "k" * 20)))
        with pytest.raises(StoreFull):
            store.webhooks.create(CRAWL, "whk_1", {})
        assert load() == found
    finally:
        config_set(store.redis, "maxmemory", 0)
    assert everything(store) == kept
    store.commit(a_round(found))


def test_scripts_that_the_server_forgot_are_sent_again(store: CrawlStore, crawl: Crawl, load: Load) -> None:
    for _ in range(10):
        forget_scripts(store.redis)
        found = load()
        forget_scripts(store.redis)
        store.commit(a_round(found))
    assert load().crawl.version == 11


def test_a_deleted_crawl_leaves_nothing_but_the_answer(store: CrawlStore, crawl: Crawl, load: Load) -> None:
    store.webhooks.create(CRAWL, "whk_1", {})
    for _ in range(6):
        store.commit(a_round(load()))
    store.redis.delete(outbox(0x7F))
    with pytest.raises(StaleCrawl):
        store.delete(CRAWL, expected_version=3)
    key, answer = a_key("DELETE"), replace(an_answer(), status=204, body=None, etag=None, location=None)
    assert store.delete(CRAWL, expected_version=7, idempotency=key, answer=answer) == answer
    assert all_keys(store.redis) == [f"alarum:{{p127}}:idempotency:{key.scope}".encode()]
    assert store.load(CRAWL, GM, idempotency=key) == replace(answer, replayed=True)
    assert store.delete(CRAWL, idempotency=key, answer=answer) == replace(answer, replayed=True)
    with pytest.raises(CrawlNotFound):
        store.delete(CRAWL)


def test_a_crawl_of_fifty_rounds_lives_in_six_kilobytes(store: CrawlStore, crawl: Crawl, load: Load) -> None:
    for _ in range(50):
        store.commit(a_round(load()))
    store.commit(a_declaration(load()))
    assert sum(store.redis.memory_usage(key, samples=0) or 0 for key in keys_of(CRAWL).live()) < 6 * 1024


def test_a_crawl_that_was_restored_counts_on_from_the_clock(store: CrawlStore, crawl: Crawl, load: Load) -> None:
    before = load()
    store.redis.hset(keys_of(CRAWL).crawl, "line", "")
    began = time.time_ns() // 1_000_000
    with pytest.raises(StaleCrawl):
        store.commit(a_round(before))
    found = load()
    assert min(found.crawl.version, found.sequence, found.public_sequence) >= began
    store.commit(a_round(found))
    assert load().sequence == found.sequence + 2
    assert [event["sequence"] for event in store.events(CRAWL, 0, 9, public=False).events] == [1]
    with pytest.raises(EventsTrimmed) as trimmed:
        store.events(CRAWL, 1, 9, public=False)
    assert trimmed.value.earliest == found.sequence + 1

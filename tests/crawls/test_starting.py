"""A crawl is begun once, with ids and tokens of its own; its secrets are shown this once and to nobody else."""

from __future__ import annotations

import hashlib
import re
from typing import Any

import pytest

from service.crawls.starting import list_crawls, start_crawl
from service.rules.errors import Invalid
from service.store.crawls import CrawlStore
from service.store.errors import IdempotencyKeyReused
from tests.crawls.tables import PARTY, SEED, a_key, now, start

WANTED: dict[str, Any] = {"ruleset": "derelict", "party": PARTY}


def test_a_crawl_begins_with_ids_and_tokens_of_its_own(store: CrawlStore) -> None:
    answer = start_crawl(store, None, "", WANTED, now)
    body = answer.body
    assert body is not None
    assert (answer.status, answer.etag, answer.secret) == (201, '"1"', True)
    assert answer.location == f"/v1/crawls/{body['id']}"
    assert re.fullmatch(r"crl_[0-9a-f]{2}[a-z2-7]{20}", body["id"])
    assert all(re.fullmatch(r"chr_[a-z2-7]{16}", character["id"]) for character in body["party"])
    rest = body["id"].removeprefix("crl_")
    assert re.fullmatch(rf"gm_{rest}_[\w-]{{43}}", body["tokens"]["gm"])
    assert re.fullmatch(rf"pl_{rest}_[\w-]{{43}}", body["tokens"]["player"])


def test_the_gm_is_shown_the_whole_crawl(store: CrawlStore) -> None:
    table = start(
        store,
        name="The Persephone",
        marching_order=["bram", "Kara"],
        light_bearers=["Kara"],
        alert={"enabled": True, "level": 2},
        guards={"passive_perception": 13},
        visibility={"timers": "vague"},
        rules={"paces": {"fast": {"alert_roll": {"raises_on": [3, 4, 5, 6]}}}},
    )
    party = table.crawl["party"]
    assert table.stands() == {
        "id": table.id,
        "name": "The Persephone",
        "ruleset": "derelict",
        "version": 1,
        "status": "active",
        "created_at": "2026-11-30T12:00:00.000Z",
        "clock": {"seconds": 0, "display": "0 min"},
        "rounds": 0,
        "alert": {"enabled": True, "level": 2, "easier_stealth": False},
        "party": [
            {
                "id": party[0]["id"],
                "name": "Kara",
                "passive_perception": 14,
                "dexterity_modifier": 3,
                "proficiency_bonus": 3,
                "default_activity": None,
            },
            *party[1:],
        ],
        "marching_order": ["Bram", "Kara"],
        "light_bearers": ["Kara"],
        "encounter_check": {"every_rounds": None},
        "guards": {"passive_perception": 13, "perception_modifier": None},
        "visibility": {"alert": "gm", "timers": "vague"},
        "rules": {"paces": {"fast": {"alert_roll": {"raises_on": [3, 4, 5, 6]}}}},
        "entry_card_locked": False,
        "chains": [],
        "next_check": {"at": 3600, "in": 3600, "die": "1d6", "triggers_on": [6], "chance": 1 / 6},
        "timers": [],
        "pending_encounters": [],
        "pending_encounter_count": 0,
        "dice": {"commitment": hashlib.sha256(bytes.fromhex(SEED)).hexdigest()},
        "undo_available": False,
        "redo_available": False,
    }


def test_players_are_shown_what_is_theirs(store: CrawlStore) -> None:
    table = start(store)
    shown = {
        "id",
        "name",
        "ruleset",
        "status",
        "created_at",
        "clock",
        "rounds",
        "party",
        "marching_order",
        "light_bearers",
        "chains",
        "timers",
        "pending_encounters",
        "pending_encounter_count",
        "dice",
    }
    assert set(table.stands("player")) == shown
    assert set(start(store, visibility={"alert": "public"}).stands("player")) == shown | {"alert"}


def test_a_crawl_without_a_name_has_its_rulesets(store: CrawlStore) -> None:
    assert start(store).crawl["name"] == "Derelict crawl"


def test_tokens_and_seed_are_kept_from_the_store_and_from_events(store: CrawlStore) -> None:
    table = start(store)
    kept = b"".join(store.redis.dump(key) or b"" for key in store.redis.scan_iter())
    for token in table.crawl["tokens"].values():
        assert token.encode() not in kept
    assert [(event["sequence"], event["type"]) for event in table.events()] == [(1, "crawl.started")]
    assert SEED not in repr(table.events())
    assert "tokens" not in repr(table.events())


def test_the_same_key_begins_one_crawl(store: CrawlStore) -> None:
    first = start_crawl(store, a_key(), "key_1", WANTED, now)
    again = start_crawl(store, a_key(), "key_1", WANTED, now)
    assert again.replayed
    assert again.body == first.body
    with pytest.raises(IdempotencyKeyReused):
        start_crawl(store, a_key(body="another"), "key_1", WANTED, now)
    assert len(listed(store)) == 1


def test_whoever_started_crawls_lists_them_newest_first(store: CrawlStore) -> None:
    first, second = start(store, name="First"), start(store, name="Second")
    assert {each["id"] for each in listed(store)} == {first.id, second.id}
    assert set(listed(store)[0]) == {"id", "name", "ruleset", "status", "created_at", "clock", "rounds"}
    assert list_crawls(store, "key_2", None, 50).body == {"crawls": [], "next": None}


@pytest.mark.parametrize(
    ("wanted", "pointer"),
    [
        ({"ruleset": "bogus"}, "/ruleset"),
        ({"party": [{"name": "Kara"}, {"name": "KARA"}]}, "/party/1/name"),
        ({"party": [{"id": "chr_x", "name": "Kara"}]}, "/party/0/id"),
        ({"marching_order": ["Nobody"]}, "/marching_order/0"),
    ],
)
def test_what_does_not_fit_is_pointed_at(store: CrawlStore, wanted: dict[str, Any], pointer: str) -> None:
    with pytest.raises(Invalid) as refused:
        start(store, **wanted)
    assert [fault.pointer for fault in refused.value.faults] == [pointer]
    assert not list(store.redis.scan_iter())


def listed(store: CrawlStore) -> list[Any]:
    found = list_crawls(store, "key_1", None, 50).body
    assert found is not None
    return list(found["crawls"])

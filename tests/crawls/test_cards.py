"""The card is changed by merge patch, paused, ended and forgotten."""

from __future__ import annotations

from typing import Any

import pytest

from service.crawls.cards import change_card, delete, end, pause, resume
from service.crawls.declaring import declare, list_declarations
from service.crawls.rounds import get_round
from service.rules.errors import IllegalEntryCard, IllegalStatus, Invalid
from service.rules.submission import Declaration
from service.store.crawls import CrawlStore
from service.store.errors import CrawlNotFound, StaleCrawl
from service.store.records import Answer
from tests.crawls.tables import SEED, Table, a_key, start


@pytest.fixture
def table(store: CrawlStore) -> Table:
    return start(store, guards={"passive_perception": 13, "perception_modifier": 3})


def test_what_the_patch_names_is_replaced_and_null_goes_back(table: Table) -> None:
    body = table.gm(
        change_card,
        {
            "name": "The Persephone",
            "guards": {"perception_modifier": None},
            "visibility": {"alert": "public"},
            "alert": {"enabled": False},
            "marching_order": ["Sela"],
        },
    )
    assert body["guards"] == {"passive_perception": 13, "perception_modifier": None}
    assert body["visibility"] == {"alert": "public", "timers": "exact"}
    assert body["alert"] == {"enabled": False, "level": None, "easier_stealth": False}
    assert (body["name"], body["marching_order"], body["version"]) == ("The Persephone", ["Sela"], 2)
    assert table.events()[-1]["data"] == {"changed": ["name", "marching_order", "alert", "guards", "visibility"]}
    assert table.events("player")[-1]["data"] == {"changed": ["name", "marching_order", "visibility"]}
    body = table.gm(
        change_card, {"name": None, "guards": None, "visibility": None, "alert": None, "marching_order": None}
    )
    assert (body["name"], body["guards"], body["marching_order"]) == ("Derelict crawl", None, [])
    assert body["visibility"] == {"alert": "gm", "timers": "exact"}
    assert body["alert"]["enabled"] is True


def test_house_rules_merge_by_key(table: Table) -> None:
    table.gm(change_card, {"rules": {"paces": {"fast": {"room_seconds": 20}, "normal": {"room_seconds": 50}}}})
    body = table.gm(change_card, {"rules": {"paces": {"fast": None}}})
    assert body["rules"] == {"paces": {"normal": {"room_seconds": 50}}}
    with pytest.raises(Invalid) as refused:
        table.gm(change_card, {"rules": {"paces": {"fast": {"room_seconds": -1}}}})
    assert refused.value.faults[0].pointer == "/rules/paces/fast/room_seconds"
    assert table.gm(change_card, {"rules": None})["rules"] == {}


def test_whoever_is_named_keeps_the_id(table: Table) -> None:
    party = [
        {"id": table.kara, "name": "Lady Kara"},
        {"name": "BRAM", "passive_perception": 12},
        {"name": "Odo"},
    ]
    changed = table.gm(change_card, {"party": party})["party"]
    assert [each["name"] for each in changed] == ["Lady Kara", "BRAM", "Odo"]
    assert [each["id"] for each in changed[:2]] == [table.kara, table.bram]
    assert changed[2]["id"] not in [each["id"] for each in table.crawl["party"]]
    assert changed[0]["passive_perception"] is None
    for wrong in ([{"id": "chr_x", "name": "X"}], [{"id": table.kara, "name": "A"}, {"id": table.kara, "name": "B"}]):
        with pytest.raises(Invalid):
            table.gm(change_card, {"party": wrong})


def test_what_somebody_declared_goes_with_them(table: Table) -> None:
    table.gm(declare, table.bram, Declaration("Bram", "loot"))
    table.gm(declare, table.kara, Declaration("Kara", "loot"))
    table.gm(change_card, {"party": [{"name": "Kara"}]})
    assert [each["character"] for each in table.gm(list_declarations)["declarations"]] == ["Kara"]


def test_work_begun_goes_with_whoever_leaves(table: Table) -> None:
    table.round(declarations=(Declaration("Bram", "cast", label="Ward", rounds_needed=3),))
    body = table.gm(change_card, {"party": [{"name": "Kara"}]})
    assert body["chains"] == []
    assert table.round()["chains"] == []


def test_the_entry_card_is_locked_by_the_first_round(table: Table) -> None:
    table.round()
    assert table.stands()["entry_card_locked"] is True
    with pytest.raises(IllegalEntryCard):
        table.gm(change_card, {"marching_order": ["Bram"]})
    assert table.gm(change_card, {"marching_order": ["Bram"]}, unlock=True)["marching_order"] == ["Bram"]


def test_a_patch_that_changes_nothing_leaves_the_version(table: Table) -> None:
    assert table.gm(change_card, {"name": "Derelict crawl"})["version"] == 1
    assert table.gm(change_card, {})["version"] == 1
    assert len(table.events()) == 1


def test_a_patch_leaves_redo(table: Table) -> None:
    from service.crawls.undoing import redo, undo

    table.round()
    table.gm(undo)
    assert table.gm(change_card, {"name": "Renamed"})["redo_available"] is True
    assert table.gm(redo)["rounds"] == 1


def test_the_same_key_patches_once(table: Table) -> None:
    first = change_card(table.entered(idempotency=a_key()), {"name": "Renamed"})
    again = table.enter(idempotency=a_key())
    assert isinstance(again, Answer)
    assert (again.replayed, again.body) == (True, first.body)


def test_a_paused_crawl_waits_and_an_ended_one_shows_its_seed(table: Table) -> None:
    assert table.gm(pause)["status"] == "paused"
    assert table.gm(pause)["version"] == 2
    assert table.gm(change_card, {"name": "Renamed"})["name"] == "Renamed"
    assert table.gm(resume)["status"] == "active"
    table.round()
    ended = table.gm(end)
    assert (ended["status"], ended["dice"]["seed"]) == ("ended", SEED)
    assert "seed" not in table.stands("player")["dice"]
    assert table.player(get_round, 1)["number"] == 1
    for refused in (pause, resume, end):
        with pytest.raises(IllegalStatus):
            table.gm(refused)
    with pytest.raises(IllegalStatus):
        table.gm(change_card, {"name": "Again"})
    assert [event["type"] for event in table.events("player")] == [
        "crawl.started",
        "crawl.changed",
        "crawl.changed",
        "crawl.changed",
        "round.resolved",
        "crawl.ended",
    ]


def test_a_deleted_crawl_is_gone_and_its_deletion_can_be_asked_again(table: Table) -> None:
    with pytest.raises(StaleCrawl):
        delete(table.entered(if_match='"4"'))
    assert delete(table.entered(idempotency=a_key())).status == 204
    again: Any = table.enter(idempotency=a_key())
    assert (again.status, again.replayed) == (204, True)
    with pytest.raises(CrawlNotFound):
        table.enter()

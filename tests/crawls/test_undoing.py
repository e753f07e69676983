"""Undo is exact (U1): play, encounters, records and declarations are as they were; version and events go on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from service.crawls.alerts import set_alert
from service.crawls.cards import change_card
from service.crawls.checks import check_by_hand
from service.crawls.declaring import declare, list_declarations
from service.crawls.encounters import change_encounter
from service.crawls.rounds import list_rounds
from service.crawls.timers import add_timer
from service.crawls.undoing import redo, undo
from service.rules.errors import Illegal, IllegalRedo, IllegalUndo
from service.rules.fitting import fitted
from service.rules.model import Card, Play
from service.rules.submission import Declaration
from service.store.crawls import CrawlStore
from tests.crawls.tables import Table, start


def test_a_halted_round_is_taken_back_whole(store: CrawlStore) -> None:
    table = start(store)
    table.gm(add_timer, {"name": "Torch", "kind": "light", "seconds": 3000})
    table.gm(declare, table.bram, Declaration("Bram", "loot"))
    before = everything(table)
    outcome = table.round("rest", seconds=7200, dice={"encounter": (6,)})
    assert outcome["halted"]
    after = everything(table)
    body = table.gm(undo)
    assert body["undone"] == {"what": "round", "round": 1}
    assert (body["pending_encounters"], body["pending_encounter_count"]) == ([], 0)
    assert (body["undo_available"], body["redo_available"], body["version"]) == (True, True, 4)
    assert everything(table) == before
    body = table.gm(redo)
    assert body["redone"] == {"what": "round", "round": 1}
    assert [each["id"] for each in body["pending_encounters"]] == [outcome["encounters"][0]["id"]]
    assert everything(table) == after
    table.gm(undo)
    assert everything(table) == before


def test_the_same_round_again_rolls_the_same_faces_and_meets_the_same_encounter(store: CrawlStore) -> None:
    table = start(store, alert={"level": 4})
    first = table.round("rest", rounds=48, on_encounter="continue")
    table.gm(undo)
    again = table.round("rest", rounds=48, on_encounter="continue")
    assert again | {"version": 0} == first | {"version": 0}
    assert again["version"] == first["version"] + 2


def test_nothing_left_is_said(store: CrawlStore) -> None:
    table = start(store)
    with pytest.raises(IllegalUndo):
        table.gm(undo)
    with pytest.raises(IllegalRedo):
        table.gm(redo)
    table.round()
    table.gm(undo)
    table.round("time", seconds=60)
    with pytest.raises(IllegalRedo):
        table.gm(redo)


def test_the_card_and_what_was_declared_anew_stay_as_they_are(store: CrawlStore) -> None:
    table = start(store)
    table.gm(declare, table.kara, Declaration("Kara", "loot"))
    table.gm(declare, table.bram, Declaration("Bram", "loot"))
    table.round()
    table.gm(change_card, {"name": "Renamed"})
    table.gm(declare, table.kara, Declaration("Kara", "search"))
    assert table.gm(undo)["name"] == "Renamed"
    declared = table.gm(list_declarations)["declarations"]
    assert [(each["character"], each["activity"]) for each in declared] == [("Kara", "search"), ("Bram", "loot")]


def test_whoever_left_the_party_meanwhile_is_not_brought_back(store: CrawlStore) -> None:
    table = start(store)
    table.gm(declare, table.bram, Declaration("Bram", "cast", label="Ward", rounds_needed=3))
    table.round()
    table.round()
    party = [each for each in table.crawl["party"] if each["name"] != "Bram"]
    table.gm(change_card, {"party": party}, unlock=True)
    table.gm(undo)
    assert table.stands()["chains"] == []
    table.gm(undo)
    assert table.gm(list_declarations)["declarations"] == []
    table.gm(redo)
    table.round()


def test_an_alert_that_was_cut_meanwhile_is_not_brought_back_beyond_its_bound() -> None:
    two_levels = {"alert": {"levels": {"3": None, "4": None}}}
    card = Card("Crypt", "derelict", (), rules=two_levels, alert_enabled=True)
    assert fitted(Play(alert_level=4), card) == Play(alert_level=2)


def test_players_hear_of_an_undo_when_they_heard_of_what_it_undoes(store: CrawlStore) -> None:
    table = start(store)
    table.gm(set_alert, {"level": 3})
    table.gm(undo)
    table.gm(redo)
    assert [event["type"] for event in table.events("player")] == ["crawl.started"]
    table.round()
    table.gm(undo)
    assert table.events("player")[-1]["data"] == {
        "undone": {"what": "round", "round": 1},
        "clock": {"seconds": 0, "display": "0 min"},
        "rounds": 0,
    }


Act = Callable[[Table], Any]

ACTS: dict[str, Act] = {
    "explore": lambda table: table.round(),
    "travel": lambda table: table.round("travel", pace="fast", rooms=4),
    "rest": lambda table: table.round("rest", rounds=7),
    "night": lambda table: table.round("rest", rest="long", on_encounter="continue"),
    "combat": lambda table: table.round("combat", combat_rounds=3),
    "alert": lambda table: table.gm(set_alert, {"incident": "door_broken"}),
    "check": lambda table: table.gm(check_by_hand, 6),
    "counted": lambda table: table.gm(check_by_hand, 1, True),
    "timer": lambda table: table.gm(add_timer, {"name": "Torch", "kind": "light", "seconds": 4000}),
    "reveal": lambda table: table.gm(change_encounter, table.encounters()[-1]["id"], "revealed"),
    "resolve": lambda table: table.gm(change_encounter, table.encounters()[0]["id"], "resolved"),
}


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(sorted(ACTS)), max_size=8), st.sets(st.integers(0, 7)))
def test_every_step_undone_is_as_if_it_had_not_been(store: CrawlStore, acts: list[str], declaring: set[int]) -> None:
    table = start(store)
    states = []
    for number, act in enumerate(acts):
        if number in declaring:
            table.gm(declare, table.kara, Declaration("Kara", "cast", label=str(number), rounds_needed=2))
        was, version = everything(table), table.stands()["version"]
        try:
            ACTS[act](table)
        except (Illegal, IndexError):
            continue
        if table.stands()["version"] > version:
            states.append((was, everything(table)))
    declared = table.gm(list_declarations)
    for was, _ in reversed(states):
        table.gm(undo)
        assert settled(table) == without_declarations(was)
    if not declaring:
        for _, came in states:
            table.gm(redo)
            assert everything(table) == came
        assert table.gm(list_declarations) == declared


def everything(table: Table) -> dict[str, Any]:
    """All that undo brings back, as the GM is shown it."""
    stands = dict(table.stands())
    for goes_on in ("version", "undo_available", "redo_available"):
        del stands[goes_on]
    return {
        "crawl": stands,
        "play": table.entered().crawl.play,
        "encounters": table.encounters(),
        "rounds": table.gm(list_rounds, 0, 200),
        "declarations": table.gm(list_declarations),
    }


def settled(table: Table) -> dict[str, Any]:
    return without_declarations(everything(table))


def without_declarations(state: dict[str, Any]) -> dict[str, Any]:
    """What players declare is no step of its own, so it is compared where nothing was declared since."""
    return {key: value for key, value in state.items() if key != "declarations"}

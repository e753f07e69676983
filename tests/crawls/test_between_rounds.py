"""What a GM does between rounds: alert, checks by hand, encounters, timers."""

from __future__ import annotations

from typing import Any

import pytest

from service.crawls.alerts import set_alert
from service.crawls.cards import end, pause
from service.crawls.checks import check_by_hand
from service.crawls.encounters import change_encounter, get_encounter, list_encounters, slip
from service.crawls.errors import NotFound
from service.crawls.timers import add_timer, change_timer, get_timer, list_timers, remove_timer
from service.rules.errors import IllegalAlert, IllegalEncounter, IllegalStatus, Invalid
from service.rules.submission import Check, Declaration
from service.store.crawls import CrawlStore
from service.store.errors import BadCursor
from tests.crawls.tables import Table, start

TORCH = {"name": "Torch", "kind": "light", "seconds": 3600, "bearer": "kara"}


@pytest.fixture
def table(store: CrawlStore) -> Table:
    return start(store)


def test_the_alert_is_shifted_set_and_moved_by_incidents(table: Table) -> None:
    body = table.gm(set_alert, {"change": 1, "note": "they sang"})
    assert body["alert"] == {"enabled": True, "level": 2, "easier_stealth": False}
    assert body["changes"] == [{"at": 0, "from": 1, "to": 2, "cause": "gm", "capped": False}]
    assert (body["consequences"], body["version"], body["undo_available"]) == ([], 2, True)
    assert table.gm(set_alert, {"level": 4})["alert"]["level"] == 4
    assert table.gm(set_alert, {"incident": "noise"})["changes"] == [
        {"at": 0, "from": 4, "to": 4, "cause": "noise", "capped": True}
    ]
    assert table.gm(set_alert, {"incident": "guard_persuaded"})["alert"]["level"] == 3
    events = [event for event in table.events() if event["type"] == "alert.changed"]
    assert [event["data"]["alert"]["level"] for event in events] == [2, 4, 3]
    assert events[0]["data"]["note"] == "they sang"
    assert table.events("player")[1:] == []


def test_easier_stealth_comes_and_is_withdrawn(table: Table) -> None:
    body = table.gm(set_alert, {"incident": "security_disabled", "effect": "easier_stealth"})
    assert (body["alert"], body["changes"]) == ({"enabled": True, "level": 1, "easier_stealth": True}, [])
    assert table.gm(set_alert, {"effect": "withdraw"})["alert"]["easier_stealth"] is False
    assert [event["type"] for event in table.events()][1:] == ["alert.changed", "alert.changed"]


def test_what_cannot_move_the_alert_is_refused(store: CrawlStore, table: Table) -> None:
    refusals: list[tuple[dict[str, Any], str]] = [
        ({"level": 5}, "/level"),
        ({"incident": "sneeze"}, "/incident"),
        ({"incident": "noise", "effect": "easier_stealth"}, "/effect"),
        ({"effect": "easier_stealth"}, "/effect"),
        ({}, ""),
    ]
    for wanted, pointer in refusals:
        with pytest.raises(Invalid) as refused:
            table.gm(set_alert, wanted)
        assert refused.value.faults[0].pointer == pointer
    with pytest.raises(IllegalAlert):
        start(store, ruleset="stretch").gm(set_alert, {"level": 2})
    assert table.stands()["version"] == 1


def test_where_the_crawl_shows_the_alert_players_hear_of_it_without_its_cause(store: CrawlStore) -> None:
    table = start(store, visibility={"alert": "public"})
    table.gm(set_alert, {"incident": "noise", "note": "Odo"})
    assert table.events("player")[-1]["data"] == {
        "changes": [{"at": 0, "from": 1, "to": 2}],
        "alert": {"enabled": True, "level": 2, "easier_stealth": False},
    }


def test_a_check_by_hand_may_bring_an_encounter(table: Table) -> None:
    nothing = table.gm(check_by_hand, 1)
    assert nothing["encounters"] == []
    assert nothing["encounter_checks"][0] == {
        "at": 0,
        "alert_level": 1,
        "die": "1d6",
        "face": 1,
        "triggers_on": [6],
        "source": "caller",
        "triggered": False,
        "encounter": None,
    }
    body = table.gm(check_by_hand, 6)
    assert body["encounters"][0] == body["pending_encounters"][0] == table.encounters()[0]
    assert body["encounters"][0]["id"] == body["encounter_checks"][0]["encounter"]
    assert body["pending_encounter_count"] == 1
    assert table.events("player")[1:] == []
    with pytest.raises(Invalid) as refused:
        table.gm(check_by_hand, 7)
    assert refused.value.faults[0].pointer == "/face"


def test_players_know_of_an_encounter_once_it_is_revealed(table: Table) -> None:
    outcome = table.round("rest", seconds=7200, dice={"encounter": (6,)})
    (encounter,) = table.encounters()
    assert encounter == {
        "id": outcome["encounters"][0]["id"],
        "at": 3600,
        "status": "pending",
        "revealed": False,
        "result": None,
        "surprise": {"party_can_be_surprised": True, "reactions": []},
    }
    assert table.encounters("player") == []
    with pytest.raises(NotFound):
        table.player(get_encounter, encounter["id"])
    revealed = table.gm(change_encounter, encounter["id"], "revealed")
    assert revealed == encounter | {"status": "revealed", "revealed": True}
    assert table.player(get_encounter, encounter["id"]) == revealed
    assert table.events("player")[-1]["data"] == {"encounter": revealed}
    assert table.stands()["pending_encounter_count"] == 0


def test_a_round_is_told_anew_to_players_when_its_encounter_is_revealed(table: Table) -> None:
    from service.crawls.rounds import get_round

    table.round("travel", pace="fast", rooms=121, dice={"encounter": (6,), "alert": (1,) * 121})
    assert table.player(get_round, 1)["halted"] is None
    (encounter,) = table.encounters()
    table.gm(change_encounter, encounter["id"], "revealed")
    told = table.player(get_round, 1)
    assert told["halted"] == {"by": "encounter", "encounter": encounter["id"], "remaining": {"rooms": 1}}
    assert [each["id"] for each in told["encounters"]] == [encounter["id"]]
    assert "An encounter comes at 1 h" in told["summary"]["public"]


def test_an_encounter_that_is_over_stays_over(table: Table) -> None:
    table.gm(check_by_hand, 6)
    (encounter,) = table.encounters()
    table.gm(change_encounter, encounter["id"], "resolved")
    version = table.stands()["version"]
    assert table.gm(change_encounter, encounter["id"], "resolved")["status"] == "resolved"
    assert table.stands()["version"] == version
    with pytest.raises(IllegalEncounter):
        table.gm(change_encounter, encounter["id"], "revealed")
    assert table.events("player")[1:] == []
    assert table.encounters("player") == []


def test_encounters_are_paged_by_those_that_one_may_see(table: Table) -> None:
    for _ in range(5):
        table.gm(check_by_hand, 6)
    ids = [encounter["id"] for encounter in table.encounters()]
    for index in (0, 2, 3):
        table.gm(change_encounter, ids[index], "revealed")
    first = table.gm(list_encounters, None, 3)
    assert ([each["id"] for each in first["encounters"]], first["next"]) == (ids[:3], ids[2])
    assert [each["id"] for each in table.gm(list_encounters, ids[2], 3)["encounters"]] == ids[3:]
    seen = table.player(list_encounters, None, 2)
    assert ([each["id"] for each in seen["encounters"]], seen["next"]) == ([ids[0], ids[2]], ids[2])
    last = table.player(list_encounters, ids[2], 2)
    assert ([each["id"] for each in last["encounters"]], last["next"]) == ([ids[3]], None)
    with pytest.raises(BadCursor):
        table.player(list_encounters, ids[1], 2)


def test_the_newest_twenty_pending_encounters_are_shown_and_all_are_counted(table: Table) -> None:
    from service.crawls.undoing import undo

    for _ in range(23):
        table.gm(check_by_hand, 6)
    ids = [encounter["id"] for encounter in table.encounters()][::-1]
    shown = table.stands()
    assert [each["id"] for each in shown["pending_encounters"]] == ids[:20]
    assert shown["pending_encounter_count"] == 23
    undone = table.gm(undo)
    assert [each["id"] for each in undone["pending_encounters"]] == ids[1:21]
    assert undone["pending_encounter_count"] == 22
    assert undone["pending_encounters"] == table.stands()["pending_encounters"]


def test_who_moved_quietly_may_slip_away(store: CrawlStore) -> None:
    table = start(store, ruleset="stretch")
    quiet = tuple(Declaration(name, "move_quietly") for name in ("Kara", "Bram", "Sela"))
    table.round(declarations=quiet, dice={"encounter": (6,)})
    (encounter,) = table.encounters()
    answer = table.gm(slip, encounter["id"], Check(total=1), True)
    assert answer["degree"] in ("success", "critical_success")
    assert answer["encounter"] == encounter | {"status": "evaded"}
    assert answer["route_changed"] is True
    assert answer["characters"][0] == {"character": "Kara", "stealth_dc": 14, "seen": False}
    assert table.events()[-1]["data"]["slip"]["route_changed"] is True
    assert len(table.events("player")) == 2
    with pytest.raises(NotFound):
        table.gm(slip, "enc_none", Check(total=1))


def test_a_timer_burns_on_the_crawls_clock(table: Table) -> None:
    timer = table.gm(add_timer, TORCH)
    assert timer == {
        "id": timer["id"],
        "name": "Torch",
        "kind": "light",
        "bearer": "Kara",
        "seconds": 3600,
        "ends_at": 3600,
        "warn_at": 600,
        "paused": False,
    }
    table.round()
    assert table.gm(get_timer, timer["id"]) == timer | {"seconds": 3000}
    assert table.gm(list_timers) == {"timers": [timer | {"seconds": 3000}], "next": None}
    paused = table.gm(change_timer, timer["id"], {"paused": True, "bearer": None})
    assert paused == timer | {"seconds": 3000, "ends_at": None, "paused": True, "bearer": None}
    refilled = table.gm(change_timer, timer["id"], {"rounds": 2, "paused": False, "warn_at": None})
    assert refilled == timer | {"seconds": 1200, "ends_at": 1800, "warn_at": None, "bearer": None}
    assert table.gm(remove_timer, timer["id"]) is None
    assert table.stands()["timers"] == []
    for gone in (get_timer, remove_timer):
        with pytest.raises(NotFound):
            table.gm(gone, timer["id"])
    with pytest.raises(NotFound):
        table.gm(change_timer, timer["id"], {"name": "Lamp"})


def test_a_timer_that_does_not_fit_is_refused(table: Table) -> None:
    refusals = [
        ({"bearer": "Nobody"}, "/bearer"),
        ({"rounds": 2}, "/rounds"),
        ({"seconds": None}, "/seconds"),
        ({"warn_at": 3600}, "/warn_at"),
    ]
    for different, pointer in refusals:
        wanted = {key: value for key, value in (TORCH | different).items() if value is not None}
        with pytest.raises(Invalid) as refused:
            table.gm(add_timer, wanted)
        assert refused.value.faults[0].pointer == pointer


def test_players_see_timers_as_the_crawl_shows_them(store: CrawlStore) -> None:
    for shown, seen in (("exact", None), ("vague", "steady"), ("hidden", None)):
        table = start(store, visibility={"timers": shown})
        timer = table.gm(add_timer, TORCH)
        (*_, event) = table.events("player")
        listed = table.player(list_timers)["timers"]
        assert listed == table.stands("player")["timers"]
        if shown == "exact":
            assert listed == [timer]
        elif shown == "vague":
            vague = {"id": timer["id"], "name": "Torch", "kind": "light", "bearer": "Kara", "state": seen}
            assert listed == [vague]
            table.round("time", seconds=3000)
            assert table.player(list_timers)["timers"] == [vague | {"state": "ending"}]
        else:
            assert listed == []
        assert (event["type"] == "crawl.changed") == (shown != "hidden")


def test_a_crawl_that_is_paused_or_has_ended_changes_no_more(store: CrawlStore) -> None:
    from service.crawls.undoing import undo

    table = start(store)
    table.gm(check_by_hand, 6)
    (encounter,) = table.encounters()
    for stop in (pause, end):
        table.gm(stop)
        with pytest.raises(IllegalStatus):
            table.gm(set_alert, {"level": 2})
        with pytest.raises(IllegalStatus):
            table.gm(check_by_hand)
        with pytest.raises(IllegalStatus):
            table.gm(add_timer, TORCH)
        with pytest.raises(IllegalStatus):
            table.gm(change_encounter, encounter["id"], "revealed")
        with pytest.raises(IllegalStatus):
            table.gm(undo)

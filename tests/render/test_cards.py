"""Every type of event has words of its own, that read well at a table."""

from __future__ import annotations

from typing import Any

import pytest

from service.crawls.webhooks import EVENT_TYPES
from service.render import tellings
from service.render.cards import Card, card
from service.render.words import plain
from service.rules.model import Audience
from tests.render.told import told

CLOCK = {"clock": {"seconds": 3600, "display": "1 h"}, "rounds": 7}


def told_as(kind: str, data: dict[str, Any], audience: Audience = "gm") -> Card:
    return card(kind, data, audience, plain)


def sentences(kind: str, data: dict[str, Any]) -> tuple[str, str]:
    told = told_as(kind, data, "public")
    return told.title, told.sentence


def encounter(status: str = "pending", result: str | None = None, *reactions: str) -> dict[str, Any]:
    surprise = {"party_can_be_surprised": not reactions, "reactions": list(reactions)}
    return {"id": "enc_1", "at": 3600, "status": status, "revealed": False, "result": result, "surprise": surprise}


def change(before: int, after: int, cause: str = "pace") -> dict[str, Any]:
    return {"at": 3570, "from": before, "to": after, "cause": cause, "capped": before == after}


def alert(level: int, easier_stealth: bool = False) -> dict[str, Any]:
    return {"enabled": True, "level": level, "easier_stealth": easier_stealth}


def test_every_type_has_words() -> None:
    assert set(tellings._TELLINGS) == {*EVENT_TYPES, "webhook.ping"}


def test_a_type_without_words_is_called_by_its_name() -> None:
    assert told_as("moon.risen", {}) == Card("News", "Moon risen", ())


def test_a_crawl_begins() -> None:
    crawl = {
        "name": "The Persephone",
        "ruleset": "derelict",
        "party": [{"name": "Kara"}, {"name": "Bram"}],
        "light_bearers": ["Kara"],
    }
    rows = (("Party", "Kara, Bram"), ("Light", "Kara"), ("Rules", "derelict"))
    assert told_as("crawl.started", {"crawl": crawl}, "public") == Card(
        "A crawl begins", "The Persephone: the party sets out", rows
    )
    secret = {"alert": alert(1), "next_check": told()["next_check"]}
    gms = (("Alert", "level 1"), ("Next check", "in 1 h (1d6, chance 17 percent)"))
    assert told_as("crawl.started", {"crawl": crawl | secret}).rows == rows + gms


@pytest.mark.parametrize(
    ("kind", "data", "words"),
    [
        ("crawl.changed", {"changed": ["name", "party"]}, "The crawl has a new name; the party changed"),
        ("crawl.changed", {"changed": ["status"], "status": "paused"}, "The crawl is paused"),
        ("crawl.changed", {"changed": ["status"], "status": "active"}, "The crawl goes on"),
        ("crawl.changed", {"changed": ["wall_paper"]}, "Wall paper changed"),
        ("crawl.ended", CLOCK, "It took 7 rounds and 1 h"),
        (
            "crawl.reverted",
            {"undone": {"what": "round", "round": 8}} | CLOCK,
            "Round 8 is taken back; the clock stands at 1 h",
        ),
        (
            "crawl.reverted",
            {"redone": {"what": "timer", "round": None}} | CLOCK,
            "The last change of a timer stands again; the clock stands at 1 h",
        ),
        ("round.resolved", {"round": told()}, "The party moves at fast pace: 2 rooms in 1 min"),
        ("encounter.triggered", {"encounter": encounter()}, "Something comes at 1 h"),
        ("encounter.changed", {"encounter": encounter("revealed")}, "What came at 1 h shows itself"),
        ("encounter.changed", {"encounter": encounter("resolved")}, "What came at 1 h is dealt with"),
        ("encounter.changed", {"encounter": encounter("evaded")}, "The party gets away from what came at 1 h"),
        ("alert.changed", {"changes": [change(1, 2), change(2, 3)], "alert": alert(3)}, "The alert rises from 1 to 3"),
        ("alert.changed", {"changes": [change(3, 2)], "alert": alert(2)}, "The alert falls from 3 to 2"),
        (
            "alert.changed",
            {"changes": [change(1, 2), change(2, 1)], "alert": alert(1)},
            "The alert moves and stands at 1 again",
        ),
        ("alert.changed", {"changes": [], "alert": alert(1, True)}, "Stealth is easier from now on"),
        ("alert.changed", {"changes": [], "alert": alert(1)}, "Stealth is as hard again as it was"),
        ("timer.ending", {"timer": {"name": "Torch", "kind": "light"}}, "Torch is about to run out"),
        ("timer.expired", {"timer": {"name": "Torch", "kind": "light", "at": 1800}}, "Torch runs out at 30 min"),
        ("timer.expired", {"timer": {"name": "Torch", "kind": "light"}}, "Torch runs out"),
        ("webhook.ping", {}, "This webhook works: what happens in the crawl will be told here"),
    ],
)
def test_what_happened_is_a_sentence(kind: str, data: dict[str, Any], words: str) -> None:
    title, sentence = sentences(kind, data)
    assert sentence == words
    assert title and title[0].isupper()


def test_an_encounter_tells_the_gm_what_it_is_and_whom_it_takes_unawares() -> None:
    assert told_as("encounter.triggered", {"encounter": encounter(), "alert_level": None}).rows == (
        ("Surprise", "The party can be surprised"),
    )
    data = {"encounter": encounter("pending", "two sentries", "Kara", "Sela"), "alert_level": 3}
    assert told_as("encounter.triggered", data).rows == (
        ("Encounter", "two sentries"),
        ("Surprise", "The party cannot be surprised"),
        ("Reactions", "Kara, Sela"),
        ("Alert", "level 3"),
    )


def test_slipping_away_tells_the_gm_who_was_seen() -> None:
    slip = {
        "degree": "critical_failure",
        "perception": {"total": 15},
        "characters": [
            {"character": "Kara", "stealth_dc": 17, "seen": False},
            {"character": "Bram", "stealth_dc": None, "seen": True},
        ],
    }
    assert told_as("encounter.changed", {"encounter": encounter("resolved"), "slip": slip}) == Card(
        "Seen!",
        "The party does not slip away from what came at 1 h",
        (
            ("Slipping away", "critical failure, against a Perception of 15"),
            ("Seen", "Bram"),
            ("Unseen", "Kara (DC 17)"),
        ),
    )
    assert told_as("encounter.changed", {"encounter": encounter("evaded"), "slip": slip}).title == (
        "The encounter is evaded"
    )


def test_the_gm_is_told_why_the_alert_moved_and_players_that_it_did() -> None:
    changes = [change(1, 2, "door_broken"), change(2, 4, "gm"), change(4, 4)]
    data = {"changes": changes, "alert": alert(4), "note": "they ran"}
    why = "door broken at 59 min 30 s: 1 to 2; the GM at 59 min 30 s: 2 to 4; pace at 59 min 30 s: stays at 4"
    assert told_as("alert.changed", data).rows == (("Why", why), ("Note", "they ran"))
    assert told_as("alert.changed", data, "public").rows == ()


def test_a_declaration_tells_its_check_and_the_gm_its_dcs() -> None:
    check = {
        "skill": "perception",
        "ability": None,
        "proficiency": None,
        "modifier": 5,
        "advantage": "advantage",
        "naturals": [3, 9],
        "total": None,
    }
    declared = {
        "character": "Kara",
        "activity": "keep_watch",
        "label": None,
        "task": None,
        "target": None,
        "rounds_needed": 3,
        "check": check,
    }
    public = told_as("declaration.made", {"declaration": declared}, "public")
    rows = (("Takes", "3 rounds"), ("Check", "perception, +5, advantage, the dice show 3 and 9"))
    assert public == Card("For the coming round", "Kara: keep watch", rows)
    labelled = declared | {"label": "listen", "task": "door", "target": "Bram", "check": None, "hidden": []}
    assert told_as("declaration.made", {"declaration": labelled}) == Card(
        "For the coming round",
        "Kara: listen",
        (("Activity", "keep watch"), ("Task", "door"), ("Target", "Bram"), ("Takes", "3 rounds")),
    )
    known = declared | {"check": check | {"dc": 14, "passed": False}, "hidden": [{"name": "hatch", "dc": 12}]}
    asides = (("DC", "14"), ("Ruling", "fails"), ("Hidden here", "hatch (DC 12)"))
    assert told_as("declaration.made", {"declaration": known}).rows == rows + asides


def test_a_round_tells_players_the_news_and_the_gm_the_dice_too() -> None:
    outcome = told(
        alert={
            "enabled": True,
            "from": 1,
            "to": 2,
            "rolls": [{"face": 5}, *[{"face": 1}] * 9],
            "changes": [change(1, 2)],
            "consequences": [],
        },
        timers={"expired": [{"name": "Torch"}], "ending": []},
    )
    public = (("Clock", "1 h"), ("Passive Perception", "-5"), ("News", "Torch runs out; the alert rises from 1 to 2"))
    assert told_as("round.resolved", {"round": outcome}, "public").rows == public
    assert told_as("round.resolved", {"round": outcome}).rows == (
        *public,
        ("Alert", "level 2; pace rolls 5, 1, 1, 1, 1, 1 and 4 more; pace at 59 min 30 s: 1 to 2"),
        ("Next check", "in 1 h (1d6, chance 17 percent)"),
    )

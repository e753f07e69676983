"""A crawl to keep, and the changes that a table makes to it: the material of the store's tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any

from service.rules.model import Card, Character, Crawl, Encounter, Timer
from service.rules.submission import Declaration
from service.store.records import Answer, Change, Event, Idempotency, Loaded, Step, Token, Undone

CRAWL = "crl_7f" + "k" * 20
GM = sha256(b"gm").hexdigest()
PLAYER = sha256(b"player").hexdigest()


def a_crawl(crawl_id: str = CRAWL, created_at: str = "2026-11-30T12:00:00.000001Z") -> Crawl:
    party = tuple(
        Character(f"chr_{name.lower():a<16}", name, 14, 3, 3, "keep_watch") for name in ("Kara", "Bram", "Ilse", "Odo")
    )
    card = Card(
        name="The Persephone",
        ruleset="derelict",
        party=party,
        rules={"paces": {"fast": {"alert_roll": {"raises_on": [3, 4, 5, 6]}}}},
        marching_order=tuple(character.id for character in party),
        light_bearers=(party[0].id,),
        alert_enabled=True,
    )
    return Crawl(crawl_id, created_at, "5e" * 32, card)


def an_event(number: int, *, public: bool = True, type: str = "round.resolved") -> Event:  # noqa: A002
    data = {"round": {"number": number, "note": "a GM's word"}}
    return Event(f"evt_{number}", type, "2026-11-30T12:00:01Z", data, {"round": {"number": number}} if public else None)


def started(crawl: Crawl, **others: Any) -> Change:
    """The commit that starts a crawl."""
    return Change(
        crawl.id,
        (an_event(0, type="crawl.started"),),
        crawl,
        tokens={GM: Token("gm"), PLAYER: Token("player", crawl.card.party[0].id)},
        **{"owner": "key_1", **others},
    )


def a_round(loaded: Loaded, **others: Any) -> Change:
    """The commit of one more round, ten minutes long, which brings an encounter every fifth time."""
    crawl = loaded.crawl
    number = crawl.play.rounds + 1
    timer = Timer(f"tmr_{number}", "Torch", "light", number * 600 + 3600, warn_at=600)
    play = replace(
        crawl.play,
        rounds=number,
        clock=number * 600,
        place=crawl.play.place + 1,
        timers=(*crawl.play.timers[-2:], timer),
    )
    encounter = Encounter(f"enc_{number:0>20}", number, number * 600)
    encounters = {encounter.id: encounter} if number % 5 == 0 else {}
    return Change(
        **{
            "crawl_id": crawl.id,
            "events": (an_event(number), an_event(number, public=False, type="alert.changed")),
            "crawl": replace(crawl, play=play, version=crawl.version + 1),
            "expected_version": crawl.version,
            "step": Step("round", True, crawl.play, number, dict.fromkeys(encounters), loaded.declarations),
            "records": {number: a_record(number)},
            "encounters": encounters,
            "declarations": {},
            **others,
        }
    )


def an_undo(loaded: Loaded) -> Change:
    """The commit that takes the last round back."""
    step = loaded.last_step
    assert step is not None
    assert step.round is not None
    return Change(
        loaded.crawl.id,
        (an_event(step.round, type="crawl.reverted"),),
        replace(loaded.crawl, play=step.play, version=loaded.crawl.version + 1),
        expected_version=loaded.crawl.version,
        undone=Undone(step, loaded.crawl.play, {}, a_record(step.round)),
        records={step.round: None},
        encounters=step.encounters,
        declarations=step.declarations,
    )


def a_redo(loaded: Loaded) -> Change:
    """The commit that brings the round last taken back again."""
    undone = loaded.last_undone
    assert undone is not None
    assert undone.step.round is not None
    return Change(
        loaded.crawl.id,
        (an_event(undone.step.round, type="crawl.reverted"),),
        replace(loaded.crawl, play=undone.play, version=loaded.crawl.version + 1),
        expected_version=loaded.crawl.version,
        redone=undone.step,
        records={undone.step.round: undone.record},
        declarations={},
    )


def a_record(number: int) -> Mapping[str, Any]:
    return {"number": number, "kind": "explore", "clock": {"from": (number - 1) * 600, "to": number * 600}}


def a_declaration(loaded: Loaded, **others: Any) -> Change:
    """The commit of what Kara declares ahead."""
    kara = loaded.crawl.card.party[0].id
    declarations = {**loaded.declarations, kara: Declaration(kara, "search", room_ft=30)}
    return Change(
        **{
            "crawl_id": loaded.crawl.id,
            "events": (an_event(0, type="declaration.made"),),
            "expected_version": loaded.crawl.version,
            "expected_revision": loaded.declarations_revision,
            "declarations": declarations,
            **others,
        }
    )


def a_key(word: str, body: str = "") -> Idempotency:
    return Idempotency(
        sha256(word.encode()).hexdigest(),
        sha256(body.encode()).hexdigest(),
        sha256(b"seal" + word.encode()).digest(),
    )


def an_answer(number: int = 1, *, secret: bool = False) -> Answer:
    return Answer(201, {"number": number}, f'"{number}"', f"/v1/crawls/{CRAWL}/rounds/{number}", secret)

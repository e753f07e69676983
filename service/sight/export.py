"""A crawl as one document, for its GM to keep or to move: all that it is, without tokens and webhooks.

What a field is called here and in `api/schemas/kept.py` is the document's format. To change one, raise `FORMAT` and
give the format before an upgrade there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from service.rules.dice import commitment
from service.rules.model import Chain, Character, Crawl, Encounter, Play, Timer
from service.rules.submission import Check, Declaration
from service.store.records import Past, Step, Undone, Whole

FORMAT = 1

Body = dict[str, Any]


def export_body(whole: Whole) -> Body:
    """The document. Its seed is there only once the crawl has ended."""
    crawl = whole.crawl
    return {
        "format": FORMAT,
        "id": crawl.id,
        "created_at": crawl.created_at,
        "status": crawl.status,
        "version": crawl.version,
        "dice": {"commitment": commitment(crawl.seed), "seed": crawl.seed if crawl.status == "ended" else None},
        "card": _card(crawl),
        "play": _play(crawl.play),
        "declarations": {key: _declaration(each) for key, each in whole.declarations.items()},
        "encounters": [_encounter(encounter) for encounter in whole.encounters],
        "rounds": [dict(record) for record in whole.records],
        "history": [_step(step) for step in whole.history],
        "redo": [_undone(undone) for undone in whole.redo],
        "sequence": whole.sequence,
        "public_sequence": whole.public_sequence,
        "events": [_event(past) for past in whole.events],
    }


def _card(crawl: Crawl) -> Body:
    """In the form in which a crawl is started."""
    card = crawl.card
    return _said(
        name=card.name,
        ruleset=card.ruleset,
        rules=dict(card.rules),
        party=[_character(character) for character in card.party],
        marching_order=list(card.marching_order),
        light_bearers=list(card.light_bearers),
        alert={"enabled": card.alert_enabled},
        encounter_check=_said(every_rounds=card.every_rounds),
        guards=_said(
            passive_perception=card.guards.passive_perception, perception_modifier=card.guards.perception_modifier
        )
        if card.guards
        else None,
        visibility={"alert": card.visibility.alert, "timers": card.visibility.timers},
    )


def _character(character: Character) -> Body:
    return _said(
        id=character.id,
        name=character.name,
        passive_perception=character.passive_perception,
        dexterity_modifier=character.dexterity_modifier,
        proficiency_bonus=character.proficiency_bonus,
        default_activity=character.default_activity,
    )


def _play(play: Play) -> Body:
    return _said(
        clock=play.clock,
        rounds=play.rounds,
        place=play.place,
        last_check=play.last_check,
        alert_level=play.alert_level,
        easier_stealth=play.easier_stealth,
        rounds_in_room=play.rounds_in_room,
        encounters=play.encounters,
        timers=[_timer(timer) for timer in play.timers],
        chains=[_chain(chain) for chain in play.chains],
    )


def _timer(timer: Timer) -> Body:
    return _said(
        id=timer.id,
        name=timer.name,
        kind=timer.kind,
        ends_at=timer.ends_at,
        remaining=timer.remaining,
        warn_at=timer.warn_at,
        warned=timer.warned,
        bearer=timer.bearer,
    )


def _chain(chain: Chain) -> Body:
    return {
        "character": chain.character,
        "declaration": _declaration(chain.declaration),
        "rounds_done": chain.rounds_done,
        "rounds_needed": chain.rounds_needed,
    }


def _declaration(declaration: Declaration) -> Body:
    replaces = declaration.replaces
    return _said(
        character=declaration.character,
        activity=declaration.activity,
        label=declaration.label,
        task=declaration.task,
        target=declaration.target,
        proficient=declaration.proficient,
        check=_check(declaration.check) if declaration.check else None,
        hidden=[{"name": hidden.name, "dc": hidden.dc} for hidden in declaration.hidden],
        room_ft=declaration.room_ft,
        rounds_needed=declaration.rounds_needed,
        replaces={"round": replaces[0], "task": replaces[1]} if replaces else None,
    )


def _check(check: Check) -> Body:
    return _said(
        ability=check.ability,
        skill=check.skill,
        proficiency=check.proficiency,
        dc=check.dc,
        modifier=check.modifier,
        advantage=check.advantage,
        total=check.total,
        naturals=list(check.naturals) if check.naturals is not None else None,
        passed=check.passed,
    )


def _encounter(encounter: Encounter) -> Body:
    return _said(
        id=encounter.id,
        ordinal=encounter.ordinal,
        at=encounter.at,
        status=encounter.status,
        revealed=encounter.revealed,
        result=encounter.result,
        party_can_be_surprised=encounter.party_can_be_surprised,
        reactions=list(encounter.reactions),
        quiet=dict(encounter.quiet),
    )


def _step(step: Step) -> Body:
    return _said(
        what=step.what,
        public=step.public,
        play=_play(step.play),
        round=step.round,
        encounters=_by_id(step.encounters),
        declarations={key: _declaration(each) for key, each in step.declarations.items()},
        commitment=step.commitment,
    )


def _undone(undone: Undone) -> Body:
    return _said(
        step=_step(undone.step),
        play=_play(undone.play),
        encounters=_by_id(undone.encounters),
        record=dict(undone.record) if undone.record is not None else None,
    )


def _by_id(encounters: Mapping[str, Encounter | None]) -> Body:
    return {key: each and _encounter(each) for key, each in encounters.items()}


def _event(past: Past) -> Body:
    event = past.event
    told = {
        "id": event.id,
        "type": event.type,
        "timestamp": event.timestamp,
        "sequence": past.sequence,
        "data": dict(event.data),
    }
    if event.public is None:
        return told
    return told | {"public": {"sequence": past.public_sequence, "data": dict(event.public)}}


def _said(**fields: Any) -> Body:
    """Without what is not there: there are many steps in a crawl."""
    return {name: value for name, value in fields.items() if value is not None and not _is_empty(value)}


def _is_empty(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str) and not value

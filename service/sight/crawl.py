"""A crawl in words: everything for its GM; for players what is theirs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from service.rules.card import is_locked
from service.rules.dice import commitment
from service.rules.duration import said
from service.rules.model import Chain, Character, Crawl, Encounter, Play
from service.rules.outcome import NextCheck
from service.rules.ruleset import rules_of
from service.rules.watch import next_check
from service.sight.alert import alert_body
from service.sight.encounter import encounter_body
from service.sight.timer import timer_for_gm, timers_for_players


@dataclass(frozen=True, slots=True)
class Standing:
    """A crawl as it stands, with what is kept beside it: its newest pending encounters and how far undo and redo go."""

    crawl: Crawl
    pending: tuple[Encounter, ...] = ()
    pending_count: int = 0
    undo_depth: int = 0
    redo_depth: int = 0


def crawl_for_gm(standing: Standing) -> dict[str, Any]:
    """The whole crawl, without its seed until it has ended."""
    crawl = standing.crawl
    card, play = crawl.card, crawl.play
    return {
        **_everyones(crawl),
        "version": crawl.version,
        "alert": alert_body(crawl),
        "next_check": next_check_body(next_check(rules_of(card), card, play)),
        "timers": [timer_for_gm(crawl, timer) for timer in play.timers],
        "pending_encounters": [encounter_body(encounter) for encounter in standing.pending],
        "pending_encounter_count": standing.pending_count,
        "dice": _dice(crawl) | ({"seed": crawl.seed} if crawl.status == "ended" else {}),
        "encounter_check": {"every_rounds": card.every_rounds},
        "guards": {
            "passive_perception": card.guards.passive_perception,
            "perception_modifier": card.guards.perception_modifier,
        }
        if card.guards
        else None,
        "visibility": {"alert": card.visibility.alert, "timers": card.visibility.timers},
        "rules": dict(card.rules),
        "entry_card_locked": is_locked(crawl),
        "undo_available": standing.undo_depth > 0,
        "redo_available": standing.redo_depth > 0,
    }


def crawl_for_players(standing: Standing) -> dict[str, Any]:
    """What players may know; how much of alert and timers, the crawl itself says."""
    crawl = standing.crawl
    revealed = [encounter for encounter in standing.pending if encounter.revealed]
    body = {
        **_everyones(crawl),
        "timers": timers_for_players(crawl),
        "pending_encounters": [encounter_body(encounter) for encounter in revealed],
        "pending_encounter_count": len(revealed),
        "dice": _dice(crawl),
    }
    if crawl.card.visibility.alert == "public":
        body["alert"] = alert_body(crawl)
    return body


def crawl_in_list(crawl: Crawl) -> dict[str, Any]:
    """What whoever started the crawls is told of each; its secrets belong to its own tokens."""
    return {
        "id": crawl.id,
        "name": crawl.card.name,
        "ruleset": crawl.card.ruleset,
        "status": crawl.status,
        "created_at": crawl.created_at,
        "clock": clock_body(crawl.play),
        "rounds": crawl.play.rounds,
    }


def clock_body(play: Play) -> dict[str, Any]:
    return {"seconds": play.clock, "display": said(play.clock)}


def next_check_body(check: NextCheck) -> dict[str, Any]:
    """When the next encounter check comes; the GM's alone."""
    return {
        "at": check.at,
        "in": check.within,
        "die": check.die,
        "triggers_on": list(check.triggers_on),
        "chance": check.chance,
    }


def name_of(crawl: Crawl, character: str) -> str:
    """The name of a character given by id or name; what was given, when the character has left the party."""
    found = crawl.named(character)
    return found.name if found else character


def _everyones(crawl: Crawl) -> dict[str, Any]:
    card = crawl.card
    return {
        **crawl_in_list(crawl),
        "party": [_character(character) for character in card.party],
        "marching_order": [name_of(crawl, character) for character in card.marching_order],
        "light_bearers": [name_of(crawl, character) for character in card.light_bearers],
        "chains": [_chain(crawl, chain) for chain in crawl.play.chains],
    }


def _character(character: Character) -> dict[str, Any]:
    return {
        "id": character.id,
        "name": character.name,
        "passive_perception": character.passive_perception,
        "dexterity_modifier": character.dexterity_modifier,
        "proficiency_bonus": character.proficiency_bonus,
        "default_activity": character.default_activity,
    }


def _chain(crawl: Crawl, chain: Chain) -> dict[str, Any]:
    return {
        "character": name_of(crawl, chain.character),
        "activity": chain.declaration.activity,
        "label": chain.declaration.label,
        "rounds_done": chain.rounds_done,
        "rounds_needed": chain.rounds_needed,
    }


def _dice(crawl: Crawl) -> dict[str, Any]:
    return {"commitment": commitment(crawl.seed)}

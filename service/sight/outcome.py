"""What a round brought, in words: for the GM from the engine's records, for players from what the GM was told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from service.rules.duration import said
from service.rules.model import Crawl, Visibility
from service.rules.outcome import ChainProgress, Declared, Halted, Movement, Outcome, Roll, SaveResult, Stealth, Task
from service.sight.alert import change_for_gm, changes_for_players, consequence_body, encounter_check_body
from service.sight.crawl import name_of, next_check_body
from service.sight.encounter import encounter_told
from service.sight.timer import timer_moment, timer_moments_for_players

Body = dict[str, Any]


def outcome_for_gm(crawl: Crawl, outcome: Outcome) -> Body:
    """All of it, but for the summary. `crawl` is as the round left it, with the version that it then has."""
    return {
        "number": outcome.number,
        "kind": outcome.kind,
        "version": crawl.version,
        "clock": _clock(outcome),
        "movement": _movement(outcome.movement) if outcome.movement else None,
        "declarations": [_declared(declared) for declared in outcome.declarations],
        "tasks": [_task(task) for task in outcome.tasks],
        "saves": [_save(save) for save in outcome.saves],
        "alert": _alert(outcome),
        "encounter_checks": [encounter_check_body(check) for check in outcome.encounter_checks],
        "encounters": [encounter_told(encounter) for encounter in outcome.encounters],
        "timers": {
            "expired": [timer_moment(moment) for moment in outcome.timers_expired],
            "ending": [timer_moment(moment) for moment in outcome.timers_ending],
        },
        "chains": [_chain(crawl, progress) for progress in outcome.chains],
        "stealth": _stealth(outcome.stealth) if outcome.stealth else None,
        "halted": _halted(outcome.halted) if outcome.halted else None,
        "next_check": next_check_body(outcome.next_check),
        "unused_dice": {use: list(faces) for use, faces in outcome.unused_dice.items()},
        "encounter": outcome.encounter,
        "note": outcome.note,
    }


def outcome_for_players(told: Mapping[str, Any], visibility: Visibility, revealed: Mapping[str, Body]) -> Body:
    """What players may know of an outcome that the GM was told, but for the summary.

    `revealed` holds, by id, the encounters that players know of as they now stand. Nothing tells of the others: where
    one halted the party, the halt and the rooms asked for are missing in the same way as where nothing halted it.
    """
    movement, halted, stealth = told["movement"], told["halted"], told["stealth"]
    shows_alert = visibility.alert == "public"
    body = {
        "number": told["number"],
        "kind": told["kind"],
        "clock": _picked(told["clock"], _CLOCK),
        "movement": _picked(movement, _MOVEMENT) if movement else None,
        "declarations": [_rolled(declared, _DECLARED) for declared in told["declarations"]],
        "tasks": [_picked(task, _TASK) for task in told["tasks"]],
        "saves": [_rolled(save, _SAVE) for save in told["saves"]],
        "encounters": [revealed[each["id"]] for each in told["encounters"] if each["id"] in revealed],
        "timers": {
            "expired": timer_moments_for_players(told["timers"]["expired"], visibility),
            "ending": timer_moments_for_players(told["timers"]["ending"], visibility),
        },
        "chains": [_picked(progress, _CHAIN) for progress in told["chains"]],
        "stealth": _picked(stealth, ("against", "advantage") if shows_alert else ("advantage",)) if stealth else None,
        "halted": _picked(halted, _HALTED) if halted and halted["encounter"] in revealed else None,
        "encounter": told["encounter"] if told["encounter"] in revealed else None,
    }
    if shows_alert:
        alert = told["alert"]
        body["alert"] = {
            "enabled": alert["enabled"],
            "from": alert["from"],
            "to": alert["to"],
            "changes": changes_for_players(alert["changes"]),
        }
    return body


_CLOCK = ("from", "to", "elapsed", "display", "fight_seconds")
_MOVEMENT = (
    "pace",
    "rooms_entered",
    "explored",
    "notices_traps",
    "passive_perception_modifier",
    "disadvantage_on_saves",
    "passive_perception",
)
_DECLARED = (
    "character",
    "character_id",
    "activity",
    "source",
    "label",
    "task",
    "target",
    "role",
    "found",
    "stealth_dc",
    "effects",
)
_CHECK = ("dice", "modifier", "total", "source")
_TASK = ("task", "characters", "manner", "degree", "passes", "failures")
_SAVE = ("character", "character_id", "kind", "from", "disadvantage", "degree")
_CHAIN = ("character", "activity", "label", "rounds_done", "rounds_needed", "status")
_HALTED = ("by", "encounter", "remaining")


def encounters_named(told: Mapping[str, Any]) -> set[str]:
    """The ids of all encounters that an outcome speaks of."""
    ids = {each["id"] for each in told["encounters"]}
    return ids | {told["encounter"]} if told["encounter"] else ids


def roll_body(roll: Roll) -> Body:
    """A check as it was rolled."""
    told = {
        "dice": list(roll.dice),
        "modifier": roll.modifier,
        "total": roll.total,
        "dc": roll.dc,
        "source": roll.source,
    }
    return told | {"given": roll.given} if roll.given else told


def _clock(outcome: Outcome) -> Body:
    clock = {
        "from": outcome.started_at,
        "to": outcome.ended_at,
        "elapsed": outcome.ended_at - outcome.started_at,
        "display": said(outcome.ended_at),
    }
    return clock if outcome.fight_seconds is None else clock | {"fight_seconds": outcome.fight_seconds}


def _movement(movement: Movement) -> Body:
    return {
        "pace": movement.pace,
        "rooms_asked": movement.rooms_asked,
        "rooms_entered": movement.rooms_entered,
        "explored": movement.explored,
        "notices_traps": movement.notices_traps,
        "passive_perception_modifier": movement.passive_perception_modifier,
        "disadvantage_on_saves": movement.disadvantage_on_saves,
        "passive_perception": dict(movement.passive_perception),
    }


def _declared(declared: Declared) -> Body:
    return {
        "character": declared.character,
        "character_id": declared.character_id,
        "activity": declared.activity,
        "source": declared.source,
        "label": declared.label,
        "task": declared.task,
        "target": declared.target,
        "role": declared.role,
        "check": roll_body(declared.check) if declared.check else None,
        "found": list(declared.found),
        "stealth_dc": declared.stealth_dc,
        "effects": list(declared.effects),
    }


def _task(task: Task) -> Body:
    return {
        "task": task.task,
        "characters": list(task.characters),
        "manner": task.manner,
        "degree": task.degree,
        "passes": task.passes,
        "failures": task.failures,
    }


def _save(save: SaveResult) -> Body:
    return {
        "character": save.character,
        "character_id": save.character_id,
        "kind": save.kind,
        "from": save.origin,
        "disadvantage": save.disadvantage,
        "check": roll_body(save.check),
        "degree": save.degree,
    }


def _alert(outcome: Outcome) -> Body:
    return {
        "enabled": outcome.alert_enabled,
        "from": outcome.alert_before,
        "to": outcome.alert_after,
        "rolls": [
            {
                "at": roll.at,
                "die": roll.die,
                "face": roll.face,
                "raises_on": list(roll.raises_on),
                "source": roll.source,
            }
            for roll in outcome.alert_rolls
        ],
        "changes": [change_for_gm(change) for change in outcome.alert_changes],
        "consequences": [consequence_body(consequence) for consequence in outcome.consequences],
    }


def _stealth(stealth: Stealth) -> Body:
    """The guards' roll is told in the rounds that made one."""
    told: Body = {"against": stealth.against, "advantage": stealth.advantage}
    return told | {"guards": _picked(roll_body(stealth.guards), _CHECK)} if stealth.guards else told


def _chain(crawl: Crawl, progress: ChainProgress) -> Body:
    chain = progress.chain
    return {
        "character": name_of(crawl, chain.character),
        "activity": chain.declaration.activity,
        "label": chain.declaration.label,
        "rounds_done": chain.rounds_done,
        "rounds_needed": chain.rounds_needed,
        "status": progress.status,
    }


def _halted(halted: Halted) -> Body:
    remaining = {"rooms": halted.rooms} if halted.rooms is not None else {"seconds": halted.seconds}
    return {"by": "encounter", "encounter": halted.encounter, "remaining": remaining}


def _rolled(entry: Mapping[str, Any], keys: tuple[str, ...]) -> Body:
    """A declaration or save whose check keeps its DC to itself."""
    check = entry["check"]
    return _picked(entry, keys) | {"check": _picked(check, _CHECK) if check else None}


def _picked(body: Mapping[str, Any], keys: tuple[str, ...]) -> Body:
    return {key: body[key] for key in keys if key in body}

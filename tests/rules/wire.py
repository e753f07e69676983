"""The wire as the corpus writes it, to and from the engine's records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from service.rules.model import Chain, Character, Crawl, Encounter, Guards, Timer, Visibility
from service.rules.outcome import Degree, Outcome, Roll
from service.rules.ruleset import rules_of
from service.rules.submission import Check
from service.rules.watch import next_check

Body = Mapping[str, Any]

_CHECK = ("ability", "skill", "proficiency", "dc", "modifier", "advantage", "total", "naturals", "passed")


def check_of(body: Body) -> Check:
    fields = {key: body[key] for key in _CHECK if key in body}
    if "naturals" in fields:
        fields["naturals"] = tuple(fields["naturals"])
    return Check(**fields)


def start_of(body: Body) -> dict[str, Any]:
    """The keyword arguments of `start_crawl` for a body of POST /v1/crawls."""
    alert = body.get("alert", {})
    return {
        "name": body.get("name", "A crawl"),
        "ruleset": body["ruleset"],
        "rules": body.get("rules", {}),
        "party": party_of(body["party"]),
        "marching_order": tuple(body.get("marching_order", ())),
        "light_bearers": tuple(body.get("light_bearers", ())),
        "alert_enabled": alert.get("enabled"),
        "alert_level": alert.get("level"),
        "every_rounds": body.get("encounter_check", {}).get("every_rounds"),
        "guards": Guards(**body["guards"]) if body.get("guards") else None,
        "visibility": Visibility(**body.get("visibility", {})),
    }


def party_of(party: Sequence[Body]) -> tuple[Character, ...]:
    """The party with ids by place, so that a test can tell who is who."""
    return tuple(Character(**{"id": f"chr_{place}", **each}) for place, each in enumerate(party, 1))


def changes_of(body: Body) -> dict[str, Any]:
    """A PATCH body as `change_card` takes it."""
    changes = {key: value for key, value in body.items() if key != "unlock"}
    if "encounter_check" in changes:
        changes["every_rounds"] = changes.pop("encounter_check")["every_rounds"]
    if "alert" in changes:
        changes["alert_enabled"] = changes.pop("alert")["enabled"]
    if "party" in changes:
        changes["party"] = party_of(changes["party"])
    if changes.get("guards"):
        changes["guards"] = Guards(**changes["guards"])
    return {key: tuple(value) if isinstance(value, list) else value for key, value in changes.items()}


def roll_on_wire(roll: Roll) -> dict[str, Any]:
    return {
        "dice": list(roll.dice),
        "modifier": roll.modifier,
        "total": roll.total,
        "dc": roll.dc,
        "source": roll.source,
    }


def encounter_on_wire(encounter: Encounter) -> dict[str, Any]:
    return {
        "id": encounter.id,
        "at": encounter.at,
        "status": encounter.status,
        "result": encounter.result,
        "surprise": {
            "party_can_be_surprised": encounter.party_can_be_surprised,
            "reactions": list(encounter.reactions),
        },
    }


def timer_on_wire(timer: Timer, at: int) -> dict[str, Any]:
    return {"id": timer.id, "name": timer.name, "kind": timer.kind, "at": at}


def changes_on_wire(changes: Sequence[Any], consequences: Sequence[Any]) -> dict[str, Any]:
    return {
        "changes": [
            {"at": each.at, "from": each.before, "to": each.after, "cause": each.cause, "capped": each.capped}
            for each in changes
        ],
        "consequences": [
            {"at": each.at, "level": each.level, "consequence": each.consequence} for each in consequences
        ],
    }


def check_on_wire(check: Any) -> dict[str, Any]:
    return {
        "at": check.at,
        "alert_level": check.alert_level,
        "die": check.die,
        "face": check.face,
        "triggers_on": list(check.triggers_on),
        "source": check.source,
        "triggered": check.triggered,
        "encounter": check.encounter,
    }


def next_check_on_wire(check: Any) -> dict[str, Any]:
    return {
        "at": check.at,
        "in": check.within,
        "die": check.die,
        "triggers_on": list(check.triggers_on),
        "chance": check.chance,
    }


def outcome_on_wire(crawl: Crawl, outcome: Outcome) -> dict[str, Any]:
    """The GM's outcome, but for what only the service adds: words and renders."""
    clock = {
        "from": outcome.started_at,
        "to": outcome.ended_at,
        "elapsed": outcome.ended_at - outcome.started_at,
        "display": display(outcome.ended_at),
    }
    if outcome.fight_seconds is not None:
        clock["fight_seconds"] = outcome.fight_seconds
    return {
        "number": outcome.number,
        "kind": outcome.kind,
        "clock": clock,
        "movement": _movement(outcome),
        "declarations": [_declared(each) for each in outcome.declarations],
        "tasks": [
            {
                "task": each.task,
                "characters": list(each.characters),
                "manner": each.manner,
                "degree": each.degree,
                "passes": each.passes,
                "failures": each.failures,
            }
            for each in outcome.tasks
        ],
        "saves": [
            {
                "character": each.character,
                "character_id": each.character_id,
                "kind": each.kind,
                "from": each.origin,
                "disadvantage": each.disadvantage,
                "check": roll_on_wire(each.check),
                "degree": each.degree,
            }
            for each in outcome.saves
        ],
        "alert": _alert(outcome),
        "encounter_checks": [check_on_wire(each) for each in outcome.encounter_checks],
        "encounters": [encounter_on_wire(each) for each in outcome.encounters],
        "timers": {
            "expired": [timer_on_wire(each.timer, each.at) for each in outcome.timers_expired],
            "ending": [timer_on_wire(each.timer, each.at) for each in outcome.timers_ending],
        },
        "chains": [{**chain_on_wire(crawl, each.chain), "status": each.status} for each in outcome.chains],
        "stealth": None
        if outcome.stealth is None
        else {"against": outcome.stealth.against, "advantage": outcome.stealth.advantage},
        "halted": _halted(outcome),
        "next_check": next_check_on_wire(outcome.next_check),
        "unused_dice": {use: list(faces) for use, faces in outcome.unused_dice.items()},
        "note": outcome.note,
        "encounter": outcome.encounter,
    }


def crawl_on_wire(crawl: Crawl, encounters: Sequence[Encounter]) -> dict[str, Any]:
    pending = [each for each in encounters if each.status in ("pending", "revealed")]
    card, play = crawl.card, crawl.play
    return {
        "name": card.name,
        "ruleset": card.ruleset,
        "version": crawl.version,
        "status": crawl.status,
        "clock": {"seconds": play.clock, "display": display(play.clock)},
        "rounds": play.rounds,
        "alert": {
            "enabled": card.alert_enabled,
            "level": play.alert_level if card.alert_enabled else None,
            "easier_stealth": play.easier_stealth,
        },
        "encounter_check": {"every_rounds": card.every_rounds},
        "next_check": next_check_on_wire(next_check(rules_of(card), card, play)),
        "timers": [{"id": each.id, "name": each.name, "kind": each.kind} for each in play.timers],
        "chains": [{**chain_on_wire(crawl, each), "status": "going_on"} for each in play.chains],
        "pending_encounters": [encounter_on_wire(each) for each in reversed(pending)],
        "pending_encounter_count": len(pending),
    }


def chain_on_wire(crawl: Crawl, chain: Chain) -> dict[str, Any]:
    caster = crawl.named(chain.character)
    return {
        "character": caster.name if caster else chain.character,
        "activity": chain.declaration.activity,
        "label": chain.declaration.label,
        "rounds_done": chain.rounds_done,
        "rounds_needed": chain.rounds_needed,
    }


def degrees_of(outcome: Outcome) -> dict[tuple[int, str], Degree | None]:
    return {(outcome.number, each.task): each.degree for each in outcome.tasks if each.task is not None}


def display(seconds: int) -> str:
    """The clock in words: 5400 is "1 h 30 min", 0 is "0 min"."""
    parts = ((seconds // 3600, "h"), (seconds % 3600 // 60, "min"), (seconds % 60, "s"))
    return " ".join(f"{number} {unit}" for number, unit in parts if number) or "0 min"


def _movement(outcome: Outcome) -> dict[str, Any] | None:
    movement = outcome.movement
    if movement is None:
        return None
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


def _declared(declared: Any) -> dict[str, Any]:
    return {
        "character": declared.character,
        "character_id": declared.character_id,
        "activity": declared.activity,
        "source": declared.source,
        "label": declared.label,
        "task": declared.task,
        "target": declared.target,
        "role": declared.role,
        "check": None if declared.check is None else roll_on_wire(declared.check),
        "found": list(declared.found),
        "stealth_dc": declared.stealth_dc,
        "effects": list(declared.effects),
    }


def _alert(outcome: Outcome) -> dict[str, Any]:
    rolls = [
        {"at": each.at, "die": each.die, "face": each.face, "raises_on": list(each.raises_on), "source": each.source}
        for each in outcome.alert_rolls
    ]
    return {
        "enabled": outcome.alert_enabled,
        "from": outcome.alert_before,
        "to": outcome.alert_after,
        "rolls": rolls,
        **changes_on_wire(outcome.alert_changes, outcome.consequences),
    }


def _halted(outcome: Outcome) -> dict[str, Any] | None:
    halted = outcome.halted
    if halted is None:
        return None
    remaining = {"rooms": halted.rooms} if halted.rooms is not None else {"seconds": halted.seconds}
    return {"by": "encounter", "encounter": halted.encounter, "remaining": remaining}

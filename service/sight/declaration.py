"""What somebody declared ahead, in words."""

from __future__ import annotations

from typing import Any

from service.rules.model import Character
from service.rules.submission import Check, Declaration


def declaration_for_gm(character: Character, declaration: Declaration) -> dict[str, Any]:
    """All that was declared, with what is hidden where the character searches."""
    check = declaration.check
    return {
        **_declared(character, declaration),
        "check": _check(check) | {"dc": check.dc, "passed": check.passed} if check else None,
        "hidden": [{"name": hidden.name, "dc": hidden.dc} for hidden in declaration.hidden],
    }


def declaration_for_players(character: Character, declaration: Declaration) -> dict[str, Any]:
    """What the whole table may hear: without DCs, rulings and what is hidden."""
    return {
        **_declared(character, declaration),
        "check": _check(declaration.check) if declaration.check else None,
    }


def _declared(character: Character, declaration: Declaration) -> dict[str, Any]:
    replaces = declaration.replaces
    return {
        "character": character.name,
        "character_id": character.id,
        "activity": declaration.activity,
        "label": declaration.label,
        "task": declaration.task,
        "target": declaration.target,
        "proficient": declaration.proficient,
        "room_ft": declaration.room_ft,
        "rounds_needed": declaration.rounds_needed,
        "replaces": {"round": replaces[0], "task": replaces[1]} if replaces else None,
    }


def _check(check: Check) -> dict[str, Any]:
    return {
        "ability": check.ability,
        "skill": check.skill,
        "proficiency": check.proficiency,
        "modifier": check.modifier,
        "advantage": check.advantage,
        "total": check.total,
        "naturals": list(check.naturals) if check.naturals is not None else None,
    }

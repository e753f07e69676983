"""An outcome as sight tells it, for renders to put into words."""

from __future__ import annotations

from typing import Any


def told(**different: Any) -> dict[str, Any]:
    """A quiet walk through two rooms, as the GM is told of it."""
    return {
        "number": 7,
        "kind": "travel",
        "version": 9,
        "clock": {"from": 3540, "to": 3600, "elapsed": 60, "display": "1 h"},
        "movement": {
            "pace": "fast",
            "rooms_asked": 2,
            "rooms_entered": 2,
            "explored": False,
            "notices_traps": False,
            "passive_perception_modifier": -5,
            "disadvantage_on_saves": True,
            "passive_perception": {"Kara": 9},
        },
        "declarations": [],
        "tasks": [],
        "saves": [],
        "alert": {"enabled": True, "from": 1, "to": 1, "rolls": [], "changes": [], "consequences": []},
        "encounter_checks": [],
        "encounters": [],
        "timers": {"expired": [], "ending": []},
        "chains": [],
        "stealth": {"against": "passive", "advantage": False},
        "halted": None,
        "next_check": {"at": 7200, "in": 3600, "die": "1d6", "triggers_on": [6], "chance": 1 / 6},
        "unused_dice": {},
        "encounter": None,
        "note": None,
    } | different


def found(*things: str, by: str = "Kara") -> list[dict[str, Any]]:
    """Declarations in which somebody finds things."""
    return [{"character": by, "activity": "search", "found": list(things)}]


def task(name: str | None, degree: str | None, *characters: str) -> dict[str, Any]:
    return {"task": name, "characters": list(characters or ("Kara",)), "degree": degree}

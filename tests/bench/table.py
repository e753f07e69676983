"""The table that is measured: five characters with all that the service keeps of a crawl, and what they submit."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

Ask = Callable[[str, str, Any, str | None], Any]
"""Sends (method, path, body, token), and gives the answer's JSON; raises unless the service did it."""

_NAMES = ("Kara", "Bram", "Ilse", "Tove", "Finn")

CRAWL: dict[str, Any] = {
    "name": "The Persephone",
    "ruleset": "derelict",
    "party": [
        {"name": name, "passive_perception": 10 + i, "dexterity_modifier": i - 1, "proficiency_bonus": 3}
        for i, name in enumerate(_NAMES)
    ],
    "marching_order": list(_NAMES),
    "light_bearers": ["Kara", "Finn"],
    "alert": {"enabled": True, "level": 1},
    "guards": {"passive_perception": 13, "perception_modifier": 3},
    "visibility": {"alert": "gm", "timers": "exact"},
    # The same dice each time, so that every run measures the same rounds.
    "seed": "5e" * 32,
}

LIGHT: dict[str, Any] = {"name": "Ship's lantern", "kind": "light", "seconds": 604_800, "bearer": "Kara"}

TRAVEL: dict[str, Any] = {"kind": "travel", "pace": "fast", "rooms": 3}

EXPLORE: dict[str, Any] = {
    "kind": "explore",
    "declarations": [
        {
            "character": "Kara",
            "activity": "search",
            "check": {"skill": "perception", "modifier": 5},
            "hidden": [{"name": "hatch", "dc": 14}],
        },
        *(
            {
                "character": name,
                "activity": "act",
                "label": "force the bulkhead",
                "task": "bulkhead",
                "check": {"ability": "str", "skill": "athletics", "dc": 15, "modifier": 2},
            }
            for name in ("Bram", "Ilse", "Tove")
        ),
        {
            "character": "Finn",
            "activity": "act",
            "label": "open the panel",
            "check": {"proficiency": "hacking tools", "dc": 13, "modifier": 4},
        },
    ],
}


def start(ask: Ask) -> tuple[str, str]:
    """A crawl of theirs, begun: its path and its GM token."""
    crawl = ask("POST", "/v1/crawls", CRAWL, None)
    path, token = f"/v1/crawls/{crawl['id']}", crawl["tokens"]["gm"]
    ask("POST", f"{path}/timers", LIGHT, token)
    return path, token


def said(body: Any) -> bytes:
    """The bytes of a body."""
    return json.dumps(body, separators=(",", ":")).encode()

"""The bytes of everything kept: which record is written under which names.

A table here is the format. To change one, raise the format of every `Stored` that holds it and give each an upgrade
from the format before; what lies in the store is upgraded as it is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from service.rules.model import Card, Chain, Character, Encounter, Guards, Play, Timer, Visibility
from service.rules.submission import Check, Declaration, Hidden
from service.store.layout import LIST, Inner, Layout, Stored, many, one
from service.store.records import Step, Token, Undone

_CHECK = Layout(
    Check,
    {
        "ability": "a",
        "skill": "s",
        "proficiency": "p",
        "dc": "d",
        "modifier": "m",
        "advantage": "v",
        "total": "t",
        "naturals": "n",
        "passed": "w",
    },
    naturals=LIST,
)

_DECLARATION = Layout(
    Declaration,
    {
        "character": "c",
        "activity": "a",
        "label": "l",
        "task": "t",
        "target": "g",
        "proficient": "p",
        "check": "k",
        "hidden": "h",
        "room_ft": "m",
        "rounds_needed": "n",
        "replaces": "r",
    },
    check=one(_CHECK),
    hidden=many(Layout(Hidden, {"name": "n", "dc": "d"})),
    replaces=LIST,
)

_CHARACTER = Layout(
    Character,
    {
        "id": "i",
        "name": "n",
        "passive_perception": "p",
        "dexterity_modifier": "d",
        "proficiency_bonus": "b",
        "default_activity": "a",
    },
)

_CARD = Layout(
    Card,
    {
        "name": "n",
        "ruleset": "s",
        "party": "p",
        "rules": "r",
        "marching_order": "o",
        "light_bearers": "l",
        "alert_enabled": "a",
        "every_rounds": "e",
        "guards": "g",
        "visibility": "v",
    },
    party=many(_CHARACTER),
    rules=Inner(dict, dict),
    marching_order=LIST,
    light_bearers=LIST,
    guards=one(Layout(Guards, {"passive_perception": "p", "perception_modifier": "m"})),
    visibility=one(Layout(Visibility, {"alert": "a", "timers": "t"})),
)

_TIMER = Layout(
    Timer,
    {
        "id": "i",
        "name": "n",
        "kind": "k",
        "ends_at": "e",
        "remaining": "r",
        "warn_at": "w",
        "warned": "d",
        "bearer": "b",
    },
)

_CHAIN = Layout(
    Chain,
    {"character": "c", "declaration": "d", "rounds_done": "o", "rounds_needed": "n"},
    declaration=one(_DECLARATION),
)

_PLAY = Layout(
    Play,
    {
        "clock": "c",
        "rounds": "r",
        "place": "p",
        "last_check": "k",
        "alert_level": "a",
        "easier_stealth": "e",
        "rounds_in_room": "m",
        "encounters": "n",
        "timers": "t",
        "chains": "h",
    },
    timers=many(_TIMER),
    chains=many(_CHAIN),
)

# An encounter is kept under its id, so that it need not repeat it; it fits in 64 bytes, which is what Redis packs.
_ENCOUNTER = Layout(
    Encounter,
    {
        "ordinal": "o",
        "at": "a",
        "status": "s",
        "revealed": "r",
        "result": "x",
        "party_can_be_surprised": "u",
        "reactions": "v",
        "quiet": "q",
    },
    reactions=LIST,
    quiet=Inner(dict, dict),
)


def _write_encounters(encounters: Mapping[str, Encounter | None]) -> dict[str, Any]:
    return {key: value and _ENCOUNTER.write(value) for key, value in encounters.items()}


def _read_encounters(stored: Mapping[str, Any]) -> dict[str, Encounter | None]:
    return {key: None if value is None else _ENCOUNTER.read(value, id=key) for key, value in stored.items()}


def _write_declarations(declarations: Mapping[str, Declaration]) -> dict[str, Any]:
    return {key: _DECLARATION.write(value) for key, value in declarations.items()}


def _read_declarations(stored: Mapping[str, Any]) -> dict[str, Declaration]:
    return {key: _DECLARATION.read(value) for key, value in stored.items()}


_BY_ID = Inner(_write_encounters, _read_encounters)

_TOKEN = Layout(Token, {"role": "r", "character": "c", "label": "l", "reads_only": "o", "created_at": "a"})

_STEP = Layout(
    Step,
    {
        "what": "w",
        "public": "p",
        "play": "y",
        "round": "r",
        "encounters": "e",
        "declarations": "d",
        "commitment": "c",
    },
    play=one(_PLAY),
    encounters=_BY_ID,
    declarations=Inner(_write_declarations, _read_declarations),
)

_UNDONE = Layout(
    Undone,
    {"step": "s", "play": "y", "encounters": "e", "record": "r"},
    step=one(_STEP),
    play=one(_PLAY),
    encounters=_BY_ID,
)

CARD = Stored("card", _CARD)
PLAY = Stored("play", _PLAY)
ENCOUNTER = Stored("encounter", _ENCOUNTER)
DECLARATION = Stored("declaration", _DECLARATION)
# Format 1 knew no commitment: no crawl had been imported.
STEP = Stored("step", _STEP, 2, {1: dict})
UNDONE = Stored("step undone", _UNDONE, 2, {1: dict})
TOKEN = Stored("token", _TOKEN)

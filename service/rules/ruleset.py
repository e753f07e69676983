"""A ruleset is data: read from TOML, with a crawl's house rules laid over it and the whole checked (H1)."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Literal

from service.rules.errors import Fault, Invalid
from service.rules.model import Card
from service.rules.reading import Reader

RULESETS: tuple[str, ...] = ("derelict", "stretch")

EFFECTS = ("none", "cast", "help", "keep_watch", "loot", "move_quietly", "search", "take_your_time", "travel")
StealthAgainst = Literal["passive", "contested"]

MOST_EVERY_ROUNDS = 24
"""Rounds from one encounter check to the next, at most."""
MOST_HOUSE_RULES = 200_000
"""Characters of house rules, at most: more than one body takes, but patches and imports bring more."""
MOST_EXPLORE_ROOMS = 10
"""Rooms that a house rule may let an explore round leave behind, at most."""


@dataclass(frozen=True, slots=True)
class FaceRoll:
    """A die and the faces that count: sets, since families of rules trigger low, high or in between."""

    die: str
    sides: int
    faces: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Watch:
    """How often something may find the party, on which faces, and what Stealth is rolled against (A2).

    Exactly one of `every_seconds` and `every_rounds` is set; `consequences` come with a rise to this level (A7).
    """

    roll: FaceRoll
    every_seconds: int | None
    every_rounds: int | None
    stealth: StealthAgainst
    consequences: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Alert:
    """The alert system: levels from 1 up, what moves them, and what a failed check may set off (A1 to A7)."""

    levels: Mapping[int, Watch]
    incidents: Mapping[str, int]
    effects: Mapping[str, tuple[str, ...]]
    proficiencies: Mapping[str, str]

    @property
    def highest(self) -> int:
        return len(self.levels)


@dataclass(frozen=True, slots=True)
class Pace:
    """What a pace costs. Travel paces have `room_seconds` or `rooms_per_round`; an explore pace has neither.

    `disadvantage_on` holds (save or check, origin or None for any); `slower` is the pace that it counts as under
    easier Stealth, `slower_stealth_advantage` what the slowest gives instead (A6).
    """

    key: str
    explored: bool
    notices_traps: bool
    passive_perception: int
    slower: str
    slower_stealth_advantage: bool
    room_seconds: int | None
    rooms_per_round: int | None
    disadvantage_on: tuple[tuple[str, str | None], ...]
    alert_roll: FaceRoll | None

    @property
    def travels(self) -> bool:
        return self.room_seconds is not None or self.rooms_per_round is not None


@dataclass(frozen=True, slots=True)
class Activity:
    """Something to do for a round. `effect` names what the engine gives for it; the numbers belong to that effect."""

    key: str
    title: str
    effect: str = "none"
    room_ft: int = 50
    dc: int = 8
    face: int = 20
    bonus_with_advantage: int = 5
    extra_check: bool = False


@dataclass(frozen=True, slots=True)
class Ruleset:
    """One table's rules, whole and checked."""

    key: str
    title: str
    round_label: str
    round_seconds: int
    whole_rounds: bool
    explore_pace: str
    explore_rooms: int
    combat_seconds: int
    combat_round_seconds: int | None
    short_rest_rounds: int
    long_rest_rounds: int
    travel_pace: str
    paces: Mapping[str, Pace]
    watch: Watch
    at_round_end: bool
    alert: Alert | None
    activities: Mapping[str, Activity]
    group_tie: Literal["success", "failure"]
    stealth_tie: Literal["unnoticed", "noticed"]


def ruleset_of(key: str, rules: Mapping[str, Any] | None = None) -> Ruleset:
    """The ruleset of that key with house rules over it; Invalid with pointers below /ruleset or /rules."""
    if key not in RULESETS:
        raise Invalid(Fault("/ruleset", f"There is no ruleset {key!r}. Choose one of: {', '.join(RULESETS)}."))
    house = json.dumps(rules, sort_keys=True) if rules else ""
    if len(house) > MOST_HOUSE_RULES:
        raise Invalid(Fault("/rules", f"House rules have {MOST_HOUSE_RULES} characters of JSON at most."))
    return _ruleset(key, house)


def rules_of(card: Card) -> Ruleset:
    """The ruleset that a crawl is played by."""
    return ruleset_of(card.ruleset, card.rules)


@cache
def shipped(key: str) -> Mapping[str, Any]:
    """A shipped ruleset's document as it lies in its file."""
    return tomllib.loads(files("service.rules.rulesets").joinpath(f"{key}.toml").read_text("utf-8"))


def overlay(document: Mapping[str, Any], rules: Mapping[str, Any]) -> dict[str, Any]:
    """House rules over a document: objects merge by key, lists and scalars are replaced whole, null removes (H1)."""
    merged = dict(document)
    for key, value in rules.items():
        if value is None:
            merged.pop(key, None)
        elif isinstance(value, Mapping):
            below = merged.get(key)
            merged[key] = overlay(below if isinstance(below, Mapping) else {}, value)
        else:
            merged[key] = value
    return merged


@lru_cache(maxsize=1024)
def _ruleset(key: str, rules: str) -> Ruleset:
    house: Mapping[str, Any] = json.loads(rules) if rules else {}
    reader = Reader("/rules", overlay(shipped(key), house))
    ruleset = read_ruleset(reader)
    if ruleset.key != key:
        reader.fault("key", "A crawl's house rules cannot rename its ruleset. Leave this out.")
    reader.finish()
    return ruleset


def read_ruleset(at: Reader) -> Ruleset:
    """A ruleset from its document; every fault is noted with its pointer, the caller's `finish` raises them."""
    explore, combat, rest = at.table("explore"), at.table("combat"), at.table("rest")
    travel, check, checks = at.table("travel"), at.table("encounter_check"), at.table("checks")
    paces = {key: _pace(key, pace) for key, pace in at.table("paces").tables()}
    for key, pace in paces.items():
        if pace.slower not in paces:
            at.fault(f"paces/{key}/slower", f"There is no pace {pace.slower!r}.")
    explore_pace, travel_pace = explore.text("pace"), travel.text("pace")
    if explore_pace not in paces or paces[explore_pace].travels:
        at.fault("explore/pace", "Name a pace that has neither room_seconds nor rooms_per_round.")
    if travel_pace not in paces or not paces[travel_pace].travels:
        at.fault("travel/pace", "Name a pace that has room_seconds or rooms_per_round.")
    alert_at = at.optional_table("alert")
    ruleset = Ruleset(
        key=at.text("key"),
        title=at.text("title"),
        round_label=at.text("round_label"),
        round_seconds=at.whole("round_seconds", 1, 86_400),
        whole_rounds=at.truth("whole_rounds"),
        explore_pace=explore_pace,
        explore_rooms=explore.whole("rooms", 0, MOST_EXPLORE_ROOMS),
        combat_seconds=combat.whole("seconds", 0, 86_400),
        combat_round_seconds=combat.optional_whole("round_seconds", 1, 600),
        short_rest_rounds=rest.whole("short_rounds", 1, 1008),
        long_rest_rounds=rest.whole("long_rounds", 1, 1008),
        travel_pace=travel_pace,
        paces=paces,
        at_round_end=check.choice("when", ("elapsed", "round_end")) == "round_end",
        watch=_watch(check),
        alert=_alert(alert_at) if alert_at else None,
        activities={key: _activity(key, activity) for key, activity in at.table("activities").tables()},
        group_tie=checks.choice("group_tie", ("success", "failure")),  # type: ignore[arg-type]
        stealth_tie=checks.choice("stealth_tie", ("unnoticed", "noticed")),  # type: ignore[arg-type]
    )
    at.no_more()
    return ruleset


def _pace(key: str, at: Reader) -> Pace:
    roll = at.optional_table("alert_roll")
    pace = Pace(
        key=key,
        explored=at.truth("explored"),
        notices_traps=at.truth("notices_traps"),
        passive_perception=at.whole("passive_perception", -30, 30),
        slower=at.text("slower"),
        slower_stealth_advantage=at.truth("slower_stealth_advantage", False),
        room_seconds=at.optional_whole("room_seconds", 1, 86_400),
        rooms_per_round=at.optional_whole("rooms_per_round", 1, 100),
        disadvantage_on=tuple(_disadvantage(each) for each in at.list_of_tables("disadvantage_on")),
        alert_roll=_face_roll(roll, "raises_on") if roll else None,
    )
    if pace.room_seconds is not None and pace.rooms_per_round is not None:
        at.fault("rooms_per_round", "A pace has room_seconds or rooms_per_round, not both.")
    if roll:
        roll.no_more()
    at.no_more()
    return pace


def _disadvantage(at: Reader) -> tuple[str, str | None]:
    kind = at.choice("kind", ("save", "check"))
    origin = at.optional_choice("from", ("trap", "hazard", "other"))
    at.no_more()
    return kind, origin


def _face_roll(at: Reader, faces: str) -> FaceRoll:
    die = at.text("die")
    sides = at.sides("die")
    return FaceRoll(die, sides, at.faces(faces, sides))


def _watch(at: Reader) -> Watch:
    seconds = at.optional_whole("every_seconds", 60, 604_800)
    rounds = at.optional_whole("every_rounds", 1, MOST_EVERY_ROUNDS)
    if (seconds is None) == (rounds is None):
        at.fault("every_seconds", "Say every_seconds or every_rounds, one of the two.")
        seconds = seconds or 3600
    watch = Watch(
        roll=_face_roll(at, "triggers_on"),
        every_seconds=seconds,
        every_rounds=rounds,
        stealth=at.choice("stealth", ("passive", "contested")),  # type: ignore[arg-type]
        consequences=at.texts("consequences"),
    )
    at.no_more()
    return watch


def _alert(at: Reader) -> Alert:
    levels_at = at.table("levels")
    levels = {int(key): _watch(level) for key, level in levels_at.tables() if key.isascii() and key.isdigit()}
    if sorted(levels) != list(range(1, len(levels) + 1)) or len(levels) != len(levels_at.names()) or not levels:
        at.fault("levels", 'Levels are keyed "1", "2", "3" … without a gap.')
    incidents = at.table("incidents")
    moves = {key: incidents.whole(key, -4, 4) for key in incidents.names()}
    effects_at, proficiencies_at = at.table("effects"), at.table("proficiencies")
    effects = {key: effects_at.texts(key) for key in effects_at.names()}
    proficiencies = {fold(key): proficiencies_at.choice(key, tuple(moves)) for key in proficiencies_at.names()}
    at.no_more()
    return Alert(levels, moves, effects, proficiencies)


def _activity(key: str, at: Reader) -> Activity:
    activity = Activity(
        key=key,
        title=at.text("title"),
        effect=at.choice("effect", EFFECTS, "none"),
        room_ft=at.whole("room_ft", 1, 10_000, 50),
        dc=at.whole("dc", 0, 40, 8),
        face=at.whole("face", 1, 20, 20),
        bonus_with_advantage=at.whole("bonus_with_advantage", 0, 20, 5),
        extra_check=at.truth("extra_check", False),
    )
    at.no_more()
    return activity


def fold(words: str) -> str:
    """Names as they are compared: in any case, an underscore as a space (A5)."""
    return " ".join(words.casefold().replace("_", " ").split())

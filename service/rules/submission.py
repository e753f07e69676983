"""What a table submits: one round of one kind, with what everybody does.

Names are as the table wrote them (a character by name or id); the engine resolves and refuses them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["explore", "travel", "combat", "rest", "time"]
Advantage = Literal["none", "advantage", "disadvantage"]
DieUse = Literal["encounter", "alert", "check", "guards"]
SaveKind = Literal["save", "check"]
SaveOrigin = Literal["trap", "hazard", "other"]
Rest = Literal["short", "long"]
OnEncounter = Literal["halt", "continue"]


@dataclass(frozen=True, slots=True)
class Check:
    """A d20 roll: made by the service (`modifier`), given as `naturals` or a final `total`, or ruled `passed` (C6)."""

    ability: str | None = None
    skill: str | None = None
    proficiency: str | None = None
    dc: int | None = None
    modifier: int | None = None
    advantage: Advantage = "none"
    total: int | None = None
    naturals: tuple[int, ...] | None = None
    passed: bool | None = None


@dataclass(frozen=True, slots=True)
class Hidden:
    """Something to find, for whoever searches: found with a roll of `dc` or more."""

    name: str
    dc: int


@dataclass(frozen=True, slots=True)
class Declaration:
    """What one character does this round. `replaces` is (round number, task) of the failed check it does over."""

    character: str
    activity: str
    label: str | None = None
    task: str | None = None
    target: str | None = None
    proficient: bool | None = None
    check: Check | None = None
    hidden: tuple[Hidden, ...] = ()
    room_ft: int | None = None
    rounds_needed: int | None = None
    replaces: tuple[int, str] | None = None


@dataclass(frozen=True, slots=True)
class Incident:
    """Something that moves the alert (A4). `effect` belongs to `security_disabled` (A6)."""

    incident: str
    effect: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Save:
    """A save or check that the rooms throw at somebody; `origin` is the wire's `from`."""

    character: str
    kind: SaveKind
    origin: SaveOrigin
    check: Check


@dataclass(frozen=True, slots=True)
class Submission:
    """One round. `dice` are the caller's own faces, used in order of time (C7); only the kind's own fields are set."""

    kind: Kind
    pace: str | None = None
    rooms: int = 0
    combat_rounds: int | None = None
    encounter: str | None = None
    rest: Rest | None = None
    rounds: int | None = None
    seconds: int | None = None
    on_encounter: OnEncounter = "halt"
    declarations: tuple[Declaration, ...] = ()
    incidents: tuple[Incident, ...] = ()
    saves: tuple[Save, ...] = ()
    dice: Mapping[DieUse, tuple[int, ...]] = field(default_factory=dict)
    note: str | None = None

"""What a crawl is: its party, its clock and everything that changes in play.

A `Crawl` has two halves. The `Card` is what a GM sets up and changes by PATCH; the `Play` is what rounds move and what
undo restores (U1). Whole seconds everywhere; every `at` is on the crawl's clock (T1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from service.rules.submission import Declaration

Status = Literal["active", "paused", "ended"]
EncounterStatus = Literal["pending", "revealed", "resolved", "evaded"]
TimerKind = Literal["light", "effect", "condition", "other"]
Audience = Literal["gm", "public"]
TimerSight = Literal["exact", "vague", "hidden"]


@dataclass(frozen=True, slots=True)
class Character:
    """One of the party. Names are unique case-folded; `default_activity` is the standing order of S3."""

    id: str
    name: str
    passive_perception: int | None = None
    dexterity_modifier: int | None = None
    proficiency_bonus: int | None = None
    default_activity: str | None = None


@dataclass(frozen=True, slots=True)
class Guards:
    """The opposition's numbers for Stealth without a DC of its own (A8)."""

    passive_perception: int | None = None
    perception_modifier: int | None = None


@dataclass(frozen=True, slots=True)
class Visibility:
    """What players see of the GM's side."""

    alert: Audience = "gm"
    timers: TimerSight = "exact"


@dataclass(frozen=True, slots=True)
class Card:
    """What the GM set up. `rules` are the house rules as given (H1); ids refer to `party`.

    `every_rounds` is None only where the ruleset counts no rounds between checks (T8).
    """

    name: str
    ruleset: str
    party: tuple[Character, ...]
    rules: Mapping[str, Any] = field(default_factory=dict)
    marching_order: tuple[str, ...] = ()
    light_bearers: tuple[str, ...] = ()
    alert_enabled: bool = False
    every_rounds: int | None = None
    guards: Guards | None = None
    visibility: Visibility = Visibility()


@dataclass(frozen=True, slots=True)
class Timer:
    """Something that runs out. Running: `ends_at` is set. Paused: `remaining` is set instead.

    `warn_at` is how many seconds before its end it is reported as ending.
    """

    id: str
    name: str
    kind: TimerKind
    ends_at: int | None
    remaining: int | None = None
    warn_at: int | None = None
    warned: bool = False
    bearer: str | None = None


@dataclass(frozen=True, slots=True)
class Chain:
    """Work that takes several explore rounds, a long cast or a large room; `declaration` is what began it."""

    character: str
    declaration: Declaration
    rounds_done: int
    rounds_needed: int


@dataclass(frozen=True, slots=True)
class Play:
    """Everything that rounds move and undo restores.

    `place` counts the changes in force, it is the dice's place in the history; `rounds_in_room` counts explore rounds
    since the room was entered (T3); `encounters` counts those that came.
    """

    clock: int = 0
    rounds: int = 0
    place: int = 0
    last_check: int = 0
    alert_level: int = 1
    easier_stealth: bool = False
    rounds_in_room: int = 0
    encounters: int = 0
    timers: tuple[Timer, ...] = ()
    chains: tuple[Chain, ...] = ()


@dataclass(frozen=True, slots=True)
class Encounter:
    """What a check brought. `quiet` holds the Move Quietly DC of everyone who moved quietly that round (S4)."""

    id: str
    ordinal: int
    at: int
    status: EncounterStatus = "pending"
    revealed: bool = False
    result: str | None = None
    party_can_be_surprised: bool = True
    reactions: tuple[str, ...] = ()
    quiet: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Crawl:
    """The expedition we keep. `seed` is 64 hex digits and never leaves before the crawl has ended."""

    id: str
    created_at: str
    seed: str
    card: Card
    play: Play = Play()
    status: Status = "active"
    version: int = 1

    def named(self, name_or_id: str) -> Character | None:
        """The character of that id, or of that name in any case."""
        folded = name_or_id.casefold()
        for character in self.card.party:
            if character.id == name_or_id or character.name.casefold() == folded:
                return character
        return None

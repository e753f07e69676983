"""What a round answers, in records; `service/sight` puts them into words for the GM and for players."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from service.rules.model import Chain, Crawl, Encounter, Timer
from service.rules.ruleset import StealthAgainst
from service.rules.submission import Kind, SaveKind, SaveOrigin

Source = Literal["caller", "service"]
Degree = Literal["critical_success", "success", "failure", "critical_failure"]
DeclaredBy = Literal["submitted", "declared", "standing_order", "chain", "none"]
TaskRole = Literal["lead", "helper", "group"]
Manner = Literal["single", "helped", "group"]
ChainStatus = Literal["going_on", "completed", "lost"]


@dataclass(frozen=True, slots=True)
class Roll:
    """A check as it was rolled. `dice` are the natural faces in the order rolled, none where only a total was given.

    Where `source` is the service, the first `given` of them are the caller's nevertheless.
    """

    dice: tuple[int, ...]
    modifier: int | None
    total: int | None
    dc: int | None
    source: Source
    passed: bool | None
    given: int = 0


@dataclass(frozen=True, slots=True)
class Declared:
    """What one character did this round, and what came of it."""

    character: str
    character_id: str
    activity: str | None
    source: DeclaredBy
    label: str | None = None
    task: str | None = None
    target: str | None = None
    role: TaskRole | None = None
    check: Roll | None = None
    found: tuple[str, ...] = ()
    stealth_dc: int | None = None
    effects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Task:
    """A check with everyone who rolled on it (C1 to C3)."""

    task: str | None
    characters: tuple[str, ...]
    manner: Manner
    degree: Degree | None
    passes: int
    failures: int


@dataclass(frozen=True, slots=True)
class SaveResult:
    """A save or check that the rooms threw at somebody."""

    character: str
    character_id: str
    kind: SaveKind
    origin: SaveOrigin
    disadvantage: bool
    check: Roll
    degree: Degree | None


@dataclass(frozen=True, slots=True)
class Movement:
    """How the party moved; `passive_perception` holds what is left of it, for each whose score is known."""

    pace: str
    rooms_asked: int
    rooms_entered: int
    explored: bool
    notices_traps: bool
    passive_perception_modifier: int
    disadvantage_on_saves: bool
    passive_perception: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class AlertRoll:
    """One pace roll (A3)."""

    at: int
    die: str
    face: int
    raises_on: tuple[int, ...]
    source: Source


@dataclass(frozen=True, slots=True)
class AlertChange:
    """One change asked for; `capped` when a bound cut it (A1). Cause: `pace`, `gm` or the incident's name."""

    at: int
    before: int
    after: int
    cause: str
    capped: bool


@dataclass(frozen=True, slots=True)
class Consequence:
    """What a level brings when a rise reaches it (A7)."""

    at: int
    level: int
    consequence: str


@dataclass(frozen=True, slots=True)
class EncounterCheck:
    """One encounter check; `alert_level` is None while there is no alert."""

    at: int
    alert_level: int | None
    die: str
    face: int
    triggers_on: tuple[int, ...]
    source: Source
    encounter: str | None

    @property
    def triggered(self) -> bool:
        return self.encounter is not None


@dataclass(frozen=True, slots=True)
class NextCheck:
    """When the next check comes, `within` seconds from now, and its exact chance."""

    at: int
    within: int
    die: str
    triggers_on: tuple[int, ...]
    chance: float


@dataclass(frozen=True, slots=True)
class TimerMoment:
    """A timer that ended, or is about to, at a moment."""

    timer: Timer
    at: int


@dataclass(frozen=True, slots=True)
class ChainProgress:
    """A chain as this round left it."""

    chain: Chain
    status: ChainStatus


@dataclass(frozen=True, slots=True)
class Halted:
    """Where an encounter stopped the party, and what remains: rooms or seconds (T7)."""

    encounter: str
    rooms: int | None = None
    seconds: int | None = None


@dataclass(frozen=True, slots=True)
class Stealth:
    """What Stealth is rolled against from here on, with advantage or not, and the guards' roll if any (A8)."""

    against: StealthAgainst
    advantage: bool
    guards: Roll | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """All that one round brought."""

    number: int
    kind: Kind
    started_at: int
    ended_at: int
    fight_seconds: int | None
    movement: Movement | None
    declarations: tuple[Declared, ...]
    tasks: tuple[Task, ...]
    saves: tuple[SaveResult, ...]
    alert_enabled: bool
    alert_before: int | None
    alert_after: int | None
    alert_rolls: tuple[AlertRoll, ...]
    alert_changes: tuple[AlertChange, ...]
    consequences: tuple[Consequence, ...]
    encounter_checks: tuple[EncounterCheck, ...]
    encounters: tuple[Encounter, ...]
    timers_expired: tuple[TimerMoment, ...]
    timers_ending: tuple[TimerMoment, ...]
    chains: tuple[ChainProgress, ...]
    stealth: Stealth | None
    halted: Halted | None
    next_check: NextCheck
    unused_dice: Mapping[str, tuple[int, ...]]
    note: str | None
    encounter: str | None


@dataclass(frozen=True, slots=True)
class Resolution:
    """A round resolved: the crawl as it stands after it, and what it brought."""

    crawl: Crawl
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class AlertSet:
    """The alert moved by hand (A4, A6)."""

    crawl: Crawl
    changes: tuple[AlertChange, ...]
    consequences: tuple[Consequence, ...]


@dataclass(frozen=True, slots=True)
class CheckMade:
    """An encounter check called by hand (T6)."""

    crawl: Crawl
    check: EncounterCheck
    encounter: Encounter | None


@dataclass(frozen=True, slots=True)
class Slipped:
    """An attempt to slip away (S4): per character (name, DC or None, seen)."""

    crawl: Crawl
    encounter: Encounter
    perception: Roll
    degree: Degree
    characters: tuple[tuple[str, int | None, bool], ...]

"""What a table submits: rounds of each kind, declarations, checks and saves. They load into the rules' own records."""

from __future__ import annotations

from typing import Any, get_args

from marshmallow import post_load

from service.api.schemas.fields import Choice, Each, Part, Text, Truth, Whole
from service.api.schemas.shape import ByKind, Shape
from service.rules.ruleset import MOST_EXPLORE_ROOMS
from service.rules.submission import (
    Advantage,
    Check,
    Declaration,
    Hidden,
    Incident,
    OnEncounter,
    Rest,
    Save,
    SaveKind,
    SaveOrigin,
    Submission,
)

MOST_ROOMS = 500
MOST_ROUNDS = 1008
MOST_SECONDS = 604_800
MOST_PARTY = 40
NAME = 200
NOTE = 2000


class CheckShape(Shape):
    """A d20 roll: `modifier` alone lets the service roll; `naturals`, a final `total` or `passed` are how it fell."""

    ability = Text(NAME, optional=True)
    skill = Text(NAME, optional=True)
    proficiency = Text(NAME, optional=True)
    dc = Whole(0, 99, optional=True)
    modifier = Whole(-99, 99, optional=True)
    advantage = Choice(*get_args(Advantage))
    total = Whole(-999, 999, optional=True)
    naturals = Each(Whole(1, 20), 2, least=1, optional=True)
    passed = Truth(optional=True)

    @post_load
    def made(self, given: dict[str, Any], **_: Any) -> Check:
        return Check(**given)


class HiddenShape(Shape):
    """Something to find, and the roll that finds it."""

    name = Text(NAME, required=True)
    dc = Whole(0, 99, required=True)

    @post_load
    def made(self, given: dict[str, Any], **_: Any) -> Hidden:
        return Hidden(**given)


class ReplacedShape(Shape):
    """The failed check that somebody takes their time over."""

    round = Whole(1, 1_000_000, required=True)
    task = Text(NAME, required=True)

    @post_load
    def made(self, given: dict[str, Any], **_: Any) -> tuple[int, str]:
        return given["round"], given["task"]


class AheadShape(Shape):
    """What one character will do in the coming round; who it is, the path says, and `character` may say again."""

    character = Text(NAME)
    activity = Text(NAME, required=True)
    label = Text(NAME, optional=True)
    task = Text(NAME, optional=True)
    target = Text(NAME, optional=True)
    proficient = Truth(optional=True)
    check = Part(CheckShape(), optional=True)
    hidden = Each(Part(HiddenShape()), 50)
    room_ft = Whole(1, 100_000, optional=True)
    rounds_needed = Whole(1, MOST_ROUNDS, optional=True)
    replaces = Part(ReplacedShape(), optional=True)

    @post_load
    def made(self, given: dict[str, Any], **_: Any) -> Declaration:
        return Declaration(**{"character": "", **given})


class DeclarationShape(AheadShape):
    """What one character does this round; `character` is a name or an id."""

    character = Text(NAME, required=True)


class IncidentShape(Shape):
    """Something that moves the alert."""

    incident = Text(NAME, required=True)
    effect = Text(NAME, optional=True)
    note = Text(NOTE, least=0, optional=True)

    @post_load
    def made(self, given: dict[str, Any], **_: Any) -> Incident:
        return Incident(**given)


class SaveShape(CheckShape):
    """A save or check that the rooms throw at somebody, with the fields of a check beside it."""

    character = Text(NAME, required=True)
    kind = Choice(*get_args(SaveKind), required=True)
    origin = Choice(*get_args(SaveOrigin), data_key="from", required=True)

    @post_load
    def made(self, given: dict[str, Any], **_: Any) -> Save:
        return Save(given.pop("character"), given.pop("kind"), given.pop("origin"), Check(**given))


class DiceShape(Shape):
    """Faces rolled at the table, used in order of time."""

    encounter = Each(Whole(1, 1000), 1008)
    alert = Each(Whole(1, 1000), 1008)
    check = Each(Whole(1, 1000), 1008)
    guards = Each(Whole(1, 1000), 1008)


class RoundShape(Shape):
    """What every kind of round may have."""

    incidents = Each(Part(IncidentShape()), 50)
    dice = Part(DiceShape())
    note = Text(NOTE, least=0, optional=True)

    @post_load
    def made(self, given: dict[str, Any], **_: Any) -> Submission:
        return Submission(**given)


class ExploreRound(RoundShape):
    """Ten minutes in which everyone does one thing; with `rooms` 1 the party goes on into the next room at its end."""

    kind = Choice("explore", required=True)
    rooms = Whole(0, MOST_EXPLORE_ROOMS)  # how many an explore round may leave behind is the ruleset's to say
    declarations = Each(Part(DeclarationShape()), MOST_PARTY)
    saves = Each(Part(SaveShape()), 100)


class TravelRound(RoundShape):
    """A move through rooms at a pace of the ruleset."""

    kind = Choice("travel", required=True)
    pace = Text(NAME)
    rooms = Whole(1, MOST_ROOMS, required=True)
    saves = Each(Part(SaveShape()), 100)
    on_encounter = Choice(*get_args(OnEncounter))


class CombatRound(RoundShape):
    """A fight, over; `encounter` says with whom."""

    kind = Choice("combat", required=True)
    combat_rounds = Whole(1, 1000, required=True)
    encounter = Text(NAME, optional=True)


class RestRound(RoundShape):
    """A rest, for as long as one of `rest`, `rounds` and `seconds` says."""

    kind = Choice("rest", required=True)
    rest = Choice(*get_args(Rest))
    rounds = Whole(1, MOST_ROUNDS)
    seconds = Whole(1, MOST_SECONDS)
    declarations = Each(Part(DeclarationShape()), MOST_PARTY)
    saves = Each(Part(SaveShape()), 100)
    on_encounter = Choice(*get_args(OnEncounter))


class TimeRound(RoundShape):
    """Time that passes otherwise."""

    kind = Choice("time", required=True)
    seconds = Whole(1, MOST_SECONDS, required=True)
    saves = Each(Part(SaveShape()), 100)
    on_encounter = Choice(*get_args(OnEncounter))


ROUND = ByKind(
    "kind",
    {
        "explore": ExploreRound(),
        "travel": TravelRound(),
        "combat": CombatRound(),
        "rest": RestRound(),
        "time": TimeRound(),
    },
)
AHEAD = AheadShape()

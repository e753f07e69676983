"""A crawl as it is exported, and as it is taken back: `sight/export.py` writes what is read here."""

from __future__ import annotations

from typing import Any, get_args

from marshmallow import post_load

from service.api.body import LONGEST_TEXT
from service.api.schemas.answers import outcome
from service.api.schemas.crawls import (
    AlertSwitch,
    CharacterShape,
    EncounterCheckShape,
    GuardsShape,
    VisibilityShape,
)
from service.api.schemas.fields import (
    Choice,
    Document,
    Each,
    Hexadecimal,
    Keyed,
    Matched,
    Part,
    Stamp,
    Text,
    Truth,
    Whole,
)
from service.api.schemas.shape import Shape, Upgraded
from service.api.schemas.strictly import strictly
from service.api.schemas.submissions import MOST_PARTY, NAME, DeclarationShape
from service.crawls.webhooks import EVENT_TYPES
from service.rules.model import Chain, Character, Encounter, EncounterStatus, Play, Status, Timer, TimerKind
from service.rules.timers import MOST as MOST_TIMERS
from service.sight.export import FORMAT
from service.store.records import Event, Past, Step, StepKind, Undone

MOST = 100_000
"""Of anything that grows with the crawl: more does not fit into a body."""
LATEST = 10**12
"""The last second of a crawl's clock, and the highest count, that is taken back."""

CHARACTER_ID = r"chr_[0-9a-z]{16}"
ENCOUNTER_ID = r"enc_[0-9a-z]{16}"


class CharacterKept(CharacterShape):
    """One of the party, with their id."""

    id = Matched(CHARACTER_ID, required=True)

    @post_load
    def made(self, given: dict[str, Any], **_: Any) -> Character:
        return Character(**given)


class CardKept(Shape):
    """What the GM set up, in the form in which a crawl is started."""

    name = Text(NAME, required=True)
    ruleset = Text(NAME, required=True)
    rules = Document(optional=True)
    party = Each(Part(CharacterKept()), MOST_PARTY, least=1, required=True)
    marching_order = Each(Text(NAME), MOST_PARTY, optional=True)
    light_bearers = Each(Text(NAME), MOST_PARTY, optional=True)
    alert = Part(AlertSwitch(), optional=True)
    encounter_check = Part(EncounterCheckShape(), optional=True)
    guards = Part(GuardsShape(), optional=True)
    visibility = Part(VisibilityShape(), optional=True)


class TimerKept(Shape):
    """A timer: `ends_at` on the crawl's clock while it runs, `remaining` seconds while it is paused."""

    id = Matched(r"tmr_[0-9a-z]{16}", required=True)
    name = Text(NAME, required=True)
    kind = Choice(*get_args(TimerKind), required=True)
    ends_at = Whole(1, LATEST, optional=True)
    remaining = Whole(1, LATEST, optional=True)
    warn_at = Whole(1, LATEST, optional=True)
    warned = Truth()
    bearer = Text(NAME, optional=True)

    @post_load
    def made(self, given: dict[str, Any], **_: Any) -> Timer:
        return Timer(**{"ends_at": None, **given})


class ChainKept(Shape):
    """Work that takes several rounds, and how much of it is done."""

    character = Matched(CHARACTER_ID, required=True)
    declaration = Part(DeclarationShape(), required=True)
    rounds_done = Whole(1, MOST, required=True)
    rounds_needed = Whole(1, MOST, required=True)

    @post_load
    def made(self, given: dict[str, Any], **_: Any) -> Chain:
        return Chain(**given)


class PlayKept(Shape):
    """Everything that rounds move. `place` counts the changes in force: the dice are counted off from there."""

    clock = Whole(0, LATEST, required=True)
    rounds = Whole(0, MOST, required=True)
    place = Whole(0, MOST, required=True)
    last_check = Whole(0, LATEST, required=True)
    alert_level = Whole(1, MOST, required=True)
    easier_stealth = Truth(required=True)
    rounds_in_room = Whole(0, MOST, required=True)
    encounters = Whole(0, MOST, required=True)
    timers = Each(Part(TimerKept()), MOST_TIMERS)
    chains = Each(Part(ChainKept()), MOST_PARTY)

    @post_load
    def made(self, given: dict[str, Any], **_: Any) -> Play:
        return Play(**given)


class EncounterKept(Shape):
    """An encounter; `quiet` is the DC to notice each character who moved quietly, by id."""

    id = Matched(ENCOUNTER_ID, required=True)
    ordinal = Whole(0, MOST, required=True)
    at = Whole(0, LATEST, required=True)
    status = Choice(*get_args(EncounterStatus), required=True)
    revealed = Truth(required=True)
    result = Text(LONGEST_TEXT, optional=True)
    party_can_be_surprised = Truth(required=True)
    reactions = Each(Text(NAME), MOST_PARTY)
    quiet = Keyed(CHARACTER_ID, Whole(-999, 999), MOST_PARTY)

    @post_load
    def made(self, given: dict[str, Any], **_: Any) -> Encounter:
        return Encounter(**given)


_RECORD = strictly(outcome.Round, optional={"fight_seconds", "given", "guards", "rooms", "seconds"}, without={"render"})
_BEFORE = Keyed(ENCOUNTER_ID, Part(EncounterKept(), optional=True), MOST)
_AHEAD = Keyed(CHARACTER_ID, Part(DeclarationShape()), MOST_PARTY)


class StepKept(Shape):
    """A change in force, with what undo puts back. `commitment` is that of the seed which rolled it, where that was
    another than the crawl's."""

    what = Choice(*get_args(StepKind), required=True)
    public = Truth(required=True)
    play = Part(PlayKept(), required=True)
    round = Whole(1, MOST, optional=True)
    encounters = _BEFORE
    declarations = _AHEAD
    commitment = Hexadecimal(64, optional=True)

    @post_load
    def made(self, given: dict[str, Any], **_: Any) -> Step:
        return Step(**given)


class UndoneKept(Shape):
    """A change taken back, with what redo puts back."""

    step = Part(StepKept(), required=True)
    play = Part(PlayKept(), required=True)
    encounters = _BEFORE
    record = Part(_RECORD, optional=True)

    @post_load
    def made(self, given: dict[str, Any], **_: Any) -> Undone:
        return Undone(**given)


class ToldKept(Shape):
    """An event as players saw it, with their own sequence."""

    sequence = Whole(1, LATEST, required=True)
    data = Document(required=True)


class EventKept(Shape):
    """An event; `public` is missing where it is the GM's alone."""

    id = Matched(r"evt_[0-9a-f]{24}", required=True)
    type = Choice(*EVENT_TYPES, required=True)
    timestamp = Stamp(required=True)
    sequence = Whole(1, LATEST, required=True)
    data = Document(required=True)
    public = Part(ToldKept(), optional=True)

    @post_load
    def made(self, given: dict[str, Any], **_: Any) -> Past:
        told = given.get("public") or {"sequence": None, "data": None}
        event = Event(given["id"], given["type"], given["timestamp"], given["data"], told["data"])
        return Past(event, given["sequence"], told["sequence"])


class DiceKept(Shape):
    """The SHA-256 of the seed, and the seed once the crawl has ended. With it every die can be counted off again."""

    commitment = Hexadecimal(64, required=True)
    seed = Hexadecimal(64, optional=True)


class CrawlKept(Shape):
    """A crawl as a whole. `rounds` are those in force; `history` is what undo takes back, the newest last; `events` are
    as many of the newest as fit: the first one's sequence says from where."""

    format = Whole(FORMAT, FORMAT, required=True)
    id = Matched(r"crl_[0-9a-f]{2}[0-9a-z]{20}", required=True)
    created_at = Stamp(required=True)
    status = Choice(*get_args(Status), required=True)
    version = Whole(1, LATEST, required=True)
    dice = Part(DiceKept(), required=True)
    card = Part(CardKept(), required=True)
    play = Part(PlayKept(), required=True)
    declarations = Keyed(CHARACTER_ID, Part(DeclarationShape()), MOST_PARTY, required=True)
    encounters = Each(Part(EncounterKept()), MOST, required=True)
    rounds = Each(Part(_RECORD), MOST, required=True)
    history = Each(Part(StepKept()), MOST, required=True)
    redo = Each(Part(UndoneKept()), MOST, required=True)
    sequence = Whole(1, LATEST, required=True)
    public_sequence = Whole(0, LATEST, required=True)
    events = Each(Part(EventKept()), MOST, required=True)


KEPT = Upgraded("format", CrawlKept(), FORMAT, {})

"""How a submission's time and rooms are cut into legs, and what the pace does to the party (T2, T3, pace table)."""

from __future__ import annotations

from dataclasses import dataclass

from service.rules.errors import Fault, Invalid
from service.rules.model import Card, Crawl
from service.rules.outcome import Movement, Roll, Stealth
from service.rules.ruleset import Pace, Ruleset
from service.rules.submission import Submission
from service.rules.watch import watch_of


@dataclass(frozen=True, slots=True)
class Leg:
    """A stretch of time that ends with `rooms` rooms entered together."""

    seconds: int
    rooms: int = 0


def pace_of(ruleset: Ruleset, submission: Submission) -> Pace | None:
    """The pace of an explore or travel round; None where the party does not move."""
    if submission.kind == "explore":
        return ruleset.paces[ruleset.explore_pace]
    if submission.kind != "travel":
        return None
    pace = ruleset.paces.get(submission.pace or ruleset.travel_pace)
    if pace is None or not pace.travels:
        known = ", ".join(key for key, each in ruleset.paces.items() if each.travels)
        why = (
            f"{submission.pace} is exploring: submit kind explore" if pace else f"there is no pace {submission.pace!r}"
        )
        raise Invalid(Fault("/pace", f"Travel takes one of: {known}; {why}."))
    return pace


def legs_of(ruleset: Ruleset, pace: Pace | None, submission: Submission) -> tuple[Leg, ...]:
    """The legs of a submission, none where it passes no time."""
    kind = submission.kind
    if kind == "explore":
        return (Leg(ruleset.round_seconds),)
    if pace is not None:
        return _travel(ruleset, pace, submission)
    if kind == "combat":
        return (Leg(ruleset.combat_seconds),) if ruleset.combat_seconds else ()
    return (Leg(_seconds(ruleset, submission)),)


def movement_of(
    crawl: Crawl, ruleset: Ruleset, pace: Pace | None, submission: Submission, entered: int, easier_stealth: bool
) -> Movement | None:
    """How the party moved; easier Stealth counts for passive Perception as one pace slower (A6)."""
    if pace is None:
        return None
    felt = ruleset.paces[pace.slower] if easier_stealth else pace
    return Movement(
        pace=pace.key,
        rooms_asked=submission.rooms,
        rooms_entered=entered,
        explored=pace.explored,
        notices_traps=pace.notices_traps,
        passive_perception_modifier=felt.passive_perception,
        disadvantage_on_saves=any(kind == "save" for kind, _ in pace.disadvantage_on),
        passive_perception={
            each.name: each.passive_perception + felt.passive_perception
            for each in crawl.card.party
            if each.passive_perception is not None
        },
    )


def stealth_of(
    ruleset: Ruleset, card: Card, pace: Pace | None, level: int, easier_stealth: bool, guards: Roll | None
) -> Stealth:
    """What Stealth is rolled against from here on, and whether with advantage."""
    slowest = pace is not None and pace.slower_stealth_advantage
    return Stealth(watch_of(ruleset, card, level).stealth, easier_stealth and slowest, guards)


def _travel(ruleset: Ruleset, pace: Pace, submission: Submission) -> tuple[Leg, ...]:
    if submission.rooms < 1:
        raise Invalid(Fault("/rooms", "Travel goes on by at least one room."))
    if pace.room_seconds is not None:
        return (Leg(pace.room_seconds, 1),) * submission.rooms
    together = pace.rooms_per_round or 1
    full, odd = divmod(submission.rooms, together)
    legs = (Leg(ruleset.round_seconds, together),) * full
    return (*legs, Leg(ruleset.round_seconds, odd)) if odd else legs


def _seconds(ruleset: Ruleset, submission: Submission) -> int:
    """How long a rest or a time submission lasts."""
    said = [name for name in ("rest", "rounds", "seconds") if getattr(submission, name) is not None]
    if len(said) != 1:
        raise Invalid(Fault("", "Say how long: one of rest, rounds or seconds."))
    if submission.rest is not None:
        rounds = ruleset.short_rest_rounds if submission.rest == "short" else ruleset.long_rest_rounds
        return rounds * ruleset.round_seconds
    if submission.rounds is not None:
        return submission.rounds * ruleset.round_seconds
    seconds = submission.seconds or 0
    if ruleset.whole_rounds and seconds % ruleset.round_seconds:
        label = ruleset.round_label
        raise Invalid(
            Fault("/seconds", f"No half measures: one {label} is {ruleset.round_seconds} s; give a multiple.")
        )
    return seconds

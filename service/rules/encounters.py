"""Encounters: the check by hand, and what becomes of one that came (T6, S4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from service.rules.dice import Dice
from service.rules.errors import Fault, IllegalEncounter, Invalid
from service.rules.model import Crawl, Encounter, EncounterStatus
from service.rules.outcome import CheckMade, EncounterCheck, NextCheck
from service.rules.ruleset import rules_of
from service.rules.watch import next_check as next_check_of
from service.rules.watch import watch_of


def next_check(crawl: Crawl) -> NextCheck:
    """When the crawl's next check comes, as things stand."""
    return next_check_of(rules_of(crawl.card), crawl.card, crawl.play)


def check_by_hand(crawl: Crawl, face: int | None = None, counts: bool = False) -> CheckMade:
    """A check that the GM calls; it leaves the schedule alone unless it is said to count (T6)."""
    ruleset = rules_of(crawl.card)
    play = crawl.play
    watch = watch_of(ruleset, crawl.card, play.alert_level)
    if face is not None and not 1 <= face <= watch.roll.sides:
        raise Invalid(Fault("/face", f"This die has the faces 1 to {watch.roll.sides}, not {face}."))
    dice = Dice(crawl.seed, play.place, {"encounter": (face,)} if face is not None else None)
    rolled, source = dice.roll("encounter", watch.roll.sides)
    encounter = None
    if rolled in watch.roll.faces:
        encounter = came(dice, play.encounters, play.clock)
    level = play.alert_level if crawl.card.alert_enabled else None
    check = EncounterCheck(
        play.clock, level, watch.roll.die, rolled, watch.roll.faces, source, encounter.id if encounter else None
    )
    play = replace(
        play,
        place=play.place + 1,
        encounters=play.encounters + (encounter is not None),
        last_check=play.clock if counts else play.last_check,
    )
    return CheckMade(replace(crawl, play=play), check, encounter)


def came(
    dice: Dice, ordinal: int, at: int, watchers: tuple[str, ...] = (), quiet: Mapping[str, int] | None = None
) -> Encounter:
    """An encounter that a check brought. With a watch kept, the party is not surprised by what it could see."""
    return Encounter(
        id=dice.name("enc", ordinal),
        ordinal=ordinal,
        at=at,
        party_can_be_surprised=not watchers,
        reactions=watchers,
        quiet=quiet or {},
    )


def change_encounter(crawl: Crawl, encounter: Encounter, status: EncounterStatus) -> tuple[Crawl, Encounter]:
    """An encounter revealed, resolved or evaded. What is over stays over: undo is the way back."""
    if status == encounter.status:
        changed = encounter
    elif encounter.status in ("resolved", "evaded"):
        raise IllegalEncounter(f"This encounter is {encounter.status} already. Undo that to open it again.")
    elif status == "pending":
        raise IllegalEncounter("A revealed encounter cannot be hidden again. Undo that instead.")
    else:
        changed = replace(encounter, status=status, revealed=encounter.revealed or status == "revealed")
    return replace(crawl, play=replace(crawl.play, place=crawl.play.place + 1)), changed

"""Encounters: how one comes, and what becomes of it (S4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from service.rules.dice import Dice
from service.rules.errors import IllegalEncounter
from service.rules.model import Crawl, Encounter, EncounterStatus


def came(dice: Dice, ordinal: int, at: int, watchers: tuple[str, ...], quiet: Mapping[str, int]) -> Encounter:
    """An encounter that a check brought. With a watch kept, the party is not surprised by what it could see."""
    return Encounter(
        id=dice.name("enc", ordinal),
        ordinal=ordinal,
        at=at,
        party_can_be_surprised=not watchers,
        reactions=watchers,
        quiet=quiet,
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

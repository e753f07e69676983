"""Slipping away from an encounter before the fight: a chance, never a guarantee (S4)."""

from __future__ import annotations

from dataclasses import replace

from service.rules.checks import group, roll_check
from service.rules.dice import Dice
from service.rules.errors import Fault, IllegalEncounter, Invalid
from service.rules.model import Crawl, Encounter
from service.rules.outcome import Slipped
from service.rules.ruleset import rules_of
from service.rules.submission import Check


def slip_away(crawl: Crawl, encounter: Encounter, perception: Check) -> Slipped:
    """One Perception roll of the enemy against each character's Move Quietly DC.

    Who did not move quietly counts as seen, unseen counts as a pass, and the group's degree decides (C3).
    """
    if encounter.status not in ("pending", "revealed"):
        raise IllegalEncounter(f"This encounter is {encounter.status}: there is nothing left to slip away from.")
    if perception.modifier is None and perception.total is None and perception.naturals is None:
        raise Invalid(Fault("/perception", "Give the enemy's Perception: a modifier, a total, or naturals."))
    dice = Dice(crawl.seed, crawl.play.place)
    roll = roll_check(perception, "none", None, dice, "/perception")
    total = roll.total or 0
    characters = tuple(
        (character.name, dc := encounter.quiet.get(character.id), dc is None or total >= dc)
        for character in crawl.card.party
    )
    ruleset = rules_of(crawl.card)
    degree = group(tuple(not seen for _, _, seen in characters), ruleset.group_tie)
    if degree in ("success", "critical_success"):
        encounter = replace(encounter, status="evaded")
    crawl = replace(crawl, play=replace(crawl.play, place=crawl.play.place + 1))
    return Slipped(crawl, encounter, roll, degree, characters)

"""Exact chances of encounters over hours of waiting, as fractions (worked example 10)."""

from __future__ import annotations

from fractions import Fraction

from service.rules.errors import Fault, Invalid
from service.rules.model import Card
from service.rules.ruleset import Ruleset
from service.rules.watch import interval, watch_of


def chance_of_encounter(
    ruleset: Ruleset, *, hours: int, level: int | None = None, every_rounds: int | None = None
) -> Fraction:
    """The chance of at least one encounter within so many hours from a fresh start, alert level and N unchanged."""
    checks, chance = _checks(ruleset, hours, level, every_rounds)
    return 1 - (1 - chance) ** checks


def expected_encounters(
    ruleset: Ruleset, *, hours: int, level: int | None = None, every_rounds: int | None = None
) -> Fraction:
    """How many encounters so many hours bring on average."""
    checks, chance = _checks(ruleset, hours, level, every_rounds)
    return checks * chance


def _checks(ruleset: Ruleset, hours: int, level: int | None, every_rounds: int | None) -> tuple[int, Fraction]:
    """How many checks fall due, and the chance of each."""
    if level is not None and ruleset.alert is None:
        raise Invalid(Fault("/level", f"The {ruleset.key} ruleset has no alert levels."))
    if level is not None and ruleset.alert is not None and not 1 <= level <= ruleset.alert.highest:
        raise Invalid(Fault("/level", f"The alert has the levels 1 to {ruleset.alert.highest}."))
    if every_rounds is not None and ruleset.watch.every_rounds is None:
        raise Invalid(Fault("/every_rounds", f"The {ruleset.key} ruleset does not count rounds between checks."))
    card = Card("", ruleset.key, (), alert_enabled=level is not None, every_rounds=every_rounds)
    roll = watch_of(ruleset, card, level or 1).roll
    return hours * 3600 // interval(ruleset, card, level or 1), Fraction(len(roll.faces), roll.sides)

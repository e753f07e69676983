"""When an encounter check is due, and on which faces (T5, T8, A2)."""

from __future__ import annotations

from service.rules.model import Card, Play
from service.rules.outcome import NextCheck
from service.rules.ruleset import Ruleset, Watch


def watch_of(ruleset: Ruleset, card: Card, level: int) -> Watch:
    """What watches the party: the alert level's, or the ruleset's own while there is no alert."""
    if card.alert_enabled and ruleset.alert is not None:
        return ruleset.alert.levels[min(level, ruleset.alert.highest)]
    return ruleset.watch


def interval(ruleset: Ruleset, card: Card, level: int) -> int:
    """Seconds from one check to the next; N belongs to the crawl where the ruleset counts rounds (T8)."""
    watch = watch_of(ruleset, card, level)
    if watch.every_seconds is not None:
        return watch.every_seconds
    return (card.every_rounds or watch.every_rounds or 1) * ruleset.round_seconds


def next_check(ruleset: Ruleset, card: Card, play: Play) -> NextCheck:
    """When the next check comes as things stand, never before now, with its die and its exact chance."""
    at = play.last_check + interval(ruleset, card, play.alert_level)
    if at <= play.clock:
        # One that is overdue comes first in the next submission, or at the next round's end where checks come there.
        at = play.clock + ruleset.round_seconds if ruleset.at_round_end else play.clock
    roll = watch_of(ruleset, card, play.alert_level).roll
    return NextCheck(at, at - play.clock, roll.die, roll.faces, len(roll.faces) / roll.sides)

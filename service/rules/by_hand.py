"""The encounter check that the GM calls by hand (T6)."""

from __future__ import annotations

from dataclasses import replace

from service.rules.dice import Dice
from service.rules.errors import Fault, Invalid
from service.rules.model import Crawl
from service.rules.outcome import CheckMade
from service.rules.ruleset import rules_of
from service.rules.walk import Walk
from service.rules.watch import watch_of


def check_by_hand(crawl: Crawl, face: int | None = None, counts: bool = False) -> CheckMade:
    """A check where the clock stands; it leaves the schedule alone unless it is said to count."""
    ruleset = rules_of(crawl.card)
    sides = watch_of(ruleset, crawl.card, crawl.play.alert_level).roll.sides
    if face is not None and not 1 <= face <= sides:
        raise Invalid(Fault("/face", f"This die has the faces 1 to {sides}, not {face}."))
    dice = Dice(crawl.seed, crawl.play.place, {"encounter": (face,)} if face is not None else None)
    walk = Walk(crawl, ruleset, dice, halts=False)
    walk.check(counts)
    encounter = walk.encounters[0] if walk.encounters else None
    return CheckMade(replace(crawl, play=walk.play_after(crawl.play)), walk.checks[0], encounter)

"""What each activity gives, and how the rooms' own saves are rolled."""

from __future__ import annotations

from service.rules.checks import netted, roll_check, single
from service.rules.declarations import Doing
from service.rules.dice import Dice
from service.rules.errors import Fault, Invalid
from service.rules.model import Character, Crawl
from service.rules.outcome import Declared, Roll, SaveResult
from service.rules.ruleset import Pace
from service.rules.submission import Save
from service.rules.tasks import Rolled

_EFFECTS = {
    "help": ("gives_advantage",),
    "keep_watch": ("party_not_surprised", "reaction"),
    "loot": ("collects_what_was_found",),
    "move_quietly": ("moves_quietly",),
    "take_your_time": ("takes_time",),
}


def declared_of(doing: Doing, rolled: Rolled) -> Declared:
    """What one character did, and what came of it."""
    declaration, activity = doing.declaration, doing.activity
    roll = rolled.rolls.get(doing.character.id)
    effects = _EFFECTS.get(doing.effect, ())
    if doing.chain:
        began = doing.chain.status == "going_on" and doing.chain.chain.rounds_done == 1
        effects = (*effects, "chain_begins" if began else f"chain_{doing.chain.status}")
    elif doing.effect == "cast":
        effects = ("cast_completed",)
    return Declared(
        character=doing.character.name,
        character_id=doing.character.id,
        activity=activity.key if activity else None,
        source=doing.source,
        label=declaration.label if declaration else None,
        task=declaration.task if declaration else None,
        target=declaration.target if declaration else None,
        role=rolled.roles.get(doing.character.id),
        check=roll,
        found=_found(doing, roll),
        stealth_dc=quiet_dc(doing),
        effects=effects,
    )


def watchers_of(doings: tuple[Doing, ...]) -> tuple[str, ...]:
    """The names of those who keep watch: they have a reaction before the first turn of a fight."""
    return tuple(doing.character.name for doing in doings if doing.effect == "keep_watch")


def quiet_of(doings: tuple[Doing, ...]) -> dict[str, int]:
    """The DC to notice each character who moves quietly, by id (S4)."""
    return {doing.character.id: dc for doing in doings if (dc := quiet_dc(doing)) is not None}


def quiet_dc(doing: Doing) -> int | None:
    """8 + Dexterity modifier + proficiency bonus for who moves quietly; what is unknown counts as 0."""
    if doing.activity is None or doing.effect != "move_quietly":
        return None
    character = doing.character
    return doing.activity.dc + (character.dexterity_modifier or 0) + (character.proficiency_bonus or 0)


def save_of(crawl: Crawl, pace: Pace | None, save: Save, position: int, dice: Dice) -> SaveResult:
    """A save or check that the rooms throw at somebody; moving fast may put it at a disadvantage (pace table)."""
    pointer = f"/saves/{position}"
    character = _named(crawl, save.character, pointer)
    hurried = pace is not None and any(
        kind == save.kind and origin in (None, save.origin) for kind, origin in pace.disadvantage_on
    )
    advantage = netted(save.check.advantage, "disadvantage" if hurried else "none")
    roll = roll_check(save.check, advantage, save.check.dc, dice, pointer)
    return SaveResult(character.name, character.id, save.kind, save.origin, hurried, roll, single(roll.passed))


def _found(doing: Doing, roll: Roll | None) -> tuple[str, ...]:
    """Of the hidden things given with a search, those that its roll finds."""
    if roll is None or doing.declaration is None:
        return ()
    if roll.total is None:
        return tuple(each.name for each in doing.declaration.hidden) if roll.passed else ()
    return tuple(each.name for each in doing.declaration.hidden if each.dc <= roll.total)


def _named(crawl: Crawl, name: str, pointer: str) -> Character:
    character = crawl.named(name)
    if character is None:
        raise Invalid(Fault(f"{pointer}/character", f"There is no {name!r} in the party."))
    return character

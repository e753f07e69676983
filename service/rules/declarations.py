"""Who does what this round: the submitted, then declared ahead, chains, standing orders and none (S3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from service.rules.errors import Fault, Invalid
from service.rules.model import Chain, Character, Crawl
from service.rules.outcome import ChainProgress, ChainStatus, DeclaredBy
from service.rules.ruleset import Activity, Ruleset, rules_of
from service.rules.submission import Declaration, Submission


@dataclass(frozen=True, slots=True)
class Doing:
    """A character with what they do this round, why, and how far a chain of theirs has come with it."""

    character: Character
    source: DeclaredBy
    declaration: Declaration | None = None
    activity: Activity | None = None
    pointer: str = ""
    chain: ChainProgress | None = None

    @property
    def effect(self) -> str:
        return self.activity.effect if self.activity else "none"

    @property
    def rolls(self) -> bool:
        """Whether a check of theirs is rolled this round: helpers roll nothing, a search is rolled when it is done."""
        if self.declaration is None or self.declaration.check is None or self.effect == "help":
            return False
        return self.effect != "search" or self.chain is None or self.chain.status == "completed"


def verify_declaration(crawl: Crawl, declaration: Declaration, pointer: str = "") -> None:
    """Refuses a declaration made ahead that no round could use, with pointers below `pointer`."""
    ruleset = rules_of(crawl.card)
    faults: list[Fault] = []
    _character(crawl, declaration, pointer, faults)
    _activity(crawl, ruleset, declaration, pointer, faults)
    if faults:
        raise Invalid(*faults)


def doings_in_explore(
    crawl: Crawl, ruleset: Ruleset, submission: Submission, declared: Mapping[str, Declaration]
) -> tuple[Doing, ...]:
    """What everybody does in an explore round: the submitted in their order, then the rest of the party in its own."""
    doings = list(_submitted(crawl, ruleset, submission))
    spoken_for = {doing.character.id for doing in doings}
    chains = {chain.character: chain for chain in crawl.play.chains}
    doings.extend(
        _left_out(ruleset, character, declared.get(character.id), chains.get(character.id))
        for character in crawl.card.party
        if character.id not in spoken_for
    )
    return tuple(_chained(ruleset, doing, chains.get(doing.character.id)) for doing in doings)


def doings_in_rest(
    crawl: Crawl, ruleset: Ruleset, submission: Submission, declared: Mapping[str, Declaration]
) -> tuple[Doing, ...]:
    """Who keeps watch while the others rest, submitted or declared ahead; nothing else is done in rest."""
    doings = _submitted(crawl, ruleset, submission)
    faults = [
        Fault(f"{doing.pointer}/activity", "While the party rests a character can only keep watch.")
        for doing in doings
        if doing.effect != "keep_watch"
    ]
    if faults:
        raise Invalid(*faults)
    spoken_for = {doing.character.id for doing in doings}
    ahead = (
        _left_out(ruleset, character, declared[character.id], None)
        for character in crawl.card.party
        if character.id in declared and character.id not in spoken_for
    )
    return (*doings, *(doing for doing in ahead if doing.source == "declared" and doing.effect == "keep_watch"))


def lost_chains(crawl: Crawl, doings: tuple[Doing, ...] = ()) -> tuple[ChainProgress, ...]:
    """The chains that this round breaks: their characters do something else, or the round is no explore round."""
    kept = {doing.character.id for doing in doings if doing.chain and doing.chain.chain.rounds_done > 1}
    return tuple(ChainProgress(chain, "lost") for chain in crawl.play.chains if chain.character not in kept)


def _submitted(crawl: Crawl, ruleset: Ruleset, submission: Submission) -> tuple[Doing, ...]:
    faults: list[Fault] = []
    doings: list[Doing] = []
    seen: set[str] = set()
    for i, declaration in enumerate(submission.declarations):
        pointer = f"/declarations/{i}"
        character = _character(crawl, declaration, pointer, faults)
        activity = _activity(crawl, ruleset, declaration, pointer, faults)
        if character is None or activity is None:
            continue
        if character.id in seen:
            faults.append(Fault(f"{pointer}/character", f"{character.name} does one thing a round. Leave one out."))
        seen.add(character.id)
        doings.append(Doing(character, "submitted", declaration, activity, pointer))
    if faults:
        raise Invalid(*faults)
    return tuple(doings)


def _left_out(ruleset: Ruleset, character: Character, declared: Declaration | None, chain: Chain | None) -> Doing:
    pointer = f"/declarations/{character.id}"
    # House rules may have dropped an activity since it was declared; then it counts as not declared.
    if declared is not None and declared.activity in ruleset.activities:
        return Doing(character, "declared", declared, ruleset.activities[declared.activity], pointer)
    if chain is not None and chain.declaration.activity in ruleset.activities:
        activity = ruleset.activities[chain.declaration.activity]
        return Doing(character, "chain", replace(chain.declaration, check=None, hidden=()), activity, pointer)
    standing = character.default_activity
    if standing is not None and standing in ruleset.activities:
        return Doing(
            character, "standing_order", Declaration(character.name, standing), ruleset.activities[standing], pointer
        )
    return Doing(character, "none")


def _chained(ruleset: Ruleset, doing: Doing, chain: Chain | None) -> Doing:
    """The doing with its place in a chain of rounds: begun, gone on with, or completed."""
    declaration, activity = doing.declaration, doing.activity
    if declaration is None or activity is None or activity.effect not in ("cast", "search"):
        return doing
    if chain is not None and (doing.source == "chain" or _same_work(activity, declaration, chain)):
        begun = chain.declaration
        carried = replace(
            begun,
            label=declaration.label or begun.label,
            task=declaration.task or begun.task,
            check=declaration.check or begun.check,
            hidden=declaration.hidden or begun.hidden,
        )
        gone_on = Chain(chain.character, carried, chain.rounds_done + 1, chain.rounds_needed)
        status: ChainStatus = "completed" if gone_on.rounds_done >= gone_on.rounds_needed else "going_on"
        # A search is rolled when it is done; a cast's check belongs to the round that gave it.
        now = carried if activity.effect == "search" else declaration
        return replace(doing, declaration=now, chain=ChainProgress(gone_on, status))
    needed = _rounds_needed(activity, declaration)
    if needed == 1:
        return doing
    return replace(doing, chain=ChainProgress(Chain(doing.character.id, declaration, 1, needed), "going_on"))


def _rounds_needed(activity: Activity, declaration: Declaration) -> int:
    if activity.effect == "cast":
        return declaration.rounds_needed or 1
    return -(-(declaration.room_ft or 1) // activity.room_ft)


def _same_work(activity: Activity, declaration: Declaration, chain: Chain) -> bool:
    begun = chain.declaration
    if declaration.activity != begun.activity or declaration.label not in (None, begun.label):
        return False
    asked = declaration.rounds_needed if activity.effect == "cast" else declaration.room_ft
    return asked is None or _rounds_needed(activity, declaration) == chain.rounds_needed


def _character(crawl: Crawl, declaration: Declaration, pointer: str, faults: list[Fault]) -> Character | None:
    character = crawl.named(declaration.character)
    if character is None:
        faults.append(Fault(f"{pointer}/character", f"There is no {declaration.character!r} in the party."))
    return character


_ONLY: Mapping[str, tuple[str, ...]] = {
    "target": ("help",),
    "room_ft": ("search",),
    "rounds_needed": ("cast",),
    "replaces": ("take_your_time",),
    "hidden": ("search", "take_your_time"),
}
"""Fields that belong to the activities with one of these effects."""


def _activity(
    crawl: Crawl, ruleset: Ruleset, declaration: Declaration, pointer: str, faults: list[Fault]
) -> Activity | None:
    activity = ruleset.activities.get(declaration.activity)
    if activity is None:
        known = ", ".join(key for key, each in ruleset.activities.items() if each.effect != "travel")
        detail = f"There is no activity {declaration.activity!r}. Choose one of: {known}."
        faults.append(Fault(f"{pointer}/activity", detail))
        return None
    if activity.effect == "travel":
        faults.append(
            Fault(f"{pointer}/activity", f"The whole party does this: submit kind travel, pace {activity.key}.")
        )
    for field, effects in _ONLY.items():
        if getattr(declaration, field) and activity.effect not in effects:
            faults.append(Fault(f"{pointer}/{field}", f"This goes with {' or '.join(effects)} only. Leave it out."))
    if declaration.replaces and declaration.check is None:
        faults.append(Fault(f"{pointer}/check", "Doing a failed check over takes a check: give its modifier."))
    if activity.effect == "help":
        _help(crawl, declaration, pointer, faults)
    return activity


def _help(crawl: Crawl, declaration: Declaration, pointer: str, faults: list[Fault]) -> None:
    target = crawl.named(declaration.target) if declaration.target else None
    if declaration.target is None:
        faults.append(Fault(f"{pointer}/target", "Say whom this helps: the name of an ally in reach."))
    elif target is None:
        faults.append(Fault(f"{pointer}/target", f"There is no {declaration.target!r} in the party."))
    elif target == crawl.named(declaration.character):
        faults.append(Fault(f"{pointer}/target", "Nobody helps themselves. Name an ally."))
    if declaration.proficient is False:
        faults.append(Fault(f"{pointer}/proficient", "Helping takes a relevant proficiency. Declare something else."))
    if declaration.check is not None:
        faults.append(
            Fault(f"{pointer}/check", "Help rolls nothing: it gives its target advantage. Leave the check out.")
        )

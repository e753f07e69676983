"""The dice of recorded rounds counted off again from the seed, once it is shown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from service.rules.checks import D20
from service.rules.dice import face

_DIE = re.compile(r"1?d([1-9]\d{0,2})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Verified:
    """One round's dice: so many of the service's that are as the seed has it, so many that the caller gave, and a
    sentence for each that differs. `commitment` names the seed where it is not at hand; then none is verified."""

    number: int
    service: int = 0
    caller: int = 0
    differing: tuple[str, ...] = ()
    commitment: str | None = None


class _Die(NamedTuple):
    what: str
    use: str
    die: str
    face: int
    source: str


def verify_rounds(document: Mapping[str, Any], seeds: Mapping[str, str]) -> Iterator[Verified]:
    """Every round in force of an export, as its shape loaded it. `seeds` are known by their commitments.

    Checks by hand and attempts to slip away are no rounds: their dice are not looked at.
    """
    committed = document["dice"]["commitment"]
    steps = {step.round: step for step in document["history"] if step.what == "round"}
    for record in document["rounds"]:
        number, step = record["number"], steps.get(record["number"])
        dice = list(_dice_of(record))
        caller = sum(die.source == "caller" for die in dice)
        if step is None:
            yield Verified(number, caller=caller, differing=("the history does not know this round",))
            continue
        commitment = step.commitment or committed
        own = [die for die in dice if die.source == "service"]
        if own and commitment not in seeds:
            yield Verified(number, caller=caller, commitment=commitment)
            continue
        differing = tuple(_differing(own, bytes.fromhex(seeds.get(commitment, "")), step.play.place))
        yield Verified(number, len(own) - len(differing), caller, differing)


def _differing(dice: list[_Die], seed: bytes, place: int) -> Iterator[str]:
    """The service's own dice of each use are counted from 0 in every change (`rules/dice.py`)."""
    counts: dict[str, int] = {}
    for die in dice:
        index = counts.get(die.use, 0)
        counts[die.use] = index + 1
        sides = _DIE.fullmatch(die.die)
        if sides is None:
            yield f"{die.what}: there is no die {die.die!r}"
            continue
        expected = face(seed, place, die.use, index, int(sides[1]))
        if die.face != expected:
            yield f"{die.what} shows {die.face}, and the seed {expected}"


def _dice_of(record: Mapping[str, Any]) -> Iterator[_Die]:
    """All dice of a round, those of each use in the order rolled."""
    for check in record["encounter_checks"]:
        yield _Die(f"the encounter check at {check['at']}", "encounter", check["die"], check["face"], check["source"])
    for roll in record["alert"]["rolls"]:
        yield _Die(f"the pace roll at {roll['at']}", "alert", roll["die"], roll["face"], roll["source"])
    if guards := (record["stealth"] or {}).get("guards"):
        yield from _rolled("the guards' Perception", "guards", guards)
    for declared in record["declarations"]:
        # Who takes their time rolls nothing: that die is laid down.
        if declared["check"] and "takes_time" not in declared["effects"]:
            yield from _rolled(f"{declared['character']}'s check", "check", declared["check"])
    for save in record["saves"]:
        yield from _rolled(f"{save['character']}'s {save['kind']}", "check", save["check"])


def _rolled(what: str, use: str, roll: Mapping[str, Any]) -> Iterator[_Die]:
    given = roll.get("given", 0) if roll["source"] == "service" else len(roll["dice"])
    for i, shown in enumerate(roll["dice"]):
        yield _Die(what, use, f"d{D20}", shown, "caller" if i < given else "service")

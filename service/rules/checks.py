"""Checks: how one is rolled, and what a task's checks come to together (C1 to C6)."""

from __future__ import annotations

from service.rules.dice import Dice
from service.rules.errors import Fault, Invalid
from service.rules.outcome import Degree, Roll, Source
from service.rules.submission import Advantage, Check

D20 = 20


def netted(*claims: Advantage) -> Advantage:
    """Advantage and disadvantage together cancel; twice the same is once (C5)."""
    if "advantage" in claims:
        return "none" if "disadvantage" in claims else "advantage"
    return "disadvantage" if "disadvantage" in claims else "none"


def roll_check(check: Check, advantage: Advantage, dc: int | None, dice: Dice, pointer: str) -> Roll:
    """The check as ruled, given or rolled (C6). `advantage` is what holds after everything is netted."""
    if check.passed is not None and check.total is None and check.naturals is None:
        return Roll((), check.modifier, None, dc, "caller", check.passed)
    if check.total is not None:
        return Roll((), check.modifier, check.total, dc, "caller", _passed(check, check.total, dc))
    source: Source = "caller"
    given = 0
    if check.naturals is not None:
        faces = _natural(check.naturals, advantage, pointer)
    else:
        rolls = [dice.roll("check", D20) for _ in range(1 if advantage == "none" else 2)]
        faces = tuple(face for face, _ in rolls)
        if any(origin == "service" for _, origin in rolls):
            source, given = "service", sum(origin == "caller" for _, origin in rolls)
    best = min(faces) if advantage == "disadvantage" else max(faces)
    total = best + (check.modifier or 0)
    return Roll(faces, check.modifier or 0, total, dc, source, _passed(check, total, dc), given)


def take_time(check: Check, face: int, bonus: int, advantage: Advantage, dc: int | None, pointer: str) -> Roll:
    """Take Your Time: that face on the first die, and a bonus if the check had advantage."""
    if check.total is not None or check.naturals is not None:
        raise Invalid(Fault(f"{pointer}", f"Take Your Time rolls nothing: the die is {face}. Give a modifier."))
    total = face + (check.modifier or 0) + (bonus if advantage == "advantage" else 0)
    return Roll((face,), check.modifier or 0, total, dc, "service", _passed(check, total, dc))


def single(passed: bool | None) -> Degree | None:
    """The degree of one roll (C1)."""
    return None if passed is None else "success" if passed else "failure"


def group(passed: tuple[bool, ...], tie: Degree) -> Degree:
    """The degree of a group check; a tie is ruleset data (C3)."""
    passes = sum(passed)
    failures = len(passed) - passes
    if not failures:
        return "critical_success"
    if not passes:
        return "critical_failure"
    return tie if passes == failures else "success" if passes > failures else "failure"


def _passed(check: Check, total: int, dc: int | None) -> bool | None:
    if check.passed is not None:
        return check.passed
    return None if dc is None else total >= dc


def _natural(faces: tuple[int, ...], advantage: Advantage, pointer: str) -> tuple[int, ...]:
    wanted = 1 if advantage == "none" else 2
    if len(faces) != wanted:
        why = "nothing gives advantage or disadvantage here" if wanted == 1 else f"this check has {advantage}"
        raise Invalid(Fault(f"{pointer}/naturals", f"Give {'one face' if wanted == 1 else 'two faces'}: {why}."))
    for i, face in enumerate(faces):
        if not 1 <= face <= D20:
            raise Invalid(Fault(f"{pointer}/naturals/{i}", f"This die has the faces 1 to {D20}, not {face}."))
    return faces

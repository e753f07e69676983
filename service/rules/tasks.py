"""What the party rolls in a round: who leads, who helps, who rolls together, and what comes of it (C1 to C6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from service.rules.checks import group, netted, roll_check, single, take_time
from service.rules.declarations import Doing
from service.rules.dice import Dice
from service.rules.errors import Fault, IllegalReplacement, Invalid
from service.rules.outcome import Degree, Manner, Roll, Task, TaskRole
from service.rules.ruleset import Ruleset, fold
from service.rules.submission import Advantage, Check

DcOf = Callable[[Check], int | None]
"""The DC of a check that may have none of its own (A8)."""


@dataclass(slots=True)
class Rolled:
    """What was rolled: per character id a role and a roll, and every task with the incidents that failed ones are."""

    roles: dict[str, TaskRole] = field(default_factory=dict)
    rolls: dict[str, Roll] = field(default_factory=dict)
    tasks: list[Task] = field(default_factory=list)
    alerting: list[tuple[str, int]] = field(default_factory=list)


def roll_tasks(
    ruleset: Ruleset,
    doings: tuple[Doing, ...],
    dice: Dice,
    dc_of: DcOf,
    stealth: Advantage,
    earlier: Mapping[tuple[int, str], Degree | None],
) -> Rolled:
    """Rolls every check in the order of declarations. `stealth` is what easier Stealth gives (A6)."""
    rolled = Rolled()
    helped = _helped(doings, rolled)
    rolling = [doing for doing in doings if doing.rolls]
    tasks: dict[object, list[Doing]] = {}
    for doing in rolling:
        named = doing.declaration.task if doing.declaration else None
        tasks.setdefault(fold(named) if named else (doing.character.id,), []).append(doing)
    seconds = {doings[1].character.id: doings[0] for doings in tasks.values() if len(doings) == 2}
    for second, lead in seconds.items():
        helped.add(lead.character.id)
        _verify_second(next(d for d in rolling if d.character.id == second), lead)
    for doing in rolling:
        if doing.character.id not in seconds:
            rolled.rolls[doing.character.id] = _roll(doing, doing.character.id in helped, dice, dc_of, stealth, earlier)
    for together in tasks.values():
        _conclude(ruleset, together, helped, rolled)
    return rolled


def is_stealth(check: Check) -> bool:
    """Whether a check is one of Stealth, however its skill is spelled (A6, A8)."""
    return check.skill is not None and fold(check.skill) == "stealth"


def _helped(doings: tuple[Doing, ...], rolled: Rolled) -> set[str]:
    """The ids of those whom somebody helps (C2)."""
    by_name = {doing.character.name.casefold(): doing.character.id for doing in doings}
    helped = set()
    for doing in doings:
        if doing.effect == "help" and doing.declaration and doing.declaration.target:
            rolled.roles[doing.character.id] = "helper"
            target = doing.declaration.target
            helped.add(by_name.get(target.casefold(), target))
    return helped


def _verify_second(second: Doing, lead: Doing) -> None:
    check = second.declaration.check if second.declaration else None
    if check is None or (check.total is None and check.naturals is None):
        return
    field_name = "total" if check.total is not None else "naturals"
    detail = (
        f"Two on one task: {second.character.name} helps {lead.character.name}, who rolls with advantage. "
        f"Leave out what {second.character.name} rolled, or name another task."
    )
    raise Invalid(Fault(f"{second.pointer}/check/{field_name}", detail))


def _roll(
    doing: Doing,
    helped: bool,
    dice: Dice,
    dc_of: DcOf,
    stealth: Advantage,
    earlier: Mapping[tuple[int, str], Degree | None],
) -> Roll:
    declaration, activity = doing.declaration, doing.activity
    check = declaration.check if declaration else None
    if declaration is None or check is None or activity is None:
        raise ValueError(doing)
    claims: list[Advantage] = [check.advantage, "advantage" if helped else "none"]
    if is_stealth(check):
        claims.append(stealth)
    advantage = netted(*claims)
    dc = check.dc if check.dc is not None else dc_of(check)
    if activity.effect != "take_your_time":
        return roll_check(check, advantage, dc, dice, f"{doing.pointer}/check")
    if declaration.replaces is not None:
        _verify_replaced(declaration.replaces, earlier, doing.pointer)
    return take_time(check, activity.face, activity.bonus_with_advantage, advantage, dc, f"{doing.pointer}/check")


def _verify_replaced(replaces: tuple[int, str], earlier: Mapping[tuple[int, str], Degree | None], pointer: str) -> None:
    number, task = replaces
    if replaces not in earlier:
        raise Invalid(Fault(f"{pointer}/replaces", f"Round {number} had no task {task!r}."))
    if earlier[replaces] not in ("failure", "critical_failure"):
        raise IllegalReplacement(f"Only a failed check can be done over; {task!r} in round {number} did not fail.")


def _conclude(ruleset: Ruleset, together: list[Doing], helped: set[str], rolled: Rolled) -> None:
    """One task's degree, and the incident that its failure is (A5)."""
    lead = together[0]
    ids = [doing.character.id for doing in together]
    manner: Manner
    roles: list[TaskRole]
    if len(together) >= 3:
        manner, roles = "group", ["group" for _ in ids]
        passed = tuple(rolled.rolls[each].passed for each in ids)
        degree = _group(passed, ruleset.group_tie)
    else:
        manner, roles = "helped" if ids[0] in helped else "single", ["lead", "helper"]
        passed = (rolled.rolls[ids[0]].passed,)
        degree = single(passed[0])
    rolled.roles.update(zip(ids, roles, strict=False))
    declaration = lead.declaration
    rolled.tasks.append(
        Task(
            task=declaration.task if declaration else None,
            characters=tuple(doing.character.name for doing in together),
            manner=manner,
            degree=degree,
            passes=passed.count(True),
            failures=passed.count(False),
        )
    )
    if degree in ("failure", "critical_failure") and ruleset.alert is not None:
        for doing in together:
            check = doing.declaration.check if doing.declaration else None
            incident = ruleset.alert.proficiencies.get(fold(check.proficiency)) if check and check.proficiency else None
            if incident is not None:
                rolled.alerting.append((incident, ruleset.alert.incidents[incident]))
                break


def _group(passed: tuple[bool | None, ...], tie: Degree) -> Degree | None:
    """None while one of them has neither a DC nor a ruling."""
    settled = tuple(each for each in passed if each is not None)
    return group(settled, tie) if len(settled) == len(passed) else None

"""A corpus file played on the engine, and where the two differ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from service.rules.errors import Invalid, RulesError
from tests.rules.matching import mismatches
from tests.rules.table import Table

Body = Mapping[str, Any]


def faults_of(case: Body, rules: Body | None = None) -> list[str]:
    """Where the engine does not do as the corpus file says, under house rules laid over it; empty when it does."""
    try:
        table = Table(case["crawl"], rules)
    except RulesError as refusal:
        return [] if _fits(case.get("refused"), refusal) else [f"the crawl is refused, {_told(refusal)}"]
    if "refused" in case:
        return [f"the crawl was to be refused: {case['refused']}"]
    answers: list[Body] = []
    return [
        f"step {number} ({step['do']}): {fault}"
        for number, step in enumerate(case["steps"])
        for fault in _step_faults(table, step, answers)
    ]


def _step_faults(table: Table, step: Body, answers: list[Body]) -> list[str]:
    """A step's faults; its answer is added to the answers, nothing where it is refused."""
    before = table.history()
    try:
        answer = table.play(step)
    except RulesError as refusal:
        answers.append({})
        if _fits(step.get("refused"), refusal):
            return []
        return [f"was to be refused: {step['refused']}, not {_told(refusal)}" if "refused" in step else _told(refusal)]
    answers.append(answer)
    if "refused" in step:
        table.return_to(before)
        return [f"was to be refused: {step['refused']}"]
    faults = mismatches(table.named(step.get("expect", {})), answer)
    if "same_as" in step:
        faults += mismatches({**answers[step["same_as"]], "version": answer["version"]}, answer)
    return faults


def _fits(expected: Body | None, refusal: RulesError) -> bool:
    """Whether it is the refusal that is expected; a pointer that ends in `*` fits all that begin so."""
    if expected is None or expected.get("code", refusal.code) != refusal.code:
        return False
    wanted = expected.get("pointer")
    if wanted is None:
        return True
    return any(each == wanted or (wanted.endswith("*") and each.startswith(wanted[:-1])) for each in _pointers(refusal))


def _told(refusal: RulesError) -> str:
    return f"{refusal.code} at {_pointers(refusal)}: {refusal.detail}"


def _pointers(refusal: RulesError) -> list[str]:
    return [fault.pointer for fault in refusal.faults] if isinstance(refusal, Invalid) else []

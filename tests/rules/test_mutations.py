"""No number, face or switch of a ruleset can change without a corpus file noticing.

Each is changed in turn by a house rule (H1) and the corpus is played on the engine under it: one file at least must
fail.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from service.rules.errors import Invalid
from service.rules.ruleset import RULESETS, ruleset_of, shipped
from tests.rules.table import faults_of

ROUNDS = Path(__file__).parents[1] / "rounds"

SURVIVORS: Mapping[str, str] = {}
"""Mutants that no file can tell apart, each with its reason."""


def mutants() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Every (ruleset, what was changed, house rules that change it)."""
    for key in RULESETS:
        for path, value in leaves(shipped(key)):
            for changed in others(path, value):
                rules = house_rules(path, changed)
                try:
                    ruleset_of(key, rules)
                except Invalid:
                    continue
                yield key, f"{key}: {'.'.join(path)} = {json.dumps(changed)}", rules


def leaves(document: Mapping[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key, value in document.items():
        if isinstance(value, Mapping):
            yield from leaves(value, (*above, key))
        else:
            yield (*above, key), value


def others(path: tuple[str, ...], value: Any) -> list[Any]:
    """What a number, a switch or a list may be instead; nothing for text, which names things."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + (60 if path[-1].endswith("seconds") and value >= 60 else 1), value - 1]
    if isinstance(value, list) and value and isinstance(value[0], int):
        return [value[1:] or [1], value[:-1] or [2], [value[0] - 1, *value]]
    if isinstance(value, list):
        return [value[:-1]]
    return []


def house_rules(path: tuple[str, ...], value: Any) -> dict[str, Any]:
    rules: Any = value
    for key in reversed(path):
        rules = {key: rules}
    return rules


@cache
def corpus(ruleset: str) -> list[tuple[str, Mapping[str, Any]]]:
    cases = [(path.name, json.loads(path.read_text("utf-8"))) for path in sorted(ROUNDS.glob("*.json"))]
    return [(name, case) for name, case in cases if case["crawl"]["ruleset"] == ruleset]


@cache
def sound(ruleset: str) -> list[tuple[str, Mapping[str, Any]]]:
    """The files that the engine plays as they say; another would kill every mutant."""
    return [(name, case) for name, case in corpus(ruleset) if not faults_of(case)]


@pytest.mark.parametrize("ruleset", RULESETS)
def test_the_engine_plays_every_corpus_file_as_it_says(ruleset: str) -> None:
    assert {name: faults for name, case in corpus(ruleset) if (faults := faults_of(case))} == {}


def test_a_changed_rule_is_noticed_by_some_corpus_file() -> None:
    """The number of mutants is large: a file that noticed one goes to the front, it will notice the next."""
    likely = {key: list(sound(key)) for key in RULESETS}
    survivors, made = [], 0
    for key, name, rules in mutants():
        made += 1
        killer = next((case for case in likely[key] if faults_of(case[1], rules)), None)
        if killer is None:
            survivors.append(name)
        else:
            likely[key].remove(killer)
            likely[key].insert(0, killer)
    assert made > 100
    assert sorted(survivors) == sorted(SURVIVORS), "\n".join(survivors)

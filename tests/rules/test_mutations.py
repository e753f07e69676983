"""No number, face, switch or choice of a ruleset can change without a corpus file noticing.

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
from tests.rules.playing import faults_of

ROUNDS = Path(__file__).parents[1] / "rounds"

CHOICES: Mapping[str, tuple[str, ...]] = {
    "when": ("elapsed", "round_end"),
    "stealth": ("passive", "contested"),
    "group_tie": ("success", "failure"),
    "stealth_tie": ("unnoticed", "noticed"),
    "pace": ("normal", "fast", "rush"),
    "slower": ("slow", "normal", "fast", "explore", "rush"),
    "effect": ("none",),
    "die": ("1d8",),
}

_EASIER = "a pace counts as slower under easier Stealth only (A6), which an incident gives, and stretch has no alert"
_WORD = "collecting what was found adds a word to `effects`, which the rulings leave open"

SURVIVORS: Mapping[str, str] = {
    'stretch: paces.explore.slower = "rush"': _EASIER,
    'stretch: paces.rush.slower = "explore"': _EASIER,
    'stretch: checks.stealth_tie = "noticed"': "Stealth is contested with an alert only (A2)",
    'stretch: activities.loot.effect = "none"': _WORD,
    'derelict: activities.loot.effect = "none"': _WORD,
}
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
    """What a number, a switch, a list or a choice may be instead; what no ruleset can have is sorted out."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + (60 if path[-1].endswith("seconds") and value >= 60 else 1), value - 1]
    if isinstance(value, list) and value and isinstance(value[0], int):
        return [value[1:] or [1], value[:-1] or [2], [value[0] - 1, *value]]
    if isinstance(value, list):
        return [value[:-1]]
    if path[-1] in CHOICES:
        return [each for each in CHOICES[path[-1]] if each != value]
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


@pytest.mark.parametrize("ruleset", RULESETS)
def test_the_engine_plays_every_corpus_file_as_it_says(ruleset: str) -> None:
    assert {name: faults for name, case in corpus(ruleset) if (faults := faults_of(case))} == {}


def test_a_changed_rule_is_noticed_by_some_corpus_file() -> None:
    """A mutant is noticed where a file's faults (none, in a sound corpus) are no longer the same.

    A file that noticed one goes to the front: it is likely to notice the next.
    """
    likely = {key: [(case, faults_of(case)) for _, case in corpus(key)] for key in RULESETS}
    survivors, made = [], 0
    for key, name, rules in mutants():
        made += 1
        for place, (case, faults) in enumerate(likely[key]):
            if faults_of(case, rules) != faults:
                likely[key].insert(0, likely[key].pop(place))
                break
        else:
            survivors.append(name)
    assert made > 100
    assert sorted(survivors) == sorted(SURVIVORS), "\n".join(survivors)

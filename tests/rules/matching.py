"""How an expectation of the corpus fits an answer: what it names must be there, what it leaves out may be anything."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

ABSENT = object()
NTH_ENCOUNTER = re.compile(r"enc_#(\d+)")


def mismatches(expected: Any, actual: Any, path: str = "") -> list[str]:
    """Every difference, one line each with its path (a JSON pointer) and both values; empty when `actual` fits.

    An object must contain the keys named, a list must have the same length and fit element by element, a string that
    ends in `_*` fits any string with that prefix, anything else must be equal: true is not 1, null is not absent.
    """
    if isinstance(expected, Mapping):
        if not isinstance(actual, Mapping):
            return [_difference(path, expected, actual)]
        return [
            line
            for key, value in expected.items()
            for line in mismatches(value, actual.get(key, ABSENT), f"{path}/{key}")
        ]
    if isinstance(expected, list):
        if not isinstance(actual, list) or len(actual) != len(expected):
            return [_difference(path, expected, actual)]
        return [
            line
            for place, (wanted, found) in enumerate(zip(expected, actual, strict=True))
            for line in mismatches(wanted, found, f"{path}/{place}")
        ]
    return [] if _equal(expected, actual) else [_difference(path, expected, actual)]


def named_encounters(value: Any, ids: Sequence[str]) -> Any:
    """`value` with each string `enc_#N` replaced by the id of the encounter that came as number N, from 0 on."""
    if isinstance(value, Mapping):
        return {key: named_encounters(each, ids) for key, each in value.items()}
    if isinstance(value, list):
        return [named_encounters(each, ids) for each in value]
    if isinstance(value, str) and (named := NTH_ENCOUNTER.fullmatch(value)):
        return ids[int(named[1])]
    return value


def _equal(expected: Any, actual: Any) -> bool:
    if isinstance(expected, str) and expected.endswith("_*"):
        return isinstance(actual, str) and actual.startswith(expected[:-1])
    if isinstance(expected, bool) or isinstance(actual, bool):
        return expected is actual
    return bool(expected == actual)


def _difference(path: str, expected: Any, actual: Any) -> str:
    found = "nothing there" if actual is ABSENT else json.dumps(actual, ensure_ascii=False)
    return f"{path or '/'}: expected {json.dumps(expected, ensure_ascii=False)}, found {found}"

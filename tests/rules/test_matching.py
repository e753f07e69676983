"""The corpus is only worth as much as its matcher."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.matching import mismatches, named_encounters


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ({"a": 1}, {"a": 1, "b": 2}),
        ({"a": {"b": None}}, {"a": {"b": None, "c": 3}}),
        ([{"a": 1}, 2], [{"a": 1, "b": 1}, 2]),
        ("enc_*", "enc_7q"),
        ([], []),
        (0.5, 0.5),
        (1, 1.0),
    ],
)
def test_what_an_expectation_names_fits(expected: Any, actual: Any) -> None:
    assert mismatches(expected, actual) == []


@pytest.mark.parametrize(
    ("expected", "actual", "path"),
    [
        ({"a": 1}, {"a": 2}, "/a"),
        ({"a": None}, {}, "/a"),
        ({"a": {}}, {"a": []}, "/a"),
        ({"a": []}, {"a": [1]}, "/a"),
        ({"a": [1, 2]}, {"a": [1, 3]}, "/a/1"),
        (True, 1, "/"),
        (0, False, "/"),
        ("enc_*", "chr_7q", "/"),
        ("enc_*", None, "/"),
        (None, "", "/"),
        (1, "1", "/"),
    ],
)
def test_a_difference_is_told_by_its_path(expected: Any, actual: Any, path: str) -> None:
    (line,) = mismatches(expected, actual)
    assert line.startswith(f"{path}: expected ")


def test_every_difference_is_told_with_both_values() -> None:
    assert mismatches({"a": 1, "b": [2, {"c": 3}]}, {"a": 0, "b": [2, {}]}) == [
        "/a: expected 1, found 0",
        "/b/1/c: expected 3, found nothing there",
    ]


def test_an_encounter_is_named_by_its_place() -> None:
    body = {"kind": "combat", "encounter": "enc_#1", "note": "enc_#1 is spoken of", "list": ["enc_#0"]}
    assert named_encounters(body, ["enc_a", "enc_b"]) == {
        "kind": "combat",
        "encounter": "enc_b",
        "note": "enc_#1 is spoken of",
        "list": ["enc_a"],
    }

"""The gate: what is no JSON with one meaning is refused, and where."""

from __future__ import annotations

import time

import pytest

from service.api.body import parse
from service.api.errors import InvalidRequest, MalformedJson

MALFORMED = {
    "nothing": b"",
    "spaces": b"  \n",
    "no JSON": b"{'a': 1}",
    "something behind it": b"{} x",
    "two documents": b"{}{}",
    "half an object": b'{"a": 1',
    "not a number": b'{"a": NaN}',
    "infinity": b'{"a": -Infinity}',
    "more than a double holds": b'{"a": 1e400}',
    "6,000 digits": b'{"a": ' + b"9" * 6000 + b"}",
    "33 levels": b"[" * 33 + b"]" * 33,
    "5,000 levels": b"[" * 5000 + b"]" * 5000,
    "5,000 levels of objects, never closed": b'{"a":' * 5000,
    "a lone surrogate": b'{"a": "\\ud800"}',
    "a lone surrogate in a name": b'{"\\udfff": 1}',
    "a surrogate in raw bytes": b'"\xed\xa0\x80"',
    "UTF-16": '{"a": 1}'.encode("utf-16"),
    "a byte order mark": b"\xef\xbb\xbf{}",
    "Latin-1": '{"a": "é"}'.encode("latin-1"),
    "a raw control character": b'"\x01"',
    "a raw NUL": b'"\x00"',
}


@pytest.mark.parametrize("raw", MALFORMED.values(), ids=MALFORMED.keys())
def test_what_has_no_single_meaning_is_malformed(raw: bytes) -> None:
    with pytest.raises(MalformedJson) as refusal:
        parse(raw)
    assert refusal.value.faults[0].pointer in ("", "/a", "/?")


def test_a_double_name_is_malformed_at_any_depth_and_pointed_at() -> None:
    with pytest.raises(MalformedJson) as refusal:
        parse(b'{"x": [{"b/c": 1, "d": 0, "b/c": 1}]}')
    assert refusal.value.faults[0].pointer == "/x/0/b~1c"


@pytest.mark.parametrize(
    ("raw", "pointer"),
    [
        (b'{"a": "\\u0000"}', "/a"),
        (b'{"a~": {"\\u0000": 1}}', "/a~0/\0"),
        (b'["' + b"x" * 4097 + b'"]', "/0"),
        (b'{"a": 9007199254740992}', "/a"),
        (b'{"a": -9007199254740992}', "/a"),
        (b"1" * 4000, ""),
    ],
)
def test_what_cannot_be_held_is_invalid(raw: bytes, pointer: str) -> None:
    with pytest.raises(InvalidRequest) as refusal:
        parse(raw)
    assert refusal.value.faults[0].pointer == pointer


def test_what_is_left_comes_through() -> None:
    assert parse('{"ä": "😀 \\ud83d\\ude00", "n": 9007199254740991, "z": -0, "e": 1E-400}'.encode()) == {
        "ä": "😀 😀",
        "n": 9007199254740991,
        "z": 0,
        "e": 0.0,
    }
    assert parse(b"[" * 32 + b"]" * 32)
    assert parse(b'"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\\""')
    assert parse(b'{"__proto__": 1}') == {"__proto__": 1}


@pytest.mark.parametrize(
    "raw", [b"[" * 40 + b'"' + b'\\"' * 32000, b'"' * 64000, b"[" * 64000, b'{"a":' * 12000, b"[1," * 21000]
)
def test_no_body_keeps_the_gate_busy(raw: bytes) -> None:
    began = time.process_time()
    with pytest.raises(MalformedJson):
        parse(raw)
    assert time.process_time() - began < 0.5

"""The gate every body passes before anything reads it: one JSON document in UTF-8 that has one meaning only.

Framework parsers let through what two readers understand differently (double keys, NaN) or fall over it (nesting,
long integers, lone surrogates). Whatever comes out of here can be stored, compared and sent on.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any, Final

from service.api.errors import InvalidRequest, MalformedJson
from service.rules.errors import Fault

DEPTH: Final = 32
LONGEST_TEXT: Final = 4096
LONGEST_INTEGER: Final = 4300
WIDEST_INTEGER: Final = 2**53 - 1

# Possessive, and the last quote optional: no text makes it look at a character twice.
_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_LONG_DIGITS = re.compile(r"\d{16}")


def parse(raw: bytes, longest: int = LONGEST_TEXT) -> Any:
    """The document in `raw`. MalformedJson where it has no single meaning, InvalidRequest where we cannot hold it.

    `longest` is how many characters a text in it may have.
    """
    if not raw.strip():
        raise MalformedJson("The body is empty; send a JSON document.")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise MalformedJson("The body is not UTF-8; encode it so.") from None
    if text.startswith("\ufeff"):
        raise MalformedJson("The body begins with a byte order mark; leave it out.")
    _refuse_depth(text)
    document, doubled = _load(text)
    if doubled:
        key, pointer = next(_doubles(document, ""))
        raise MalformedJson(f"The name {key!r} stands twice in one object; keep one.", _printable(pointer))
    # Only these bodies can hold what has to be looked for value by value.
    if (len(text) > longest or "\\u" in text or _LONG_DIGITS.search(text)) and not _all_fit(document, longest):
        _refuse_values(document, longest)
    return document


def pointer_to(parent: str, step: str | int) -> str:
    """The JSON pointer one step below `parent` (RFC 6901)."""
    return f"{parent}/{str(step).replace('~', '~0').replace('/', '~1')}"


class _Doubled(dict[str, Any]):
    """An object in which `key` stood twice."""

    key: str


def _load(text: str) -> tuple[Any, bool]:
    doubled = False

    def gather(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal doubled
        once = dict(pairs)
        if len(once) == len(pairs):
            return once
        doubled = True
        marked, seen = _Doubled(once), set[str]()
        marked.key = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        return marked

    try:
        return json.loads(text, object_pairs_hook=gather, parse_float=_finite, parse_constant=_no_constant), doubled
    except json.JSONDecodeError as error:
        raise MalformedJson(f"The body is no JSON: {error.msg}, line {error.lineno}, column {error.colno}.") from None
    except ValueError:
        raise MalformedJson(f"An integer has more than {LONGEST_INTEGER} digits; send a smaller one.") from None


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise MalformedJson("A number is too large for JSON readers; send a smaller one.")
    return number


def _no_constant(name: str) -> Any:
    raise MalformedJson(f"{name} is no JSON; send a number or null.")


def _refuse_depth(text: str) -> None:
    """Counts nesting without recursion: a parser would run out of stack on what this refuses."""
    if text.count("[") + text.count("{") <= DEPTH:
        return
    depth = 0
    for sign in _STRINGS.sub("", text):
        if sign in "[{":
            depth += 1
            if depth > DEPTH:
                raise MalformedJson(f"The body nests deeper than {DEPTH} levels; flatten it.")
        elif sign in "]}":
            depth -= 1


def _doubles(value: Any, pointer: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, _Doubled):
        yield value.key, pointer_to(pointer, value.key)
    for step, inner in _inside(value):
        yield from _doubles(inner, pointer_to(pointer, step))


def _all_fit(document: Any, longest: int) -> bool:
    """Whether `_refuse_values` would find nothing; it takes long, since it knows where everything stands."""
    waiting = [document]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting += value
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
        elif isinstance(value, str):
            if len(value) > longest or "\0" in value or not (value.isascii() or _encodable(value)):
                return False
        elif isinstance(value, int) and not -WIDEST_INTEGER <= value <= WIDEST_INTEGER:
            return False
    return True


def _refuse_values(document: Any, longest: int) -> None:
    faults: list[Fault] = []
    for pointer, value in _walk(document, ""):
        if isinstance(value, str):
            if not _encodable(value):
                raise MalformedJson(
                    "A text holds half of a surrogate pair; send whole characters.", _printable(pointer)
                )
            if "\0" in value:
                faults.append(Fault(pointer, "A text holds the character NUL; leave it out."))
            elif len(value) > longest:
                faults.append(Fault(pointer, f"Give a text of at most {longest} characters."))
        elif isinstance(value, int) and abs(value) > WIDEST_INTEGER:
            faults.append(Fault(pointer, f"Give a whole number from -{WIDEST_INTEGER} to {WIDEST_INTEGER}."))
    if faults:
        raise InvalidRequest(*faults)


def _walk(value: Any, pointer: str) -> Iterator[tuple[str, Any]]:
    """Every value and every name, each with its pointer."""
    yield pointer, value
    for step, inner in _inside(value):
        below = pointer_to(pointer, step)
        if isinstance(step, str):
            yield below, step
        yield from _walk(inner, below)


def _inside(value: Any) -> Iterator[tuple[str | int, Any]]:
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, list):
        yield from enumerate(value)


def _encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _printable(pointer: str) -> str:
    return pointer.encode("utf-8", "replace").decode("utf-8")

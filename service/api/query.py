"""Parameters of the query, and of headers: each knows how to be read and how it is described. Others are ignored."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from werkzeug.datastructures import Headers, MultiDict

from service.api.errors import InvalidParameter
from service.crawls.outcomes import PLATFORMS

_NUMBER = re.compile(r"[0-9]{1,15}")
_CURSOR = re.compile(r"[A-Za-z0-9_.:=~-]{1,200}")


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter. `parse` raises ValueError with a sentence that says what to give."""

    name: str
    about: str
    schema: Mapping[str, Any]
    parse: Callable[[str], Any]
    default: Any
    explode: bool = True
    place: Literal["query", "header"] = "query"


def read_query(parameters: tuple[Parameter, ...], query: MultiDict[str, str], headers: Headers) -> dict[str, Any]:
    """Every parameter by name, with its default where it was not given. InvalidParameter for one that will not do."""
    given: dict[str, MultiDict[str, str] | Headers] = {"query": query, "header": headers}
    return {each.name: _read(each, given[each.place].getlist(each.name)) for each in parameters}


def _read(parameter: Parameter, values: list[str]) -> Any:
    if not values:
        return parameter.default
    if len(values) > 1:
        raise InvalidParameter(parameter.name, f"Give `{parameter.name}` once.")
    try:
        return parameter.parse(values[0])
    except ValueError as error:
        raise InvalidParameter(parameter.name, str(error)) from None


def _number(least: int, most: int) -> Callable[[str], int]:
    def parse(value: str) -> int:
        if not _NUMBER.fullmatch(value) or not least <= int(value) <= most:
            raise ValueError(f"Give a whole number from {least} to {most}.")
        return int(value)

    return parse


def _cursor(value: str) -> str:
    if not _CURSOR.fullmatch(value):
        raise ValueError("Give the `next` of the page before.")
    return value


def _platforms(value: str) -> tuple[str, ...]:
    wanted = tuple(dict.fromkeys(value.split(",")))
    if not set(wanted) <= set(PLATFORMS):
        raise ValueError("Give roll20, discord or both: roll20,discord.")
    return wanted


LIMIT = Parameter(
    "limit",
    "How many at most.",
    {"type": "integer", "minimum": 1, "maximum": 200, "default": 50},
    _number(1, 200),
    50,
)
AFTER_NUMBER = Parameter(
    "after",
    "Only what comes after this number: the `next` of the page before.",
    {"type": "integer", "minimum": 0, "maximum": 10**12, "default": 0},
    _number(0, 10**12),
    0,
)
AFTER_SEQUENCE = Parameter(
    "after",
    "Begin behind this sequence. Without it, and without Last-Event-ID, only what comes from now on.",
    {"type": "integer", "minimum": 0, "maximum": 10**12},
    _number(0, 10**12),
    None,
)
LAST_EVENT_ID = Parameter(
    "Last-Event-ID",
    "Begin behind this sequence; it goes before `after`. EventSource sends it when it comes back.",
    {"type": "integer", "minimum": 0, "maximum": 10**12},
    _number(0, 10**12),
    None,
    place="header",
)
AFTER_CURSOR = Parameter(
    "after",
    "Only what comes after this: the `next` of the page before.",
    {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[A-Za-z0-9_.:=~-]+$"},
    _cursor,
    None,
)
RENDER = Parameter(
    "render",
    "Platforms to render the outcome for, ready to paste.",
    {"type": "array", "items": {"type": "string", "enum": list(PLATFORMS)}, "minItems": 1},
    _platforms,
    (),
    explode=False,
)

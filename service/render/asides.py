"""What an event tells the GM alone, as rows of a card. Nothing here is read for a channel of the players."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from service.render.rows import VALUE, Row, moves, next_check, rows_for_gm
from service.render.words import Clean, joined

Body = Mapping[str, Any]


def rows(kind: str, data: Body, clean: Clean) -> Iterator[Row]:
    if kind in _ROWS:
        yield from _ROWS[kind](data, clean)


def _started(data: Body, _: Clean) -> Iterator[Row]:
    yield "Next check", next_check(data["crawl"]["next_check"])


def _round(data: Body, clean: Clean) -> Iterator[Row]:
    yield from rows_for_gm(data["round"], clean, VALUE)


def _encounter(data: Body, _: Clean) -> Iterator[Row]:
    if data["alert_level"] is not None:
        yield "Alert", f"level {data['alert_level']}"


def _encounter_changed(data: Body, clean: Clean) -> Iterator[Row]:
    if slip := data.get("slip"):
        tried = slip["degree"].replace("_", " ")
        yield "Slipping away", f"{tried}, against a Perception of {slip['perception']['total']}"
        for label, seen in (("Seen", True), ("Unseen", False)):
            names = [_hidden(character, clean) for character in slip["characters"] if character["seen"] is seen]
            if names:
                yield label, joined(names, VALUE, ", ")


def _hidden(character: Body, clean: Clean) -> str:
    dc = character["stealth_dc"]
    return clean(character["character"]) + (f" (DC {dc})" if dc is not None else "")


def _alert(data: Body, clean: Clean) -> Iterator[Row]:
    if data["changes"]:
        yield "Why", joined(moves(data["changes"], clean), VALUE)
    if data["note"]:
        yield "Note", clean(data["note"])


def _declaration(data: Body, clean: Clean) -> Iterator[Row]:
    declared = data["declaration"]
    check = declared["check"] or {}
    if check.get("dc") is not None:
        yield "DC", str(check["dc"])
    if check.get("passed") is not None:
        yield "Ruling", "passes" if check["passed"] else "fails"
    if declared["hidden"]:
        hidden = (f"{clean(each['name'])} (DC {each['dc']})" for each in declared["hidden"])
        yield "Hidden here", joined(hidden, VALUE, ", ")


_ROWS: Mapping[str, Callable[[Body, Clean], Iterator[Row]]] = {
    "crawl.started": _started,
    "round.resolved": _round,
    "encounter.triggered": _encounter,
    "encounter.changed": _encounter_changed,
    "alert.changed": _alert,
    "declaration.made": _declaration,
}

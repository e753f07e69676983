"""An outcome as rows of a label and a value, for cards in a chat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from service.render.words import LISTED, Clean, capital, deed, joined, listed, news, spoken
from service.rules.duration import said

Row = tuple[str, str]
Body = Mapping[str, Any]

VALUE = 1000
"""Characters of a row in a card; every platform takes so many."""


def rows_for_players(body: Body, clean: Clean, limit: int) -> Iterator[Row]:
    """What everybody may know; `limit` is how long a value may be."""
    yield "Party", capital(deed(body, clean))
    yield "Clock", body["clock"]["display"]
    movement = body["movement"]
    if movement and movement["passive_perception_modifier"]:
        yield "Passive Perception", f"{movement['passive_perception_modifier']:+d}"
    happened = joined(news(body, clean), limit)
    if happened:
        yield "News", capital(happened)


def rows_for_gm(body: Body, clean: Clean, limit: int) -> Iterator[Row]:
    """What the GM alone knows beside all that."""
    alert = body["alert"]
    if alert["enabled"]:
        yield "Alert", joined(_alert(alert, clean), limit)
    checks = joined(map(_check, body["encounter_checks"]), limit)
    if checks:
        yield "Encounter checks", checks
    yield "Next check", next_check(body["next_check"])
    if body["note"]:
        yield "Note", clean(body["note"])


def next_check(due: Body) -> str:
    """When the next encounter check comes, and how likely it brings something; without the sign, which Roll20 reads."""
    return f"in {said(due['in'])} ({due['die']}, chance {due['chance']:.0%})".replace("%", " percent")


def moves(changes: Sequence[Body], clean: Clean) -> Iterator[str]:
    """The first changes of the alert with their causes, which are for the GM alone."""
    yield from (_moved(change, clean) for change in changes[:LISTED])
    if len(changes) > LISTED:
        yield f"and {len(changes) - LISTED} more"


def _moved(change: Body, clean: Clean) -> str:
    cause = "the GM" if change["cause"] == "gm" else spoken(change["cause"], clean)
    went = "stays at" if change["from"] == change["to"] else f"{change['from']} to"
    return f"{cause} at {said(change['at'])}: {went} {change['to']}"


def _alert(alert: Body, clean: Clean) -> Iterator[str]:
    yield f"level {alert['to']}"
    if alert["rolls"]:
        yield f"pace rolls {listed([str(roll['face']) for roll in alert['rolls']], clean)}"
    yield from moves(alert["changes"], clean)
    for consequence in alert["consequences"]:
        yield f"at level {consequence['level']}: {clean(consequence['consequence'])}"


def _check(check: Body) -> str:
    came = "encounter" if check["triggered"] else "nothing"
    return f"{check['die']} shows {check['face']} at {said(check['at'])}: {came}"

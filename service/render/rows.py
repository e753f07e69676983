"""An outcome as rows of a label and a value, for cards in a chat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from service.render.words import Clean, capital, deed, joined, news
from service.rules.duration import said

Row = tuple[str, str]
Body = Mapping[str, Any]


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
    """What the GM knows beside all that."""
    yield from rows_for_players(body, clean, limit)
    alert = body["alert"]
    if alert["enabled"]:
        yield "Alert", joined(_alert(alert, clean), limit)
    checks = joined(map(_check, body["encounter_checks"]), limit)
    if checks:
        yield "Encounter checks", checks
    due = body["next_check"]
    yield "Next check", f"in {said(due['in'])} ({due['die']}, chance {due['chance']:.0%})".replace("%", " percent")
    if body["note"]:
        yield "Note", clean(body["note"])


def _alert(alert: Body, clean: Clean) -> Iterator[str]:
    yield f"level {alert['to']}"
    if alert["rolls"]:
        yield "pace rolls " + ", ".join(str(roll["face"]) for roll in alert["rolls"])
    for change in alert["changes"]:
        yield f"{clean(change['cause'])} at {said(change['at'])}: {change['from']} to {change['to']}"
    for consequence in alert["consequences"]:
        yield f"at level {consequence['level']}: {clean(consequence['consequence'])}"


def _check(check: Body) -> str:
    came = "encounter" if check["triggered"] else "nothing"
    return f"{check['die']} shows {check['face']} at {said(check['at'])}: {came}"

"""Between rounds: the alert, a check by hand, undo and redo."""

from __future__ import annotations

from service.api.routes import Asked, Body, InCrawl, Routes
from service.api.schemas.answers.between import AlertMoved, CheckMade, StepRedone, StepUndone
from service.api.schemas.crawls import AlertChange, HandCheck, Nothing
from service.crawls import alerts, checks, undoing
from service.crawls.entering import Entered
from service.store.records import Answer

routes = Routes("Between rounds", "What the GM does between rounds. Each answers with the crawl and what it made.")

_NOTHING = Body(Nothing(), optional=True)


@routes.crawl(
    "POST",
    "/alert",
    "setAlert",
    "Move the alert",
    InCrawl(("gm",), pending=True),
    body=Body(AlertChange()),
    answers={200: AlertMoved},
    refuses=("illegal_status", "illegal_alert"),
)
def set_alert(entered: Entered, asked: Asked) -> Answer:
    """By a shift, outright, by an incident, or by withdrawing easier Stealth."""
    return alerts.set_alert(entered, asked.body)


@routes.crawl(
    "POST",
    "/encounter_checks",
    "checkByHand",
    "Make an encounter check by hand",
    InCrawl(("gm",), pending=True),
    body=Body(HandCheck(), optional=True),
    answers={200: CheckMade},
    refuses=("illegal_status",),
)
def check(entered: Entered, asked: Asked) -> Answer:
    """It leaves the schedule alone unless it `counts`."""
    return checks.check_by_hand(entered, asked.body.get("face"), asked.body.get("counts", False))


@routes.crawl(
    "POST",
    "/undo",
    "undo",
    "Undo the last step",
    InCrawl(("gm",), pending=True, last_step=True),
    body=_NOTHING,
    answers={200: StepUndone},
    refuses=("illegal_status", "illegal_undo"),
)
def undo(entered: Entered, asked: Asked) -> Answer:
    """Rounds, alert, checks by hand, timers and encounters step back; the same submission then rolls the same dice."""
    return undoing.undo(entered)


@routes.crawl(
    "POST",
    "/redo",
    "redo",
    "Redo the last step undone",
    InCrawl(("gm",), pending=True, last_undone=True),
    body=_NOTHING,
    answers={200: StepRedone},
    refuses=("illegal_status", "illegal_redo"),
)
def redo(entered: Entered, asked: Asked) -> Answer:
    """Possible until something new is done."""
    return undoing.redo(entered)

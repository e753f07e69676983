"""Timers: what burns down or wears off."""

from __future__ import annotations

from service.api.query import AFTER_CURSOR, LIMIT
from service.api.routes import EVERYONE, Asked, Body, InCrawl, Routes
from service.api.schemas.answers.between import TimerPage
from service.api.schemas.answers.crawl import Timer
from service.api.schemas.crawls import TimerChange, TimerStart
from service.crawls import timers
from service.crawls.entering import Entered
from service.store.records import Answer

routes = Routes("Timers", "Light, effects and conditions that run out on the crawl's clock.")

_GM = InCrawl(("gm",))


@routes.crawl(
    "GET",
    "/timers",
    "listTimers",
    "List timers",
    InCrawl(EVERYONE),
    query=(LIMIT, AFTER_CURSOR),
    answers={200: TimerPage},
)
def list_(entered: Entered, asked: Asked) -> Answer:
    """In order of creation. Players see as much of them as the crawl shows."""
    return timers.list_timers(entered, asked.query["after"], asked.query["limit"])


@routes.crawl(
    "POST",
    "/timers",
    "addTimer",
    "Add a timer",
    _GM,
    body=Body(TimerStart()),
    answers={201: Timer},
    refuses=("illegal_status", "illegal_timer"),
)
def add(entered: Entered, asked: Asked) -> Answer:
    """It warns ten minutes before its end when it is longer than that, unless `warn_at` says otherwise; null: never."""
    return timers.add_timer(entered, asked.body)


@routes.crawl(
    "GET",
    "/timers/{id}",
    "getTimer",
    "Read a timer",
    _GM,
    answers={200: Timer},
    refuses=("timer_not_found",),
)
def get(entered: Entered, asked: Asked) -> Answer:
    """With the seconds that it has left."""
    return timers.get_timer(entered, asked.names["id"])


@routes.crawl(
    "PATCH",
    "/timers/{id}",
    "changeTimer",
    "Change a timer",
    _GM,
    body=Body(TimerChange(), patch=True),
    answers={200: Timer},
    refuses=("timer_not_found", "illegal_status"),
)
def change(entered: Entered, asked: Asked) -> Answer:
    """A JSON merge patch; `paused` stops and starts it."""
    return timers.change_timer(entered, asked.names["id"], asked.body)


@routes.crawl(
    "DELETE",
    "/timers/{id}",
    "removeTimer",
    "Remove a timer",
    _GM,
    answers={204: None},
    refuses=("timer_not_found", "illegal_status"),
)
def remove(entered: Entered, asked: Asked) -> Answer:
    """It will not run out any more."""
    return timers.remove_timer(entered, asked.names["id"])

"""Timers: light and effects on the crawl's own timeline. Each warns once before its end and runs out once (T4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from service.rules.dice import Dice
from service.rules.errors import Fault, IllegalTimer, Invalid
from service.rules.model import Crawl, Timer, TimerKind
from service.rules.outcome import TimerMoment

MOST = 100
WARNING = 600
"""A timer longer than this many seconds warns that long before its end, unless told otherwise."""


def add_timer(
    crawl: Crawl,
    *,
    name: str,
    kind: TimerKind,
    seconds: int,
    bearer: str | None = None,
    warn_at: int | str | None = "default",
    paused: bool = False,
) -> tuple[Crawl, Timer]:
    """A crawl with one more timer that has `seconds` left. `bearer` is a character by name or id."""
    if len(crawl.play.timers) >= MOST:
        raise IllegalTimer(f"A crawl holds {MOST} timers at most. Delete one that is no longer needed.")
    timer = Timer(
        id=Dice(crawl.seed, crawl.play.place).name("tmr", 0),
        name=name,
        kind=kind,
        ends_at=None if paused else crawl.play.clock + seconds,
        remaining=seconds if paused else None,
        warn_at=_warning(warn_at, seconds),
        bearer=_bearer(crawl, bearer),
    )
    return _with_timers(crawl, (*crawl.play.timers, timer)), timer


def change_timer(crawl: Crawl, timer_id: str, changes: Mapping[str, Any]) -> tuple[Crawl, Timer]:
    """A crawl with that timer changed: name, kind, bearer, seconds (new time left), warn_at, paused.

    KeyError if there is none.
    """
    old = _timer(crawl, timer_id)
    seconds = changes.get("seconds", seconds_left(crawl, old))
    paused = changes.get("paused", old.ends_at is None)
    warn_at = changes.get("warn_at", old.warn_at)
    if "warn_at" in changes:
        warn_at = _warning(warn_at, seconds)
    new = replace(
        old,
        name=changes.get("name", old.name),
        kind=changes.get("kind", old.kind),
        bearer=_bearer(crawl, changes["bearer"]) if "bearer" in changes else old.bearer,
        ends_at=None if paused else crawl.play.clock + seconds,
        remaining=seconds if paused else None,
        warn_at=warn_at,
        # A timer refilled beyond its warning has it still before it.
        warned=warn_at is not None and seconds <= warn_at,
    )
    return _with_timers(crawl, tuple(new if each.id == timer_id else each for each in crawl.play.timers)), new


def remove_timer(crawl: Crawl, timer_id: str) -> Crawl:
    """A crawl without that timer. KeyError if there is none."""
    gone = _timer(crawl, timer_id)
    return _with_timers(crawl, tuple(each for each in crawl.play.timers if each is not gone))


def seconds_left(crawl: Crawl, timer: Timer) -> int:
    """How long the timer still has, in seconds."""
    return timer.remaining or 0 if timer.ends_at is None else timer.ends_at - crawl.play.clock


def next_moment(timers: tuple[Timer, ...]) -> int | None:
    """When the next warning or end of a running timer comes."""
    moments = [moment for timer in timers if (moment := _moment(timer)) is not None]
    return min(moments, default=None)


def pass_moment(
    timers: tuple[Timer, ...], at: int
) -> tuple[tuple[Timer, ...], tuple[TimerMoment, ...], tuple[TimerMoment, ...]]:
    """What is left of the timers at a moment, with those that end there and those that warn, in order of creation."""
    left, expired, ending = [], [], []
    for timer in timers:
        if timer.ends_at is None or (moment := _moment(timer)) is None or moment > at:
            left.append(timer)
        elif timer.ends_at <= at:
            expired.append(TimerMoment(timer, at))
        else:
            left.append(replace(timer, warned=True))
            ending.append(TimerMoment(timer, at))
    return tuple(left), tuple(expired), tuple(ending)


def _moment(timer: Timer) -> int | None:
    if timer.ends_at is None:
        return None
    return timer.ends_at if timer.warned or timer.warn_at is None else timer.ends_at - timer.warn_at


def _timer(crawl: Crawl, timer_id: str) -> Timer:
    for timer in crawl.play.timers:
        if timer.id == timer_id:
            return timer
    raise KeyError(timer_id)


def _with_timers(crawl: Crawl, timers: tuple[Timer, ...]) -> Crawl:
    return replace(crawl, play=replace(crawl.play, timers=timers, place=crawl.play.place + 1))


def _warning(warn_at: int | str | None, seconds: int) -> int | None:
    if warn_at == "default":
        return WARNING if seconds > WARNING else None
    if isinstance(warn_at, int) and warn_at >= seconds:
        raise Invalid(Fault("/warn_at", f"This is how many seconds before the end to warn: less than {seconds}."))
    return warn_at  # type: ignore[return-value]


def _bearer(crawl: Crawl, name: str | None) -> str | None:
    if name is None:
        return None
    bearer = crawl.named(name)
    if bearer is None:
        raise Invalid(Fault("/bearer", f"There is no {name!r} in the party."))
    return bearer.id

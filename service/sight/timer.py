"""A timer in words, and how much of it the crawl lets players see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from service.rules.model import Crawl, Timer, Visibility
from service.rules.outcome import TimerMoment
from service.rules.timers import seconds_left


def timer_for_gm(crawl: Crawl, timer: Timer) -> dict[str, Any]:
    """The timer exactly; `ends_at` is null while it is paused."""
    return {
        "id": timer.id,
        "name": timer.name,
        "kind": timer.kind,
        "bearer": _bearer(crawl, timer),
        "seconds": seconds_left(crawl, timer),
        "ends_at": timer.ends_at,
        "warn_at": timer.warn_at,
        "paused": timer.ends_at is None,
    }


def timers_for_players(crawl: Crawl) -> list[dict[str, Any]]:
    """All timers as the crawl shows them: exactly, only as steady or ending, or none at all."""
    shown = crawl.card.visibility.timers
    if shown == "hidden":
        return []
    as_shown = timer_for_gm if shown == "exact" else _vague
    return [as_shown(crawl, timer) for timer in crawl.play.timers]


def timer_moment(moment: TimerMoment) -> dict[str, Any]:
    """A timer that ended or is about to, as an outcome lists it."""
    timer = moment.timer
    return {"id": timer.id, "name": timer.name, "kind": timer.kind, "at": moment.at}


def timer_moments_for_players(moments: Iterable[Mapping[str, Any]], visibility: Visibility) -> list[dict[str, Any]]:
    """`timer_moment`s as players see them; without their moment where timers are vague."""
    if visibility.timers == "hidden":
        return []
    keys = ("id", "name", "kind", "at") if visibility.timers == "exact" else ("id", "name", "kind")
    return [{key: moment[key] for key in keys} for moment in moments]


def _vague(crawl: Crawl, timer: Timer) -> dict[str, Any]:
    ending = timer.warn_at is not None and seconds_left(crawl, timer) <= timer.warn_at
    return {
        "id": timer.id,
        "name": timer.name,
        "kind": timer.kind,
        "bearer": _bearer(crawl, timer),
        "state": "ending" if ending else "steady",
    }


def _bearer(crawl: Crawl, timer: Timer) -> str | None:
    bearer = crawl.named(timer.bearer) if timer.bearer else None
    return bearer.name if bearer else None

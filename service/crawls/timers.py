"""Timers: what burns down or wears off on the crawl's clock."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from service.crawls.changing import change, following
from service.crawls.entering import Entered
from service.crawls.errors import NotFound
from service.crawls.pages import PAGE, cut, page
from service.crawls.tags import version_etag
from service.crawls.telling import crawl_changed
from service.rules import timers
from service.rules.errors import Fault, Invalid
from service.rules.model import Crawl
from service.rules.ruleset import rules_of
from service.sight.timer import timer_for_gm, timers_for_players
from service.store.records import Answer, Change, Step

_FIELDS = ("name", "kind", "bearer", "warn_at", "paused")


def list_timers(entered: Entered, after: str | None = None, limit: int = PAGE) -> Answer:
    """Timers in order of creation, behind the one of id `after`; players see what the crawl shows them. GM and player.

    Raises the store's BadCursor for an `after` that is no timer's.
    """
    crawl = entered.crawl
    shown = [timer_for_gm(crawl, timer) for timer in crawl.play.timers] if entered.is_gm else timers_for_players(crawl)
    return page(entered, "timers", *cut(shown, "id", after, limit))


def get_timer(entered: Entered, timer_id: str) -> Answer:
    """One timer, with the seconds that it has left. GM only: what players see of timers, their list says."""
    for timer in entered.crawl.play.timers:
        if timer.id == timer_id:
            return Answer(200, timer_for_gm(entered.crawl, timer), version_etag(entered.crawl))
    raise NotFound("timer")


def add_timer(entered: Entered, wanted: Mapping[str, Any]) -> Answer:
    """One more timer: 201 with it. `wanted`: name, kind, seconds or rounds, and bearer, warn_at, paused if given.

    A `warn_at` that is left out warns as the rules do, null never. Raises Invalid, IllegalTimer, and as `change`.
    """
    return change(entered, partial(_added, wanted=wanted))


def change_timer(entered: Entered, timer_id: str, changes: Mapping[str, Any]) -> Answer:
    """A timer changed by merge patch: 200 with it. `seconds` or `rounds` is the time left. Raises as `add_timer`."""
    return change(entered, partial(_changed, timer_id=timer_id, changes=changes))


def remove_timer(entered: Entered, timer_id: str) -> Answer:
    """A timer taken away: 204. Raises as `change`."""
    return change(entered, partial(_removed, timer_id=timer_id))


def _added(entered: Entered, wanted: Mapping[str, Any]) -> Change:
    given = _parsed(entered.crawl, wanted)
    if "seconds" not in given:
        raise Invalid(Fault("/seconds", "Say how long it lasts: seconds or rounds."))
    crawl, timer = timers.add_timer(entered.crawl, **given)
    crawl = following(entered, crawl)
    location = f"/v1/crawls/{crawl.id}/timers/{timer.id}"
    return _kept(entered, crawl, Answer(201, timer_for_gm(crawl, timer), version_etag(crawl), location))


def _changed(entered: Entered, timer_id: str, changes: Mapping[str, Any]) -> Change:
    given = _parsed(entered.crawl, changes)
    for key in ("name", "kind", "seconds", "paused"):
        if key in given and given[key] is None:
            raise Invalid(Fault(f"/{key}", "A timer always has this; give a value or leave it out."))
    try:
        crawl, timer = timers.change_timer(entered.crawl, timer_id, given)
    except KeyError:
        raise NotFound("timer") from None
    crawl = following(entered, crawl)
    return _kept(entered, crawl, Answer(200, timer_for_gm(crawl, timer), version_etag(crawl)))


def _removed(entered: Entered, timer_id: str) -> Change:
    try:
        crawl = following(entered, timers.remove_timer(entered.crawl, timer_id))
    except KeyError:
        raise NotFound("timer") from None
    return _kept(entered, crawl, Answer(204, None, version_etag(crawl)))


def _kept(entered: Entered, crawl: Crawl, answer: Answer) -> Change:
    told = crawl_changed(entered.now, ("timers",), crawl.card.visibility)
    return Change(
        crawl_id=crawl.id,
        events=(told,),
        crawl=crawl,
        expected_version=entered.crawl.version,
        step=Step(what="timer", public=told.public is not None, play=entered.crawl.play),
        idempotency=entered.asking.idempotency,
        answer=answer,
    )


def _parsed(crawl: Crawl, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """What the rules take: rounds are so many seconds of this ruleset."""
    given = {key: wanted[key] for key in _FIELDS if key in wanted}
    rounds = wanted.get("rounds")
    if rounds is not None and wanted.get("seconds") is not None:
        raise Invalid(Fault("/rounds", "Say seconds or rounds, one of the two."))
    if rounds is not None:
        given["seconds"] = rounds * rules_of(crawl.card).round_seconds
    elif "seconds" in wanted:
        given["seconds"] = wanted["seconds"]
    return given

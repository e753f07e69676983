"""Events: what is told of a change, to the GM and to players, in the order in which it happened."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from service.crawls.entering import Now
from service.rules.model import Crawl, Encounter, Visibility
from service.rules.outcome import Outcome
from service.sight.alert import alert_body, changes_for_players
from service.sight.encounter import encounter_body
from service.sight.timer import timer_moments_for_players
from service.store.records import Event

Body = Mapping[str, Any]

_SEEN_BY_PLAYERS = frozenset(
    {"name", "party", "marching_order", "light_bearers", "visibility", "status", "timers", "declarations", "imported"}
)


def stamp(now: Now) -> str:
    """The moment in UTC, ISO 8601 with milliseconds."""
    return _iso(now())


def stamp_of(milliseconds: int | None) -> str | None:
    """The same of a moment in ms since 1970."""
    return None if milliseconds is None else _iso(datetime.fromtimestamp(milliseconds / 1000, UTC))


def event(kind: str, now: Now, data: Body, public: Body | None = None) -> Event:
    return Event(id=f"evt_{secrets.token_hex(12)}", type=kind, timestamp=stamp(now), data=data, public=public)


def round_resolved(
    now: Now, before: Crawl, crawl: Crawl, outcome: Outcome, told: Body, public: Body
) -> tuple[Event, ...]:
    """All that a round makes known: the round, then timers, alert and encounters as they came.

    `told` and `public` are its outcome for the GM and for players; `crawl` is as the round left it.
    """
    happened = [*_timers(now, told, crawl.card.visibility), *_encounters(now, outcome)]
    changed = alert_changed(now, before, crawl, told["alert"]["changes"])
    if changed:
        at = told["alert"]["changes"][-1]["at"] if told["alert"]["changes"] else outcome.ended_at
        happened.append((at, 1, changed))
    happened.sort(key=lambda each: each[:2])
    resolved = event("round.resolved", now, {"round": told}, {"round": public})
    return (resolved, *(each[2] for each in happened))


def alert_changed(
    now: Now, before: Crawl, crawl: Crawl, changes: list[dict[str, Any]], note: str | None = None
) -> Event | None:
    """The alert moved, or Stealth became easier; None when all stayed as it was."""
    was, stands = alert_body(before), alert_body(crawl)
    moved = any(change["from"] != change["to"] for change in changes)
    if not moved and was == stands:
        return None
    public = None
    if crawl.card.visibility.alert == "public":
        public = {"changes": changes_for_players(changes), "alert": stands}
    return event("alert.changed", now, {"changes": changes, "alert": stands, "note": note}, public)


def encounter_triggered(now: Now, encounter: Encounter, alert_level: int | None) -> Event:
    """An encounter came: the GM's to know until it is revealed."""
    return event("encounter.triggered", now, {"encounter": encounter_body(encounter), "alert_level": alert_level})


def encounter_changed(now: Now, encounter: Encounter, **more: Any) -> Event:
    """What became of an encounter; `more` is for the GM."""
    body = {"encounter": encounter_body(encounter)}
    return event("encounter.changed", now, body | more, body if encounter.revealed else None)


def crawl_changed(now: Now, changed: tuple[str, ...], visibility: Visibility, **more: str) -> Event:
    """Names what was changed; players hear of what they can see, and `more` of that is for everybody."""
    hidden = {"timers"} if visibility.timers == "hidden" else set()
    seen = [key for key in changed if key in _SEEN_BY_PLAYERS - hidden]
    return event("crawl.changed", now, {"changed": list(changed), **more}, {"changed": seen, **more} if seen else None)


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _timers(now: Now, told: Body, visibility: Visibility) -> Iterator[tuple[int, int, Event]]:
    for kind in ("expired", "ending"):
        for moment in told["timers"][kind]:
            shown = timer_moments_for_players([moment], visibility)
            public = {"timer": shown[0]} if shown else None
            yield moment["at"], 0, event(f"timer.{kind}", now, {"timer": moment}, public)


def _encounters(now: Now, outcome: Outcome) -> Iterator[tuple[int, int, Event]]:
    levels = {check.encounter: check.alert_level for check in outcome.encounter_checks}
    for encounter in outcome.encounters:
        yield encounter.at, 2, encounter_triggered(now, encounter, levels.get(encounter.id))

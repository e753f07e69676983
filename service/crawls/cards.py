"""The crawl as a whole: its card changed, paused, resumed, ended, forgotten."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from service.crawls.changing import change, following
from service.crawls.entering import Entered
from service.crawls.merging import card_changes
from service.crawls.pages import crawl_answer
from service.crawls.standing import standing_after, standing_of
from service.crawls.telling import crawl_changed, event
from service.rules import card
from service.rules.model import Crawl, Status
from service.sight.crawl import clock_body
from service.store.records import Answer, Change, Event


def change_card(entered: Entered, changes: Mapping[str, Any], unlock: bool = False) -> Answer:
    """A JSON merge patch over what the GM set up; also while paused. Enter with `pending`.

    `changes` are the parsed fields of POST /v1/crawls but `ruleset`, `seed` and the alert's level; a party is replaced
    whole, whoever is named by id or has the same name keeps the id. Raises Invalid, IllegalEntryCard, IllegalStatus.
    """
    return change(entered, partial(_card_changed, changes=changes, unlock=unlock), active=False)


def pause(entered: Entered) -> Answer:
    """No round until it is resumed. Enter with `pending`."""
    return change(entered, partial(_status_changed, status="paused"), active=False)


def resume(entered: Entered) -> Answer:
    """Rounds may go on. Enter with `pending`."""
    return change(entered, partial(_status_changed, status="active"), active=False)


def end(entered: Entered) -> Answer:
    """The last change there is; from now on the seed is shown. Enter with `pending`."""
    return change(entered, partial(_status_changed, status="ended"), active=False)


def delete(entered: Entered) -> Answer:
    """Forgets the crawl with all that is its own: 204."""
    entered.verify_match()
    gone = Answer(204, None)
    kept = entered.store.delete(
        entered.crawl.id,
        expected_version=entered.crawl.version if entered.asking.if_match else None,
        idempotency=entered.asking.idempotency,
        answer=gone,
    )
    return kept or gone


def _card_changed(entered: Entered, changes: Mapping[str, Any], unlock: bool) -> Change:
    card.verify_not_ended(entered.crawl)
    before = entered.crawl
    changed = card.change_card(before, card_changes(before.card, changes), unlock)
    differing = _differing(before, changed)
    if not differing:
        return _kept_as_it_is(entered)
    members = {character.id for character in changed.card.party}
    declarations = entered.loaded.declarations
    staying = {key: declaration for key, declaration in declarations.items() if key in members}
    crawl = following(entered, changed)
    told = crawl_changed(entered.now, differing, crawl.card.visibility)
    leaving = staying.keys() != declarations.keys()
    return Change(
        crawl_id=crawl.id,
        events=(told,),
        crawl=crawl,
        expected_version=before.version,
        expected_revision=entered.loaded.declarations_revision if leaving else None,
        declarations=staying if leaving else None,
        idempotency=entered.asking.idempotency,
        answer=crawl_answer(standing_after(entered.store, entered.loaded, crawl)),
    )


def _status_changed(entered: Entered, status: Status) -> Change:
    card.verify_not_ended(entered.crawl)
    if entered.crawl.status == status:
        return _kept_as_it_is(entered)
    crawl = following(entered, replace(entered.crawl, status=status))
    return Change(
        crawl_id=crawl.id,
        events=(_status_told(entered, crawl),),
        crawl=crawl,
        expected_version=entered.crawl.version,
        idempotency=entered.asking.idempotency,
        answer=crawl_answer(standing_after(entered.store, entered.loaded, crawl)),
    )


def _status_told(entered: Entered, crawl: Crawl) -> Event:
    if crawl.status == "ended":
        told = {"status": crawl.status, "clock": clock_body(crawl.play), "rounds": crawl.play.rounds}
        return event("crawl.ended", entered.now, told, told)
    return crawl_changed(entered.now, ("status",), crawl.card.visibility, status=crawl.status)


def _kept_as_it_is(entered: Entered) -> Change:
    """What was asked for is so already: an answer, and nothing to tell."""
    return Change(
        crawl_id=entered.crawl.id,
        events=(),
        expected_version=entered.crawl.version,
        idempotency=entered.asking.idempotency,
        answer=crawl_answer(standing_of(entered.loaded)),
    )


def _differing(before: Crawl, after: Crawl) -> tuple[str, ...]:
    """The fields of the body that differ."""
    fields = {
        "name": "name",
        "rules": "rules",
        "party": "party",
        "marching_order": "marching_order",
        "light_bearers": "light_bearers",
        "alert": "alert_enabled",
        "encounter_check": "every_rounds",
        "guards": "guards",
        "visibility": "visibility",
    }
    return tuple(key for key, name in fields.items() if getattr(before.card, name) != getattr(after.card, name))

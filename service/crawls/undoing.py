"""Undo and redo (U1): play, encounters, records and declarations step back and forth; version and events go on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from service.crawls.changing import change, following
from service.crawls.entering import Entered
from service.crawls.pages import crawl_answer
from service.crawls.standing import standing_after
from service.crawls.telling import event
from service.rules.errors import IllegalRedo, IllegalUndo
from service.rules.fitting import fitted
from service.rules.model import Card, Crawl, Encounter
from service.rules.submission import Declaration
from service.sight.crawl import clock_body
from service.store.records import Answer, Change, Event, Step, Undone


def undo(entered: Entered) -> Answer:
    """The last step taken back: 200 with the crawl and `undone` {what, round}. Enter with `pending` and `last_step`.

    Raises IllegalUndo when nothing is left, and as `change`.
    """
    return change(entered, _undone)


def redo(entered: Entered) -> Answer:
    """The last step taken back made again: 200 with the crawl and `redone`. Enter with `pending` and `last_undone`.

    Raises IllegalRedo when nothing is left, and as `change`.
    """
    return change(entered, _redone)


def _undone(entered: Entered) -> Change:
    step, loaded, crawl_id = entered.loaded.last_step, entered.loaded, entered.crawl.id
    if step is None:
        raise IllegalUndo("Nothing is left to undo.")
    store = entered.store
    known = store.encounters_by_id(crawl_id, list(step.encounters))
    undone = Undone(
        step=step,
        play=entered.crawl.play,
        encounters={key: known.get(key) for key in step.encounters},
        record=store.record(crawl_id, step.round) if step.round is not None else None,
    )
    crawl = following(entered, replace(entered.crawl, play=fitted(step.play, entered.crawl.card)))
    # Whoever has declared anew since is not overruled.
    declared = _of_party(step.declarations, crawl.card) | dict(loaded.declarations) if step.declarations else None
    return Change(
        crawl_id=crawl_id,
        events=(_reverted(entered, crawl, step, "undone"),),
        crawl=crawl,
        expected_version=loaded.crawl.version,
        expected_revision=loaded.declarations_revision if declared is not None else None,
        undone=undone,
        records={step.round: None} if step.round is not None else {},
        encounters=step.encounters,
        declarations=declared,
        idempotency=entered.asking.idempotency,
        answer=_answer(entered, crawl, step, step.encounters, "undone"),
    )


def _redone(entered: Entered) -> Change:
    undone, loaded = entered.loaded.last_undone, entered.loaded
    if undone is None:
        raise IllegalRedo("Nothing is left to redo.")
    step = undone.step
    crawl = following(entered, replace(entered.crawl, play=fitted(undone.play, entered.crawl.card)))
    # A round made again uses up what is declared ahead now, so that undoing it once more brings exactly that back.
    uses = step.what == "round" and bool(loaded.declarations)
    if step.what == "round":
        step = replace(step, declarations=dict(loaded.declarations))
    return Change(
        crawl_id=crawl.id,
        events=(_reverted(entered, crawl, step, "redone"),),
        crawl=crawl,
        expected_version=loaded.crawl.version,
        expected_revision=loaded.declarations_revision if step.what == "round" else None,
        redone=step,
        records={step.round: undone.record} if step.round is not None else {},
        encounters=undone.encounters,
        declarations={} if uses else None,
        idempotency=entered.asking.idempotency,
        answer=_answer(entered, crawl, step, undone.encounters, "redone"),
    )


def _answer(
    entered: Entered,
    crawl: Crawl,
    step: Step,
    encounters: Mapping[str, Encounter | None],
    how: Literal["undone", "redone"],
) -> Answer:
    by = 1 if how == "redone" else -1
    standing = standing_after(
        entered.store,
        entered.loaded,
        crawl,
        encounters=encounters,
        undo_depth=entered.loaded.undo_depth + by,
        redo_depth=entered.loaded.redo_depth - by,
    )
    return crawl_answer(standing, **{how: _named(step)})


def _reverted(entered: Entered, crawl: Crawl, step: Step, how: str) -> Event:
    told: dict[str, Any] = {how: _named(step), "clock": clock_body(crawl.play), "rounds": crawl.play.rounds}
    return event("crawl.reverted", entered.now, told, told if step.public else None)


def _named(step: Step) -> dict[str, Any]:
    return {"what": step.what, "round": step.round}


def _of_party(declarations: Mapping[str, Declaration], card: Card) -> dict[str, Declaration]:
    members = {character.id for character in card.party}
    return {key: declaration for key, declaration in declarations.items() if key in members}

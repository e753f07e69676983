"""An encounter check that the GM calls by hand (T6)."""

from __future__ import annotations

from functools import partial

from service.crawls.changing import change, following
from service.crawls.entering import Entered
from service.crawls.pages import crawl_answer
from service.crawls.standing import standing_after
from service.crawls.telling import crawl_changed, encounter_triggered
from service.rules import by_hand
from service.sight.alert import encounter_check_body
from service.sight.encounter import encounter_body
from service.store.records import Answer, Change, Step


def check_by_hand(entered: Entered, face: int | None = None, counts: bool = False) -> Answer:
    """One check: 200 with the crawl, and `encounter_checks` and `encounters` as in an outcome. Enter with `pending`.

    Raises Invalid for a face that the die does not have, and as `change`.
    """
    return change(entered, partial(_checked, face=face, counts=counts))


def _checked(entered: Entered, face: int | None, counts: bool) -> Change:
    before = entered.crawl
    made = by_hand.check_by_hand(before, face, counts)
    crawl, encounter = following(entered, made.crawl), made.encounter
    came = {encounter.id: encounter} if encounter else {}
    standing = standing_after(
        entered.store,
        entered.loaded,
        crawl,
        encounters=came,
        undo_depth=entered.loaded.undo_depth + 1,
        redo_depth=0,
    )
    return Change(
        crawl_id=crawl.id,
        # Neither tells players anything: one that would, would tell them of the check.
        events=(
            encounter_triggered(entered.now, encounter, made.check.alert_level)
            if encounter
            else crawl_changed(entered.now, ("encounter_checks",), crawl.card.visibility),
        ),
        crawl=crawl,
        expected_version=before.version,
        step=Step(what="encounter_check", public=False, play=before.play, encounters=dict.fromkeys(came)),
        encounters=came,
        idempotency=entered.asking.idempotency,
        answer=crawl_answer(
            standing,
            encounter_checks=[encounter_check_body(made.check)],
            encounters=[encounter_body(encounter)] if encounter else [],
        ),
    )

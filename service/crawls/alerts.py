"""The alert, set by the GM between rounds (A4, A6)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from service.crawls.changing import change, following
from service.crawls.entering import Entered
from service.crawls.pages import crawl_answer
from service.crawls.standing import standing_after
from service.crawls.telling import alert_changed
from service.rules import alert
from service.rules.errors import Fault, Invalid
from service.rules.model import Crawl
from service.rules.outcome import AlertSet
from service.rules.submission import Incident
from service.sight.alert import change_for_gm, consequence_body
from service.store.records import Answer, Change, Step


def set_alert(entered: Entered, wanted: Mapping[str, Any]) -> Answer:
    """The alert moved: 200 with the crawl, `changes` and `consequences`. Enter with `pending`.

    `wanted` is one of {change}, {level}, {incident, effect?} and {effect: "withdraw"}, each with a `note` or without.
    Raises Invalid, IllegalAlert, and as `change`.
    """
    return change(entered, partial(_alert_set, wanted=wanted))


def _alert_set(entered: Entered, wanted: Mapping[str, Any]) -> Change:
    before = entered.crawl
    made = _made(before, wanted)
    crawl = following(entered, made.crawl)
    changes = [change_for_gm(each) for each in made.changes]
    told = alert_changed(entered.now, before, crawl, changes, wanted.get("note"))
    standing = standing_after(
        entered.store, entered.loaded, crawl, undo_depth=entered.loaded.undo_depth + 1, redo_depth=0
    )
    return Change(
        crawl_id=crawl.id,
        events=(told,) if told else (),
        crawl=crawl,
        expected_version=before.version,
        step=Step(what="alert", public=bool(told and told.public), play=before.play),
        idempotency=entered.asking.idempotency,
        answer=crawl_answer(
            standing, changes=changes, consequences=[consequence_body(each) for each in made.consequences]
        ),
    )


def _made(crawl: Crawl, wanted: Mapping[str, Any]) -> AlertSet:
    if wanted.get("incident") is not None:
        return alert.set_alert(crawl, incident=Incident(wanted["incident"], wanted.get("effect"), wanted.get("note")))
    if wanted.get("effect") is not None:
        if wanted["effect"] != "withdraw":
            raise Invalid(Fault("/effect", 'Without an incident the only effect is "withdraw".'))
        return alert.set_alert(crawl, withdraw=True)
    if wanted.get("level") is not None:
        return alert.set_alert(crawl, level=wanted["level"])
    if wanted.get("change") is not None:
        return alert.set_alert(crawl, change=wanted["change"])
    raise Invalid(Fault("", "Say one of change, level, incident and effect."))

"""A crawl kept outside: exported as one document, and begun again from one.

The seed of a crawl that has not ended stays here, sealed or not: whoever could import it might play a copy ahead, and
know the dice of the original before they fall. So a copy has dice of its own, and remembers under which commitment it
was rolled before; the original shows that seed when it is ended.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import orjson

from service.crawls.entering import Entered, Now
from service.crawls.starting import begun, new_id_of
from service.crawls.tags import body_etag
from service.crawls.telling import crawl_changed
from service.crawls.wholeness import verify_whole
from service.rules import card
from service.rules.dice import commitment
from service.rules.errors import Fault, Invalid
from service.rules.model import Crawl, Guards, Visibility
from service.sight.crawl import Standing
from service.sight.export import export_body
from service.store.crawls import NEWEST_PENDING, CrawlStore
from service.store.errors import CrawlTooLarge
from service.store.records import Answer, Idempotency, Past, Step, Whole

MOST_BYTES = 1024 * 1024
"""What an import takes."""
EVENTS_UP_TO = MOST_BYTES * 3 // 4
"""Events are exported as far as the whole stays below this, since others may write the same JSON somewhat longer."""


def export_crawl(entered: Entered) -> Answer:
    """The whole crawl in one document. GM only. Raises the store's CrawlTooLarge for one that no import would take."""
    body = export_body(entered.store.wholes.read(entered.crawl.id, MOST_BYTES, EVENTS_UP_TO))
    events = body.pop("events")
    taken = len(orjson.dumps(body))
    if taken > MOST_BYTES - len(',"events":[]\n'):
        raise CrawlTooLarge
    body["events"] = list(_newest(events, EVENTS_UP_TO - taken))[::-1]
    return Answer(200, body, body_etag(body))


def import_crawl(
    store: CrawlStore, idempotency: Idempotency | None, owner: str, document: Mapping[str, Any], now: Now
) -> Answer:
    """A new crawl that is what the document says: 201 with it and, this once, its tokens.

    `document` is an export as its shape loaded it. Version and sequences go on from it: the import is one commit, and
    one event. Without its seed the crawl is given a new one, and the steps so far remember the commitment of theirs.
    Raises Invalid with pointers into the document, and what the store's `wholes.keep` raises.
    """
    crawl = _crawl(new_id_of(idempotency), document)
    whole = Whole(
        crawl=crawl,
        declarations=document["declarations"],
        encounters=document["encounters"],
        records=document["rounds"],
        history=document["history"],
        redo=document["redo"],
        sequence=document["sequence"],
        public_sequence=document["public_sequence"],
        events=document["events"],
    )
    verify_whole(whole)
    committed = document["dice"]["commitment"]
    if commitment(crawl.seed) != committed:
        whole = _remembering(whole, committed)
    whole = _told(whole, now)
    answer, tokens = begun(_standing(whole))
    ended_at = int(now().timestamp() * 1000) if crawl.status == "ended" else None
    return store.wholes.keep(whole, tokens, owner, ended_at=ended_at, idempotency=idempotency, answer=answer)


def _newest(events: list[dict[str, Any]], room: int) -> Iterator[dict[str, Any]]:
    for event in reversed(events):
        room -= len(orjson.dumps(event)) + 1
        if room < 0:
            return
        yield event


def _crawl(crawl_id: str, document: Mapping[str, Any]) -> Crawl:
    """The crawl, its card read as that of a crawl that is started."""
    wanted, dice = document["card"], document["dice"]
    if dice.get("seed") and commitment(dice["seed"]) != dice["commitment"]:
        raise Invalid(
            Fault("/dice/seed", "This is not the seed that was committed to. Leave it out to draw a new one.")
        )
    guards = wanted.get("guards")
    try:
        started = card.start_crawl(
            crawl_id=crawl_id,
            created_at=document["created_at"],
            seed=dice.get("seed") or secrets.token_hex(32),
            name=wanted["name"],
            ruleset=wanted["ruleset"],
            rules=wanted.get("rules"),
            party=wanted["party"],
            marching_order=wanted.get("marching_order") or (),
            light_bearers=wanted.get("light_bearers") or (),
            alert_enabled=(wanted.get("alert") or {}).get("enabled"),
            every_rounds=(wanted.get("encounter_check") or {}).get("every_rounds"),
            guards=Guards(**guards) if guards else None,
            visibility=Visibility(**(wanted.get("visibility") or {})),
        )
    except Invalid as invalid:
        raise Invalid(*(Fault(f"/card{fault.pointer}", fault.detail) for fault in invalid.faults)) from None
    return replace(started, play=document["play"], status=document["status"], version=document["version"] + 1)


def _remembering(whole: Whole, committed: str) -> Whole:
    def mark(step: Step) -> Step:
        return step if step.commitment else replace(step, commitment=committed)

    return replace(
        whole,
        history=tuple(mark(step) for step in whole.history),
        redo=tuple(replace(undone, step=mark(undone.step)) for undone in whole.redo),
    )


def _told(whole: Whole, now: Now) -> Whole:
    """With one event more, which says that the crawl was imported."""
    told = crawl_changed(now, ("imported",), whole.crawl.card.visibility)
    sequence, public_sequence = whole.sequence + 1, whole.public_sequence + 1
    return replace(
        whole,
        sequence=sequence,
        public_sequence=public_sequence,
        events=(*whole.events, Past(told, sequence, public_sequence)),
    )


def _standing(whole: Whole) -> Standing:
    pending = [encounter for encounter in reversed(whole.encounters) if encounter.status == "pending"]
    return Standing(whole.crawl, tuple(pending[:NEWEST_PENDING]), len(pending), len(whole.history), len(whole.redo))

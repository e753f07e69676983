"""A change as the keys and arguments of `commit.lua`, in the order that script takes them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

import orjson

from service.rules.model import Crawl
from service.store import codec
from service.store.answers import as_kept, kept_under
from service.store.keys import keys_of
from service.store.records import Change, Event

KEEP_EVENTS = timedelta(days=30)
"""How long events can be read again, at most: the newest 10,000 are kept."""

Argument = str | bytes | int


def keys_to_write(change: Change) -> list[str]:
    keys = keys_of(change.crawl_id)
    return [
        *kept_under(keys.partition, change.idempotency),
        keys.crawl,
        keys.tokens,
        keys.declarations,
        keys.encounters,
        keys.encounter_order,
        keys.encounters_pending,
        keys.records,
        keys.history,
        keys.redo,
        keys.events,
        keys.public_events,
        keys.webhooks,
        keys.outbox,
        keys.ended,
    ]


def as_written(change: Change, keep_events: int) -> list[Argument]:
    return [
        *as_kept(change.idempotency, change.answer),
        change.crawl_id,
        "1" if change.starts else "",
        "" if change.expected_version is None else change.expected_version,
        "" if change.expected_revision is None else change.expected_revision,
        *_history(change),
        keep_events,
        _kept_from(change),
        *_state(change),
        *_tokens(change),
        *_encounters(change),
        *_records(change),
        *_declarations(change),
        *_events(change),
    ]


def _kept_from(change: Change) -> str:
    """Timestamps compare as text."""
    if not change.events:
        return ""
    now = datetime.fromisoformat(change.events[-1].timestamp)
    return (now - KEEP_EVENTS).strftime("%Y-%m-%dT%H:%M:%S")


def _history(change: Change) -> list[Argument]:
    if change.step is not None:
        return ["step", codec.STEP.write(change.step)]
    if change.undone is not None:
        return ["undo", codec.UNDONE.write(change.undone)]
    if change.redone is not None:
        return ["redo", codec.STEP.write(change.redone)]
    return ["", ""]


def _state(change: Change) -> list[Argument]:
    crawl = change.crawl
    if crawl is None:
        return [0]
    fields = state_written(crawl)
    if change.starts:
        fields |= first_state(crawl, change.owner)
    return [len(fields), *(part for field in fields.items() for part in field)]


def state_written(crawl: Crawl) -> dict[str, Argument]:
    """The fields that every change writes."""
    return {
        "version": crawl.version,
        "status": crawl.status,
        "card": codec.CARD.write(crawl.card),
        "play": codec.PLAY.write(crawl.play),
    }


def first_state(crawl: Crawl, owner: str) -> dict[str, Argument]:
    """Those that only the first one does."""
    return {
        "seed": crawl.seed,
        "created_at": crawl.created_at,
        "owner": owner,
        "sequence": 0,
        "public_sequence": 0,
        "revision": 0,
    }


def _tokens(change: Change) -> Iterator[Argument]:
    yield len(change.tokens)
    for hashed, token in change.tokens.items():
        yield hashed
        yield codec.TOKEN.write(token) if token else ""


def _encounters(change: Change) -> Iterator[Argument]:
    yield len(change.encounters)
    for encounter_id, encounter in change.encounters.items():
        yield encounter_id
        if encounter is None:
            yield from ("", "", "")
        else:
            yield encounter.ordinal
            yield "1" if encounter.status == "pending" else ""
            yield codec.ENCOUNTER.write(encounter)


def _records(change: Change) -> Iterator[Argument]:
    yield len(change.records)
    for number, record in change.records.items():
        yield number
        yield orjson.dumps(record) if record is not None else ""


def _declarations(change: Change) -> Iterator[Argument]:
    if change.declarations is None:
        yield "-"
        return
    yield len(change.declarations)
    for character_id, declaration in change.declarations.items():
        yield character_id
        yield codec.DECLARATION.write(declaration)


def _events(change: Change) -> Iterator[Argument]:
    yield len(change.events)
    for event in change.events:
        yield event.id
        yield event.type
        yield event_written(change.crawl_id, event, event.data)
        yield event_written(change.crawl_id, event, event.public) if event.public is not None else ""


def event_written(crawl_id: str, event: Event, data: object) -> bytes:
    """As it lies in a stream of its crawl."""
    return orjson.dumps(
        {"id": event.id, "type": event.type, "timestamp": event.timestamp, "crawl": crawl_id, "data": data}
    )

"""A crawl as a whole: read as of one moment, and kept as it came from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson
from redis import Redis

from service.store import codec
from service.store.answers import as_kept, given_again, kept_under
from service.store.keys import STATE_FIELDS, keys_of
from service.store.owned import Owned
from service.store.reading import crawl_of, pairs
from service.store.records import Answer, Event, Idempotency, Past, Token, Whole
from service.store.scripts import Script
from service.store.writing import event_written, first_state, state_written

_READ = Script("whole", flags="no-writes")
_KEEP = Script("idempotency", "whole_new")

Argument = str | bytes | int
Command = tuple[str, str, tuple[Argument, ...]]
"""What a command is called, the key it is for, and its arguments."""


class Wholes:
    """Crawls whole. Every method may raise StoreUnavailable."""

    def __init__(self, redis: Redis, owned: Owned) -> None:
        self._redis = redis
        self._owned = owned

    def read(self, crawl_id: str, most: int, most_events: int) -> Whole:
        """The crawl, with its newest events up to about `most_events` bytes.

        Raises CrawlNotFound, and CrawlTooLarge when all but the events takes more than `most` bytes.
        """
        keys = keys_of(crawl_id)
        reply = _READ.run(
            self._redis,
            [
                *(keys.crawl, keys.declarations, keys.encounters, keys.records),
                *(keys.history, keys.redo, keys.events, keys.public_events),
            ],
            [most, most_events, *STATE_FIELDS],
        )
        _, fields, declarations, encounters, records, history, redo, events, public_events = reply
        state = dict(zip(STATE_FIELDS, fields, strict=True))
        found = (codec.ENCOUNTER.read(encounter, id=key.decode()) for key, encounter in pairs(encounters))
        return Whole(
            crawl=crawl_of(crawl_id, fields),
            declarations={key.decode(): codec.DECLARATION.read(each) for key, each in pairs(declarations)},
            encounters=tuple(sorted(found, key=lambda encounter: encounter.ordinal)),
            records=tuple(orjson.loads(record) for record in records),
            history=tuple(codec.STEP.read(step) for step in history),
            redo=tuple(codec.UNDONE.read(undone) for undone in redo),
            sequence=int(state["sequence"]),
            public_sequence=int(state["public_sequence"]),
            events=_events(events, public_events),
        )

    def keep(
        self,
        whole: Whole,
        tokens: Mapping[str, Token],
        owner: str,
        *,
        ended_at: int | None,
        idempotency: Idempotency | None,
        answer: Answer,
    ) -> Answer:
        """Keeps a crawl that is new here, and gives its answer, or the one that the same key brought before.

        `ended_at` is in ms since 1970, None for a crawl that goes on. Raises CrawlExists, IdempotencyKeyReused,
        AnswerSealed, StoreFull.
        """
        crawl = whole.crawl
        keys = keys_of(crawl.id)
        commands = [*_commands(whole, tokens, owner), *_ended(whole, ended_at)]
        names = list(dict.fromkeys([keys.crawl, *(key for _, key, _ in commands)]))
        places = {name: place for place, name in enumerate(names, 3)}
        told: list[Argument] = [*as_kept(idempotency, answer)]
        for command, key, arguments in commands:
            told += [command, places[key], len(arguments), *arguments]

        def commit() -> Answer:
            reply = _KEEP.run(self._redis, [*kept_under(keys.partition, idempotency), *names], told)
            return given_again(reply, idempotency) if idempotency and reply[0] == b"REPLAY" else answer

        kept = self._owned.begun(owner, crawl, commit)
        if owner and not kept.replayed:
            # Once more: the crawl is old, so that a reader may have taken the entry for one that leads nowhere.
            self._owned.add(owner, crawl.id, crawl.created_at)
        return kept


def _commands(whole: Whole, tokens: Mapping[str, Token], owner: str) -> Iterator[Command]:
    crawl, keys = whole.crawl, keys_of(whole.crawl.id)
    state = state_written(crawl) | first_state(crawl, owner)
    state |= {"sequence": whole.sequence, "public_sequence": whole.public_sequence}
    yield "HSET", keys.crawl, tuple(part for field in state.items() for part in field)
    for hashed, token in tokens.items():
        yield "HSET", keys.tokens, (hashed, codec.TOKEN.write(token))
    for character_id, declaration in whole.declarations.items():
        yield "HSET", keys.declarations, (character_id, codec.DECLARATION.write(declaration))
    for encounter in whole.encounters:
        yield "HSET", keys.encounters, (encounter.id, codec.ENCOUNTER.write(encounter))
        yield "ZADD", keys.encounter_order, (encounter.ordinal, encounter.id)
        if encounter.status == "pending":
            yield "ZADD", keys.encounters_pending, (encounter.ordinal, encounter.id)
    for record in whole.records:
        yield "HSET", keys.records, (record["number"], orjson.dumps(record))
    for step in whole.history:
        yield "RPUSH", keys.history, (codec.STEP.write(step),)
    for undone in whole.redo:
        yield "RPUSH", keys.redo, (codec.UNDONE.write(undone),)
    for past in whole.events:
        event = past.event
        yield "XADD", keys.events, (f"{past.sequence}-0", "e", event_written(crawl.id, event, event.data))
        if past.public_sequence is not None:
            told = event_written(crawl.id, event, event.public)
            yield "XADD", keys.public_events, (f"{past.public_sequence}-0", "e", told)


def _ended(whole: Whole, ended_at: int | None) -> Iterator[Command]:
    if ended_at is not None:
        yield "ZADD", keys_of(whole.crawl.id).ended, (ended_at, whole.crawl.id)


def _events(newest: Sequence[bytes], newest_public: Sequence[bytes]) -> tuple[Past, ...]:
    """In their order, each with what players were told of it."""
    public = {event["id"]: (sequence, event["data"]) for sequence, event in _read(newest_public)}
    events = []
    for sequence, event in _read(newest):
        public_sequence, seen = public.get(event["id"], (None, None))
        told = Event(event["id"], event["type"], event["timestamp"], event["data"], seen)
        events.append(Past(told, sequence, public_sequence))
    return tuple(reversed(events))


def _read(entries: Sequence[bytes]) -> Iterator[tuple[int, dict[str, Any]]]:
    for entry_id, told in pairs(entries):
        yield int(entry_id.partition(b"-")[0]), orjson.loads(told)

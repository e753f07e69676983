"""A crawl out of what the store holds of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from service.rules.model import Card, Crawl
from service.store import codec
from service.store.keys import STATE_FIELDS
from service.store.records import Loaded


def loaded(crawl_id: str, reply: Sequence[Any]) -> Loaded:
    """From the `OK` of `load.lua`."""
    _, fields, token, declarations, undo_depth, redo_depth, pending, pending_count, last_step, last_undone = reply
    state = dict(zip(STATE_FIELDS, fields, strict=True))
    return Loaded(
        crawl=_crawl(crawl_id, state),
        token=codec.TOKEN.read(token) if token else None,
        declarations={
            character_id.decode(): codec.DECLARATION.read(declaration)
            for character_id, declaration in pairs(declarations)
        },
        declarations_revision=int(state["revision"]),
        sequence=int(state["sequence"]),
        public_sequence=int(state["public_sequence"]),
        owner=state["owner"].decode(),
        undo_depth=undo_depth,
        redo_depth=redo_depth,
        pending=tuple(
            codec.ENCOUNTER.read(encounter, id=encounter_id.decode()) for encounter_id, encounter in pairs(pending)
        ),
        pending_count=pending_count,
        last_step=codec.STEP.read(last_step) if last_step else None,
        last_undone=codec.UNDONE.read(last_undone) if last_undone else None,
    )


def crawl_of(crawl_id: str, fields: Sequence[bytes]) -> Crawl:
    """From the values of `STATE_FIELDS`, in their order."""
    return _crawl(crawl_id, dict(zip(STATE_FIELDS, fields, strict=True)))


def _crawl(crawl_id: str, state: Mapping[str, bytes]) -> Crawl:
    return Crawl(
        id=crawl_id,
        created_at=state["created_at"].decode(),
        seed=state["seed"].decode(),
        card=_card(state["card"]),
        play=codec.PLAY.read(state["play"]),
        status=state["status"].decode(),  # type: ignore[arg-type]
        version=int(state["version"]),
    )


@lru_cache(maxsize=256)
def _card(stored: bytes) -> Card:
    """The same card for the same bytes: it seldom changes from round to round, and is the longest to read."""
    return codec.CARD.read(stored)


def pairs(flat: Sequence[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Name and value, as Redis gives a hash."""
    return zip(flat[::2], flat[1::2], strict=True)

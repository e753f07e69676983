"""Slack: a header and sections of plain text within the documented limits, in which nothing that somebody typed acts.

Limits: 50 blocks, header 150, section 3000, 10 fields of 2000 characters; none empty. A card keeps them by its making.
Blocks are plain text throughout; `text`, which notifications show, is told to be none of Slack's markup.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from service.render.cards import Card, card
from service.render.rows import Row
from service.render.words import plain
from service.rules.model import Audience

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_ACTING = frozenset("@#:.*_~`")
"""What mentions, links, emoji and emphasis are made of: it is kept apart from what follows."""
_BREAK = "\u200b"
_SHORT = 40
"""Characters of a row that stands in a column."""


def message(event: Mapping[str, Any], audience: Audience) -> dict[str, Any]:
    """An incoming webhook's body for an event as `audience` may see it."""
    told = card(event["type"], event["data"], audience, escape)
    return {
        "text": "; ".join(
            [f"{told.title} – {told.sentence}", *(value for label, value in told.rows if label == "News")]
        ),
        "mrkdwn": False,
        "blocks": list(_blocks(told)),
        "unfurl_links": False,
        "unfurl_media": False,
    }


def escape(words: str) -> str:
    """On one line, shortened, with control characters as entities, and mentions, links and emphasis broken."""
    return "".join(
        f"{letter}{_BREAK}" if letter in _ACTING else _ENTITIES.get(letter, letter) for letter in plain(words)
    )


def _blocks(told: Card) -> Iterator[dict[str, Any]]:
    yield {"type": "header", "text": _text(told.title)}
    yield {"type": "section", "text": _text(told.sentence)}
    short = [row for row in told.rows if _is_short(row)]
    for row in told.rows:
        if not _is_short(row):
            yield {"type": "section", "text": _text(": ".join(row))}
    if short:
        yield {"type": "section", "fields": [_text("\n".join(row)) for row in short]}


def _is_short(row: Row) -> bool:
    return len(row[1]) < _SHORT


def _text(words: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": words, "emoji": False}

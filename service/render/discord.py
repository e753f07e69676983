"""Discord: one embed within the documented limits, that pings nobody and holds no markup of anybody's.

Limits: title 256, description 4096, 25 fields of name 256 and value 1024, none empty, 6000 characters in all. A card
keeps them by its making.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from service.render.cards import Card, card
from service.render.words import plain
from service.rules.model import Audience

_MARKUP = frozenset("\\`*_~|>#[]()<-")
_BREAK = "\u200b"
_INLINE = 40
"""Characters of a value that stands beside others in a line."""
_COLOURS = {
    "crawl": 0x5D6D7E,
    "round": 0x3498DB,
    "encounter": 0xC0392B,
    "alert": 0xE67E22,
    "timer": 0xF1C40F,
    "declaration": 0x27AE60,
}
_OTHER_COLOUR = 0x95A5A6


def render(body: Mapping[str, Any]) -> dict[str, Any]:
    """A webhook's body for an outcome; it tells what `body` tells, so give it the players' for a channel of theirs."""
    return _message(_embed(card("round.resolved", {"round": body}, "public", escape)))


def message(event: Mapping[str, Any], audience: Audience) -> dict[str, Any]:
    """A webhook's body for an event as `audience` may see it, with the event's time and its kind's colour."""
    embed = _embed(card(event["type"], event["data"], audience, escape))
    colour = _COLOURS.get(event["type"].partition(".")[0], _OTHER_COLOUR)
    return _message(embed | {"color": colour, "timestamp": event["timestamp"]})


def escape(words: str) -> str:
    """On one line, shortened, with markup backslashed, mentions broken and addresses kept from becoming links."""
    marked = "".join(f"\\{letter}" if letter in _MARKUP else letter for letter in plain(words))
    return marked.replace("@", f"@{_BREAK}").replace(":", f":{_BREAK}")


def _message(embed: dict[str, Any]) -> dict[str, Any]:
    return {"embeds": [embed], "allowed_mentions": {"parse": []}}


def _embed(told: Card) -> dict[str, Any]:
    return {
        "title": told.title,
        "description": told.sentence,
        "fields": [{"name": label, "value": value, "inline": len(value) < _INLINE} for label, value in told.rows],
    }

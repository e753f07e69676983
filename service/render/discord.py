"""Discord: one embed within the documented limits, that pings nobody and holds no markup of anybody's.

Limits: title 256, description 4096, 25 fields of name 256 and value 1024, 6000 characters in all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from service.render.rows import rows_for_players
from service.render.words import plain, title

_VALUE = 1024
_MARKUP = frozenset("\\`*_~|>#[]()<-")
_BREAK = "\u200b"


def render(body: Mapping[str, Any]) -> dict[str, Any]:
    """A webhook's body for an outcome; it tells what `body` tells, so give it the players' for a channel of theirs."""
    rows = list(rows_for_players(body, escape, _VALUE))
    (_, what), *others = rows
    return {
        "embeds": [
            {
                "title": title(body),
                "description": what,
                "fields": [{"name": label, "value": value, "inline": len(value) < 40} for label, value in others],
            }
        ],
        "allowed_mentions": {"parse": []},
    }


def escape(words: str) -> str:
    """On one line, shortened, with markup backslashed, mentions broken and addresses kept from becoming links."""
    marked = "".join(f"\\{letter}" if letter in _MARKUP else letter for letter in plain(words))
    return marked.replace("@", f"@{_BREAK}").replace(":", f":{_BREAK}")

"""Roll20: one line of chat in the default roll template, ready to paste; the GM's as a whisper to the GM.

Chat text is a macro there: `[[…]]` rolls, `@{…}`, `%{…}`, `?{…}` and `#name` look things up, a line's first `/` or `!`
is a command. So of what somebody typed only letters, digits and a few marks stay as they are; the rest become entities,
which Roll20 shows as the characters that they stand for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from service.render.rows import Row, rows_for_gm, rows_for_players
from service.render.words import plain, title

_HARMLESS = frozenset(" .,;-–…")
_VALUE = 2000


def render(told: Mapping[str, Any], public: Mapping[str, Any]) -> dict[str, str]:
    """{public, gm}: one line each."""
    rows = (*rows_for_players(told, escape, _VALUE), *rows_for_gm(told, escape, _VALUE))
    return {"public": for_players(public), "gm": f"/w gm {_template(title(told), rows)}"}


def for_players(public: Mapping[str, Any]) -> str:
    """The line that everybody may read."""
    return _template(title(public), rows_for_players(public, escape, _VALUE))


def escape(words: str) -> str:
    """On one line, shortened, with every character that Roll20 could act on as an entity."""
    return "".join(
        letter if letter.isalnum() or letter in _HARMLESS else f"&#{ord(letter)};" for letter in plain(words)
    )


def _template(name: str, rows: Iterable[Row]) -> str:
    cells = " ".join(f"{{{{{label}={value}}}}}" for label, value in rows)
    return f"&{{template:default}} {{{{name={name}}}}} {cells}"

"""Any event as a card for a chat, in words that whoever reads the channel may read.

What a card holds of anybody's words has passed the platform's `clean`; its title holds none at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from service.render import asides, tellings
from service.render.rows import Row
from service.render.words import Clean, capital
from service.rules.model import Audience


@dataclass(frozen=True, slots=True)
class Card:
    """A title, a sentence without its full stop, and rows of a label and a value; none of them is empty.

    A row is at most 1000 characters long, the sentence far less.
    """

    title: str
    sentence: str
    rows: tuple[Row, ...]


def card(kind: str, data: Mapping[str, Any], audience: Audience, clean: Clean) -> Card:
    """The event of type `kind`, whose `data` is what `audience` may see. Only the GM's card holds asides."""
    title, sentence = tellings.telling(kind, data, clean)
    rows = [*tellings.rows(kind, data, clean)]
    if audience == "gm":
        rows += asides.rows(kind, data, clean)
    return Card(title, capital(sentence), tuple(rows))

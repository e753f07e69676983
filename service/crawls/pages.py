"""Bodies that many use cases answer with: a page of a list, and the crawl with what was made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from service.crawls.entering import Entered
from service.crawls.tags import body_etag, player_etag, version_etag
from service.sight.crawl import Standing, crawl_for_gm
from service.store.errors import BadCursor
from service.store.records import Answer

PAGE = 50
"""How many entries a page has when nobody says."""


def page(
    entered: Entered, plural: str, entries: Sequence[Mapping[str, Any]], cursor: int | str | None = None
) -> Answer:
    """`{plural: entries, "next": cursor}`; the cursor is what `after` takes for what follows, null on the last page."""
    body = {plural: list(entries), "next": cursor}
    return Answer(200, body, body_etag(body) if entered.is_gm else player_etag(body))


def cut(
    entries: Sequence[Mapping[str, Any]], named: str, after: str | None, limit: int
) -> tuple[Sequence[Mapping[str, Any]], str | None]:
    """The page behind the entry whose `named` field is `after`, of a list that is all at hand, and its `next`.

    Raises the store's BadCursor when no entry is named so (any more).
    """
    names = [entry[named] for entry in entries]
    if after is not None and after not in names:
        raise BadCursor
    begin = 0 if after is None else names.index(after) + 1
    end = begin + limit
    return entries[begin:end], names[end - 1] if end < len(names) else None


def crawl_answer(standing: Standing, **made: Any) -> Answer:
    """200 with the crawl for its GM, and beside its keys what was made."""
    return Answer(200, crawl_for_gm(standing) | made, version_etag(standing.crawl))

"""Bodies that many use cases answer with: a page of a list, and the crawl with what was made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from service.crawls.entering import Entered
from service.crawls.tags import body_etag, player_etag, version_etag
from service.sight.crawl import Standing, crawl_for_gm
from service.store.records import Answer


def page(
    entered: Entered, plural: str, entries: Sequence[Mapping[str, Any]], cursor: int | str | None = None
) -> Answer:
    """`{plural: entries, "next": cursor}`; the cursor is what `after` takes for what follows, null on the last page."""
    body = {plural: list(entries), "next": cursor}
    return Answer(200, body, body_etag(body) if entered.is_gm else player_etag(body))


def crawl_answer(standing: Standing, **made: Any) -> Answer:
    """200 with the crawl for its GM, and beside its keys what was made."""
    return Answer(200, crawl_for_gm(standing) | made, version_etag(standing.crawl))

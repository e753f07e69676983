"""How a crawl stands, as it was read and as a change leaves it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from service.rules.model import Crawl, Encounter
from service.sight.crawl import Standing
from service.store.crawls import NEWEST_PENDING, CrawlStore
from service.store.records import Loaded

_PAGE = 200


def standing_of(loaded: Loaded) -> Standing:
    """As it was read, with `pending`."""
    return Standing(loaded.crawl, loaded.pending, loaded.pending_count, loaded.undo_depth, loaded.redo_depth)


def standing_after(
    store: CrawlStore,
    loaded: Loaded,
    crawl: Crawl,
    *,
    encounters: Mapping[str, Encounter | None] | None = None,
    undo_depth: int | None = None,
    redo_depth: int | None = None,
) -> Standing:
    """As a change leaves it. `encounters` are those it touches, None for one that it forgets."""
    pending, count = _pending_after(store, loaded, encounters or {})
    return Standing(
        crawl,
        pending,
        count,
        loaded.undo_depth if undo_depth is None else undo_depth,
        loaded.redo_depth if redo_depth is None else redo_depth,
    )


def _pending_after(
    store: CrawlStore, loaded: Loaded, touched: Mapping[str, Encounter | None]
) -> tuple[tuple[Encounter, ...], int]:
    known: Mapping[str, Encounter] = {encounter.id: encounter for encounter in loaded.pending}
    if loaded.pending_count > len(known) and not touched.keys().isdisjoint(known):
        # One of the newest may go, and another moves up that was not read.
        known = {encounter.id: encounter for encounter in _all_pending(store, loaded.crawl.id)}
    pending_now = [encounter for encounter in touched.values() if encounter and encounter.status == "pending"]
    left = [encounter for encounter in known.values() if encounter.id not in touched]
    ordered = sorted([*left, *pending_now], key=lambda encounter: -encounter.ordinal)
    count = max(loaded.pending_count - (len(known) - len(left)) + len(pending_now), len(ordered))
    return tuple(ordered[:NEWEST_PENDING]), count


def _all_pending(store: CrawlStore, crawl_id: str) -> Iterator[Encounter]:
    after = -1
    while page := store.encounters(crawl_id, after, _PAGE):
        yield from (encounter for encounter in page if encounter.status == "pending")
        after = page[-1].ordinal

"""What has happened, to be read again."""

from __future__ import annotations

from service.crawls.entering import Entered
from service.crawls.pages import page
from service.store.records import Answer


def list_events(entered: Entered, after: int, limit: int) -> Answer:
    """The events behind sequence `after`. GM and player; each has a gapless sequence of its own.

    Raises the store's EventsTrimmed (`earliest`) when the first of them is no longer kept.
    """
    found = entered.store.events(entered.crawl.id, after, limit, public=not entered.is_gm)
    return page(entered, "events", found.events, found.events[-1]["sequence"] if found.more else None)

"""Events, to be read again."""

from __future__ import annotations

from service.api.query import AFTER_NUMBER, LIMIT
from service.api.routes import EVERYONE, Asked, InCrawl, Routes
from service.api.schemas.answers.others import EventPage
from service.crawls import events
from service.crawls.entering import Entered
from service.store.records import Answer

routes = Routes("Events", "All that happened, in a sequence without gaps; players have a sequence of their own.")


@routes.crawl(
    "GET",
    "/events",
    "listEvents",
    "List events",
    InCrawl(EVERYONE),
    query=(AFTER_NUMBER, LIMIT),
    answers={200: EventPage},
    refuses=("events_trimmed",),
)
def list_(entered: Entered, asked: Asked) -> Answer:
    """Those behind the sequence `after`. 410 with `earliest` when the first of them is no longer kept."""
    return events.list_events(entered, asked.query["after"], asked.query["limit"])

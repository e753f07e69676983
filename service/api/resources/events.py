"""Events, to be read again."""

from __future__ import annotations

from service.api.query import AFTER_NUMBER, AFTER_SEQUENCE, LAST_EVENT_ID, LIMIT
from service.api.routes import EVERYONE, Asked, Body, InCrawl, Routes, Written
from service.api.schemas.answers.others import EventPage, Ticket
from service.api.schemas.crawls import Nothing
from service.api.streams import EXAMPLE, MEDIA_TYPE
from service.crawls import events
from service.crawls.entering import Entered
from service.crawls.streaming import Stream
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


@routes.crawl(
    "GET",
    "/events/stream",
    "streamEvents",
    "Stream events",
    InCrawl(EVERYONE, ticket=True),
    query=(LAST_EVENT_ID, AFTER_SEQUENCE),
    answers={200: Written(MEDIA_TYPE, EXAMPLE)},
    refuses=("too_many_streams",),
)
def stream(entered: Entered, asked: Asked) -> Stream:
    """Server-sent events: `id` is the sequence, `event` the type, `data` the event as the list shows it. A comment
    comes every 15 s. When what is asked for is no longer kept, a `reset` with {earliest, sequence} comes first: read
    the crawl again. Whoever takes nothing for 20 s is hung up on; come back with Last-Event-ID."""
    after = asked.query["Last-Event-ID"]
    return asked.service.hub.open(entered, asked.query["after"] if after is None else after)


@routes.crawl(
    "POST",
    "/events/ticket",
    "makeTicket",
    "Get a ticket to the stream",
    InCrawl(EVERYONE, reads=True),
    body=Body(Nothing(), optional=True),
    answers={201: Ticket},
)
def ticket(entered: Entered, asked: Asked) -> Answer:
    """For EventSource, which sends no headers: …/events/stream?ticket=TICKET opens the stream once, within a minute, as
    the token that asked would. An Idempotency-Key changes nothing: each call gives another."""
    return events.make_ticket(entered)

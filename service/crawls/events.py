"""What has happened, to be read again."""

from __future__ import annotations

from service.crawls.entering import Entered
from service.crawls.naming import hashed, new_ticket
from service.crawls.pages import page
from service.store.records import Answer
from service.store.tickets import TICKET_SECONDS


def list_events(entered: Entered, after: int, limit: int) -> Answer:
    """The events behind sequence `after`. GM and player; each has a gapless sequence of its own.

    Raises the store's EventsTrimmed (`earliest`) when the first of them is no longer kept.
    """
    found = entered.store.events(entered.crawl.id, after, limit, public=not entered.is_gm)
    return page(entered, "events", found.events, found.events[-1]["sequence"] if found.more else None)


def make_ticket(entered: Entered) -> Answer:
    """A ticket to the crawl's stream, good once: 201 with {ticket, expires_in}. GM and player.

    It is kept under no idempotency key: whoever did not receive one asks for another.
    """
    ticket = new_ticket()
    entered.store.tickets.keep(entered.crawl.id, hashed(ticket), entered.asking.token_hash or "")
    return Answer(201, {"ticket": ticket, "expires_in": TICKET_SECONDS})

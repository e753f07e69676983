"""Crawls: started, listed, read, changed, paused, ended, forgotten."""

from __future__ import annotations

from service.api.query import AFTER_CURSOR, LIMIT
from service.api.routes import EVERYONE, Asked, AtInstance, Body, Caller, InCrawl, Routes
from service.api.schemas.answers.crawl import Crawl, CrawlPage, CrawlStarted
from service.api.schemas.crawls import CrawlChange, CrawlStart, Nothing
from service.crawls import cards, reading, starting
from service.crawls.entering import Entered
from service.store.records import Answer

routes = Routes("Crawls", "The expeditions that are kept.")

_GM = InCrawl(("gm",), pending=True)
_NOTHING = Body(Nothing(), optional=True)


@routes.instance(
    "POST",
    "/v1/crawls",
    "startCrawl",
    "Start a crawl",
    AtInstance("registration"),
    body=Body(CrawlStart()),
    answers={201: CrawlStarted},
    refuses=("answer_sealed", "illegal_crawl"),
)
def start(caller: Caller, asked: Asked) -> Answer:
    """The answer holds the crawl's two tokens, this once. It takes an instance key unless registration is open."""
    return starting.start_crawl(asked.service.store, caller.idempotency, caller.owner, asked.body, asked.service.now)


@routes.instance(
    "GET",
    "/v1/crawls",
    "listCrawls",
    "List the crawls started with this key",
    AtInstance("always"),
    query=(LIMIT, AFTER_CURSOR),
    answers={200: CrawlPage},
)
def list_(caller: Caller, asked: Asked) -> Answer:
    """Newest first."""
    return starting.list_crawls(asked.service.store, caller.owner, asked.query["after"], asked.query["limit"])


@routes.crawl("GET", "", "getCrawl", "Read a crawl", InCrawl(EVERYONE, pending=True), answers={200: Crawl})
def get(entered: Entered, asked: Asked) -> Answer:
    """The GM reads all of it but the seed, which is shown once the crawl has ended; players what is theirs to see."""
    return reading.get_crawl(entered)


@routes.crawl(
    "PATCH",
    "",
    "changeCrawl",
    "Change a crawl's card",
    _GM,
    body=Body(CrawlChange(), patch=True),
    answers={200: Crawl},
    refuses=("illegal_status", "illegal_entry_card"),
)
def change(entered: Entered, asked: Asked) -> Answer:
    """A JSON merge patch (RFC 7396). Marching order, light bearers, check interval and default activities are locked
    by the first round; `unlock: true` opens them."""
    changes = dict(asked.body)
    return cards.change_card(entered, changes, changes.pop("unlock", False))


@routes.crawl("DELETE", "", "deleteCrawl", "Forget a crawl", _GM, answers={204: None})
def delete(entered: Entered, asked: Asked) -> Answer:
    """With its rounds, events, tokens and webhooks, for good."""
    return cards.delete(entered)


_STATUS = {"body": _NOTHING, "answers": {200: Crawl}, "refuses": ("illegal_status",)}


@routes.crawl("POST", "/pause", "pauseCrawl", "Pause a crawl", _GM, **_STATUS)
def pause(entered: Entered, asked: Asked) -> Answer:
    """No round is taken until it is resumed."""
    return cards.pause(entered)


@routes.crawl("POST", "/resume", "resumeCrawl", "Resume a crawl", _GM, **_STATUS)
def resume(entered: Entered, asked: Asked) -> Answer:
    """Rounds may go on."""
    return cards.resume(entered)


@routes.crawl("POST", "/end", "endCrawl", "End a crawl", _GM, **_STATUS)
def end(entered: Entered, asked: Asked) -> Answer:
    """For good: from now on the seed is shown, so that every die can be verified."""
    return cards.end(entered)

"""Export and import: a crawl in one document, to keep it or to move it."""

from __future__ import annotations

from service.api.routes import Asked, AtInstance, Body, Caller, InCrawl, Routes
from service.api.schemas.answers.crawl import CrawlStarted
from service.api.schemas.kept import KEPT, CrawlKept
from service.crawls import keeping
from service.crawls.entering import Entered
from service.store.records import Answer

routes = Routes("Keeping", "A crawl in one document: a copy to keep, or the way to another instance.")


@routes.crawl(
    "GET",
    "/export",
    "exportCrawl",
    "Export a crawl",
    InCrawl(("gm",)),
    answers={200: CrawlKept},
    refuses=("illegal_export",),
)
def export(entered: Entered, asked: Asked) -> Answer:
    """All that it is, with what undo takes back; no tokens, no webhooks. The seed is in it once the crawl has ended:
    then `alarum verify` counts every die off again. Before, there is its commitment alone, and an import draws a new
    seed. As many of the newest events are in it as fit into what an import takes."""
    return keeping.export_crawl(entered)


@routes.instance(
    "POST",
    "/v1/crawls/import",
    "importCrawl",
    "Import a crawl",
    AtInstance("registration"),
    body=Body(KEPT, most=keeping.MOST_BYTES),
    answers={201: CrawlStarted},
    refuses=("answer_sealed", "illegal_crawl"),
)
def import_(caller: Caller, asked: Asked) -> Answer:
    """A new crawl with tokens of its own that goes on where the export ends: version and sequences rise by one, and
    the event is a `crawl.changed` that names `imported`. When the export has no seed, the dice from here on come from
    a new one, and the steps so far keep the commitment of theirs; the old instance can still show that seed, by ending
    the crawl there."""
    return keeping.import_crawl(asked.service.store, caller.idempotency, caller.owner, asked.body, asked.service.now)

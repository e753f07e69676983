"""Crawls that ended long ago are forgotten, where the operator wants it: never one that is active or paused.

They are looked for rather than left to expire key by key: what goes with a crawl (webhooks with their queues, the entry
in its owner's list) has no key of the crawl's own, so it goes through the one script that forgets a crawl. That script
asks again whether the crawl has ended, and when; so nothing that stands elsewhere can cost a crawl that is played.
"""

from __future__ import annotations

import logging
import time

from service.store.crawls import CrawlStore
from service.store.errors import CrawlNotFound, StaleCrawl, StoreError
from service.store.keys import PARTITIONS

EVERY_SECONDS = 3600.0

log = logging.getLogger("alarum.worker")


def forget_regularly(store: CrawlStore, days: int) -> None:
    """Every hour, for good. A store that is away is asked again then."""
    while True:
        try:
            forgotten = forget_ended(store, days)
            if forgotten:
                log.info("forgot %d crawls that had ended %d days ago", forgotten, days)
        except StoreError as error:
            log.warning("crawls that have ended are not forgotten now: %s", type(error).__name__)
        time.sleep(EVERY_SECONDS)


def forget_ended(store: CrawlStore, days: int) -> int:
    """Forgets every crawl that ended so many days ago or earlier; says how many. Raises StoreUnavailable."""
    forgotten = 0
    for partition in range(PARTITIONS):
        by, crawl_ids = store.ended(partition, days)
        for crawl_id in crawl_ids:
            try:
                store.delete(crawl_id, ended_by=by)
                forgotten += 1
            except (CrawlNotFound, StaleCrawl):  # somebody else was here first
                continue
    return forgotten

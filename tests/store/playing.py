"""A table that plays on, whatever happens to its store."""

from __future__ import annotations

from service.store.crawls import CrawlStore
from service.store.errors import StaleCrawl, StoreUnavailable
from service.store.records import Answer, Loaded
from tests.store.changes import CRAWL, GM, a_key, a_round, an_answer


def read(store: CrawlStore, crawl_id: str = CRAWL) -> Loaded:
    found = store.load(crawl_id, GM)
    assert isinstance(found, Loaded)
    return found


def play_a_round(store: CrawlStore, key: str, crawl_id: str = CRAWL) -> Answer:
    """As a patient client does it: again with the same key, until there is an answer."""
    while True:
        try:
            found = store.load(crawl_id, GM, idempotency=a_key(key))
            if isinstance(found, Answer):
                return found
            answer = store.commit(a_round(found, idempotency=a_key(key), answer=an_answer(found.crawl.play.rounds + 1)))
            assert answer is not None
            return answer
        except (StaleCrawl, StoreUnavailable):
            continue

"""The change loop: decide on what was read, commit, and begin again when somebody was faster."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import replace

from service.crawls.entering import Entered
from service.crawls.errors import Contention
from service.rules.card import verify_active
from service.rules.model import Crawl
from service.store.errors import StaleCrawl
from service.store.records import Answer, Change
from service.watching.figures import CONFLICTS, CONTENTIONS

REPEATS = 5
"""How often a change that collided is read and decided again."""
APART = 0.002
"""Seconds within which it is begun again after the first collision, twice as many after each further one."""


def change(entered: Entered, decide: Callable[[Entered], Change], *, active: bool = True) -> Answer:
    """The answer of the change that `decide` makes of the crawl as it stands, once it is kept.

    Raises StaleCrawl when If-Match does not hold, IllegalStatus unless the crawl is active (where `active` asks for
    that), Contention after five collisions, and what `decide` raises.
    """
    for collisions in range(1 + REPEATS):
        entered.verify_match()
        if active:
            verify_active(entered.crawl)
        decided = decide(entered)
        try:
            kept = entered.store.commit(decided)
        except StaleCrawl:
            keep_apart(collisions)
            anew = entered.again()
            if isinstance(anew, Answer):
                return anew
            entered = anew
            continue
        assert kept is not None, "a change carries its answer"  # noqa: S101
        return kept
    CONTENTIONS.inc()
    raise Contention


def keep_apart(collisions: int) -> None:
    """Waits for moments after so many collisions before: those who collided must not come again together."""
    CONFLICTS.inc()
    time.sleep(random.uniform(0.0, APART * 2**collisions))


def following(entered: Entered, crawl: Crawl) -> Crawl:
    """`crawl` as the version that follows the one that was read."""
    return replace(crawl, version=entered.crawl.version + 1)

"""Deliveries outlive the node that they waited at."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from service.store.errors import StoreUnavailable
from service.store.opening import open_store
from service.store.outbox import Outbox
from service.worker.loop import Worker
from tests.store.clusters import cluster
from tests.webhooks.telling import LOOPBACK, add, eventually, hook, start, tell


def test_what_waits_is_sent_after_a_failover_and_so_is_what_comes(tmp_path: Path, receiver: Callable[..., Any]) -> None:
    there = receiver(204)
    with cluster(tmp_path, replicas=3, **{"cluster-replica-validity-factor": "0"}) as nodes:
        store = open_store(nodes.url)
        crawl = start(store)
        add(store, crawl, hook(there.url))
        tell(store, crawl, "waits")
        home = nodes.owner_of(crawl)
        home.redis.wait(1, 5_000)
        home.kill()
        worker = Worker(Outbox(store.redis), LOOPBACK)
        sending = threading.Thread(target=worker.run)
        sending.start()
        try:
            there.wait_for(1)

            def tells() -> bool:
                try:
                    tell(store, crawl, "comes")
                except StoreUnavailable:
                    return False
                return True

            eventually(tells)
            there.wait_for(2)
        finally:
            worker.stop()
            sending.join(20)
            store.redis.close()

"""The sending process, wired: takes events out of the outbox and delivers them to webhooks until it is told to stop."""

from __future__ import annotations

import logging
import signal
import threading

from service.store.opening import open_store
from service.store.outbox import Outbox
from service.webhooks.addresses import Networks
from service.worker.forgetting import forget_regularly
from service.worker.loop import SENDERS, Worker


def run(store_url: str, allow: Networks, *, senders: int = SENDERS, expire_ended_days: int | None = None) -> None:
    """Delivers until SIGTERM or SIGINT; `allow` are the networks that the operator opens. The store may come and go.

    With `expire_ended_days`, crawls that ended so long ago are forgotten.
    """
    store = open_store(store_url)
    worker = Worker(Outbox(store.redis), allow, senders=senders)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: worker.stop())
    if expire_ended_days is not None:
        threading.Thread(target=forget_regularly, args=(store, expire_ended_days), daemon=True).start()
    log = logging.getLogger("alarum.worker")
    log.info("delivering webhooks")
    worker.run()
    log.info("stopped")

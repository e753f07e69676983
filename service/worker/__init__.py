"""The sending process, wired: takes events out of the outbox and delivers them to webhooks until it is told to stop."""

from __future__ import annotations

import logging
import signal

from service.store.opening import open_store
from service.store.outbox import Outbox
from service.webhooks.addresses import Networks
from service.worker.loop import SENDERS, Worker


def run(store_url: str, allow: Networks, *, senders: int = SENDERS) -> None:
    """Delivers until SIGTERM or SIGINT; `allow` are the networks that the operator opens. The store may come and go."""
    worker = Worker(Outbox(open_store(store_url).redis), allow, senders=senders)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: worker.stop())
    log = logging.getLogger("alarum.worker")
    log.info("delivering webhooks")
    worker.run()
    log.info("stopped")

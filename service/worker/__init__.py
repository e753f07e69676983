"""The sending process, wired: takes events out of the outbox and delivers them to webhooks until it is told to stop."""

from __future__ import annotations

import logging
import signal
import threading

from prometheus_client import start_http_server

from service.settings import Settings
from service.store.opening import open_store
from service.store.outbox import Outbox
from service.watching import traces_of
from service.watching.figures import PROCESSES, collected
from service.webhooks import client
from service.worker.forgetting import forget_regularly
from service.worker.loop import SENDERS, Worker

log = logging.getLogger("alarum.worker")


def run(store_url: str, settings: Settings, *, senders: int = SENDERS) -> None:
    """Delivers until SIGTERM or SIGINT, and forgets crawls that ended long ago where the operator says so. The store
    may come and go."""
    store = open_store(store_url)
    traces = traces_of("worker") if settings.traces else None
    send = traces.of_send(client.send) if traces else client.send
    worker = Worker(Outbox(store.redis), settings.webhook_allow, senders=senders, send=send)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: worker.stop())
    if settings.expire_ended_days is not None:
        forgetting = (store, settings.expire_ended_days)
        threading.Thread(target=forget_regularly, args=forgetting, daemon=True).start()
    PROCESSES.labels("worker").set(1)
    if settings.metrics_port is not None:
        _show_figures(settings.host, settings.metrics_port)
    log.info("delivering webhooks")
    worker.run()
    log.info("stopped")


def _show_figures(host: str, port: int) -> None:
    try:
        start_http_server(port, host, collected())
    except OSError as error:  # better to deliver unseen than not at all
        log.warning("The figures cannot be shown at port %d: %s.", port, error.strerror)

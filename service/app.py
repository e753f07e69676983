"""The web process, wired: settings and store in, a WSGI application out."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial

from flask import Flask

from service.api.assembly import assemble
from service.api.limits import Limiter
from service.api.routes import Service
from service.api.streams import frame
from service.crawls.entering import Now
from service.crawls.streaming import Hub, Pace
from service.settings import Settings
from service.store.crawls import CrawlStore
from service.store.opening import open_store
from service.watching import traces_of
from service.watching.figures import PROCESSES
from service.webhooks.client import send


def create_app(
    settings: Settings, store: CrawlStore | None = None, now: Now | None = None, pace: Pace | None = None
) -> Flask:
    """An application over the store given, else over the one that the settings name.

    To be called after forking: connections are not shared between processes.
    """
    PROCESSES.labels("web").set(1)
    if store is None:
        if settings.redis is None:
            raise ValueError("The web process needs a store: set ALARUM_REDIS, or let `alarum serve` start one.")
        store = open_store(settings.redis)
    traces = traces_of("web") if settings.traces else None
    if traces:
        for name in ("load", "commit"):
            setattr(store, name, traces.of_store(name, getattr(store, name)))
    service = Service(
        store=store,
        hub=Hub(store, frame, pace or Pace()),
        now=now or partial(datetime.now, UTC),
        send=partial(send, allow=settings.webhook_allow),
        webhook_allow=settings.webhook_allow,
        limiter=Limiter(settings.requests_per_minute),
        public_url=settings.public_url,
        open_registration=settings.registration == "open",
        open_figures=settings.loopback_only,
        figures_token=settings.metrics_token,
        counts_failures=not settings.loopback_only,
        strict=settings.strict,
    )
    return assemble(service, prefix=settings.prefix, proxies=settings.proxies, traces=traces)

"""The instance itself: where to look, and whether it is well."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client.metrics_core import GaugeMetricFamily, Metric

from service import __version__
from service.api.problems import NotReady
from service.api.routes import Asked, AtInstance, Caller, Routes, Text, Written
from service.api.schemas.answers.others import Alive, Index, Ready
from service.store.durability import durability
from service.store.errors import StoreError
from service.store.outbox import Outbox
from service.store.records import Answer
from service.watching.figures import MEDIA_TYPE, exposition

routes = Routes("Instance", "The instance itself.")

_OPEN = AtInstance("never")
_STORE_UP = "Whether the store answers."
_EXAMPLE = """\
# HELP alarum_rounds_total Rounds kept.
# TYPE alarum_rounds_total counter
alarum_rounds_total{kind="travel"} 42.0
"""


@routes.instance("GET", "/", "getIndex", "What this is", _OPEN, answers={200: Index})
def index(caller: Caller, asked: Asked) -> Answer:
    """Where the reference lies, relative to this address."""
    return Answer(200, {"name": "Alarum", "version": __version__, "docs": "docs", "openapi": "openapi.json"})


@routes.instance("GET", "/alive", "getAlive", "Whether the process answers", _OPEN, answers={200: Alive})
def alive(caller: Caller, asked: Asked) -> Answer:
    """Asks nothing of the store."""
    return Answer(200, {"status": "alive"})


@routes.instance("GET", "/ready", "getReady", "Whether crawls can be kept", _OPEN, answers={200: Ready})
def ready(caller: Caller, asked: Asked) -> Answer:
    """Whether the store answers, and what in its settings could lose rounds. 503 when it does not answer, or when the
    operator asked to be strict about those settings."""
    findings = durability(asked.service.store.redis)
    grave = [finding.detail for finding in findings if finding.grave]
    if asked.service.strict and grave:
        raise NotReady(" ".join(grave))
    told = [{"grave": finding.grave, "detail": finding.detail} for finding in findings]
    return Answer(200, {"status": "ready", "findings": told})


@routes.instance(
    "GET",
    "/metrics",
    "getMetrics",
    "How the service fares, in figures",
    AtInstance("figures"),
    answers={200: Written("text/plain", _EXAMPLE)},
)
def metrics(caller: Caller, asked: Asked) -> Text:
    """For Prometheus: requests, rounds, streams, webhooks and processes, summed over the processes of this instance.
    Figures that are read from the store are left out while it does not answer. Open to all where the service listens on
    its own machine only; elsewhere to whoever sends the token that the operator has set, if one is set."""
    return Text(exposition(_stored(Outbox(asked.service.store.redis))), MEDIA_TYPE)


def _stored(outbox: Outbox) -> Iterator[Metric]:
    try:
        depth = outbox.depth()
    except StoreError:
        yield GaugeMetricFamily("alarum_store_up", _STORE_UP, 0)
        return
    yield GaugeMetricFamily("alarum_store_up", _STORE_UP, 1)
    yield GaugeMetricFamily("alarum_outbox_events", "Events of which no deliveries were made yet.", depth.events)
    yield GaugeMetricFamily(
        "alarum_deliveries_waiting", "Deliveries to active webhooks, due now or later.", depth.deliveries
    )
    yield GaugeMetricFamily("alarum_webhooks_waiting", "Active webhooks with deliveries.", depth.webhooks)

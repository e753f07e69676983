"""The instance itself: where to look, and whether it is well."""

from __future__ import annotations

from service import __version__
from service.api.problems import NotReady
from service.api.routes import Asked, AtInstance, Caller, Routes
from service.api.schemas.answers.others import Alive, Index, Ready
from service.store.durability import durability
from service.store.records import Answer

routes = Routes("Instance", "The instance itself.")

_OPEN = AtInstance("never")


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

"""What is noted of each request: figures, and in the log its id and, if asked for, a line. Never what was sent."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from time import perf_counter
from typing import TYPE_CHECKING

from flask import Request

from service.watching import figures, logs

if TYPE_CHECKING:
    from service.watching.tracing import Traces

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

log = logging.getLogger("alarum.access")


@dataclass(frozen=True, slots=True)
class Noted:
    """A request that has begun."""

    operation: str
    told: logs.Request
    begun: float
    end_span: Callable[[int], None] | None


def begin(request: Request, request_id: str, traces: Traces | None) -> Noted:
    """From now on the request is timed, and the log names it."""
    method, rule = request.method, request.url_rule
    told = logs.Request(request_id, method if method in METHODS else "other", _written(rule.rule) if rule else "none")
    logs.REQUEST.set(told)
    end_span = traces.begin_request(*told[1:], request.headers.get("traceparent")) if traces else None
    return Noted(rule.endpoint if rule else "none", told, perf_counter(), end_span)


def end(noted: Noted, status: int) -> None:
    """Counts a request that is answered."""
    seconds = perf_counter() - noted.begun
    if noted.end_span:
        noted.end_span(status)
    figures.count_request(noted.operation, noted.told.method, status, seconds)
    if log.isEnabledFor(logging.INFO):
        more = {"status": status, "milliseconds": round(seconds * 1000, 1)}
        log.info("%s %s %d %.1f ms", *noted.told[1:], status, seconds * 1000, extra={"more": more})


def leave(error: BaseException | None) -> None:
    """What is logged from now on is of no request."""
    logs.REQUEST.set(None)


@lru_cache(maxsize=256)
def _written(rule: str) -> str:
    """The path as the reference writes it; what stands in one that is no route's is not repeated."""
    return re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule)

"""Spans for OpenTelemetry. Imported only where the operator names a collector, with what `alarum[otel]` installs.

They name routes, statuses and kinds of failure: no crawl, no address, nothing that was sent. Receivers of webhooks are
told of no trace.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, ParamSpec, TypeVar

from opentelemetry import context, trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

_W3C = TraceContextTextMapPropagator()

P = ParamSpec("P")
R = TypeVar("R")
Send = Callable[[str, bytes, Mapping[str, str], Any], Any]
"""(url, body, headers, allow) → a verdict with `status`, `error` and `delivered`."""


class Traces:
    """What spans are made with. The exporter, if none is given, is set up by the OTEL_… variables."""

    def __init__(self, process: str, processor: SpanProcessor | None = None) -> None:
        named = Resource.create({"service.name": f"alarum-{process}"})
        provider = TracerProvider(resource=named.merge(OTELResourceDetector().detect()))
        provider.add_span_processor(processor or BatchSpanProcessor(OTLPSpanExporter()))
        self._tracer = provider.get_tracer("alarum")

    def begin_request(self, method: str, route: str, traceparent: str | None) -> Callable[[int], None]:
        """A request's span, in the trace that its caller names, if any; to be called with the answer's status."""
        span = self._tracer.start_span(
            f"{method} {route}",
            _W3C.extract({"traceparent": traceparent or ""}),
            kind=SpanKind.SERVER,
            attributes={"http.request.method": method, "http.route": route},
        )
        token = context.attach(trace.set_span_in_context(span))

        def end(status: int) -> None:
            context.detach(token)
            span.set_attribute("http.response.status_code", status)
            if status >= 500:
                _fail(span, str(status))
            span.end()

        return end

    def of_store(self, name: str, act: Callable[P, R]) -> Callable[P, R]:
        """`act`, a round trip to the store, in a span. Of an error, that holds the class alone."""

        def spanned(*arguments: P.args, **options: P.kwargs) -> R:
            with self._client_span(f"{name} redis") as span:
                span.set_attributes({"db.system.name": "redis", "db.operation.name": name})
                try:
                    return act(*arguments, **options)
                except Exception as error:
                    _fail(span, type(error).__name__)
                    raise

        return spanned

    def of_send(self, send: Send) -> Send:
        """`send`, in a span that says what the receiver answered."""

        def spanned(url: str, body: bytes, headers: Mapping[str, str], allow: Any) -> Any:
            with self._client_span("POST") as span:
                verdict = send(url, body, headers, allow)
                span.set_attribute("http.request.method", "POST")
                if verdict.status is not None:
                    span.set_attribute("http.response.status_code", verdict.status)
                if not verdict.delivered:
                    _fail(span, verdict.error or str(verdict.status))
                return verdict

        return spanned

    def _client_span(self, name: str) -> AbstractContextManager[Span]:
        return self._tracer.start_as_current_span(
            name, kind=SpanKind.CLIENT, record_exception=False, set_status_on_exception=False
        )


def _fail(span: Span, kind: str) -> None:
    span.set_attribute("error.type", kind)
    span.set_status(Status(StatusCode.ERROR))

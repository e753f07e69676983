"""Spans of requests, round trips and deliveries, told to a collector on the loopback; without one, nothing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from service import app, watching
from service.settings import Settings, read_settings
from service.store.crawls import CrawlStore
from service.watching.tracing import Traces
from service.webhooks import addresses, client
from tests.api.talking import Api, start
from tests.cli.serving import PATIENCE, ROOT, environ, eventually, served
from tests.faults.tables import Table
from tests.webhooks.receivers import Receiver, answer

CALLER = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Callable[[], dict[str, ReadableSpan]]:
    """What was traced since it was last asked for, by name."""
    kept = InMemorySpanExporter()
    monkeypatch.setattr(app, "traces_of", lambda process: Traces(process, SimpleSpanProcessor(kept)))

    def taken() -> dict[str, ReadableSpan]:
        found = {span.name: span for span in kept.get_finished_spans()}
        kept.clear()
        return found

    return taken


def test_a_request_is_a_span_around_its_round_trips(
    store: CrawlStore, spans: Callable[[], dict[str, ReadableSpan]]
) -> None:
    crawl = start(Api(app.create_app(Settings(traces=True), store)))
    spans()
    crawl.gm.post(f"{crawl.path}/rounds", {"kind": "explore"}, headers={"traceparent": CALLER})
    found = spans()
    assert set(found) == {"POST /v1/crawls/{crawl}/rounds", "load redis", "commit redis"}
    request = found["POST /v1/crawls/{crawl}/rounds"]
    assert dict(request.attributes or {}) == {
        "http.request.method": "POST",
        "http.route": "/v1/crawls/{crawl}/rounds",
        "http.response.status_code": 201,
    }
    assert request.parent and f"{request.parent.trace_id:x}" in CALLER
    for name in ("load redis", "commit redis"):
        assert found[name].parent == request.get_span_context()


def test_a_span_of_a_failure_says_its_kind_and_no_more(
    store: CrawlStore, spans: Callable[[], dict[str, ReadableSpan]]
) -> None:
    crawl = start(Api(app.create_app(Settings(traces=True), store)))
    spans()
    crawl.gm.post(f"{crawl.path}/rounds", {"kind": "explore"}, headers={"If-Match": '"7"'})
    store.redis.config_set("maxmemory", 1)
    try:
        crawl.gm.post(f"{crawl.path}/rounds", {"kind": "explore"})
    finally:
        store.redis.config_set("maxmemory", 0)
    found = spans()
    assert (found["commit redis"].attributes or {})["error.type"] == "StoreFull"
    assert found["commit redis"].events == ()
    assert (found["POST /v1/crawls/{crawl}/rounds"].attributes or {})["error.type"] == "507"


def test_a_delivery_is_a_span_and_its_receiver_is_told_of_none() -> None:
    kept = InMemorySpanExporter()
    send = Traces("worker", SimpleSpanProcessor(kept)).of_send(client.send)
    with closing(Receiver(answer(503))) as receiver:
        assert send(receiver.url, b"{}", {"webhook-id": "msg_1"}, addresses.networks("127.0.0.0/8")).status == 503
        assert not {"traceparent", "tracestate", "baggage"} & receiver.got[0].headers.keys()
    (span,) = kept.get_finished_spans()
    assert dict(span.attributes or {}) == {
        "http.request.method": "POST",
        "http.response.status_code": 503,
        "error.type": "503",
    }


def test_a_service_tells_its_collector(tmp_path: Path) -> None:
    with closing(Receiver(answer())) as collector, closing(Receiver(answer())) as receiver:
        more = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{collector.port}",
            "OTEL_BSP_SCHEDULE_DELAY": "50",
            "ALARUM_WEBHOOK_ALLOW": "127.0.0.0/8",
        }
        with served(tmp_path / "data", **more) as service:
            table = Table(service)
            hook = {"url": receiver.url, "events": ["round.resolved"], "format": "standard", "audience": "gm"}
            assert table.ask("POST", "/webhooks", hook).status == 201
            table.play()
            receiver.wait_for(1, PATIENCE)

            def told() -> bytes:
                return b"".join(each.body for each in list(collector.got))

            for words in (b"alarum-web", b"/v1/crawls/{crawl}/rounds", b"commit redis", b"alarum-worker"):
                assert eventually(lambda words=words: words in told()), words
        secrets = (table.token, table.path.rpartition("/")[2], "s3cret")
        assert not [secret for secret in secrets if secret.encode() in told()]
        assert {each.target for each in collector.got} == {"/v1/traces"}


def test_without_a_collector_nothing_of_it_is_imported() -> None:
    assert not read_settings({}).traces
    assert read_settings({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}).traces
    # Ours alone: where OpenTelemetry is installed, Redis's client imports of it what it uses itself.
    script = "import sys, service.app, service.worker; sys.exit('service.watching.tracing' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], cwd=ROOT, env=environ(), check=False).returncode == 0


def test_what_is_not_installed_is_said_and_stops_nothing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delitem(sys.modules, "service.watching.tracing")
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    assert watching.traces_of("web") is None
    assert "alarum[otel]" in caplog.text

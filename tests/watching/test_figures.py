"""/metrics: what it counts, who may read it, and that it answers when the store does not."""

from __future__ import annotations

import re
import socket
import time
from pathlib import Path

import pytest

from service.app import create_app
from service.settings import Settings
from service.store.crawls import CrawlStore
from service.store.outbox import Outbox
from tests.api.talking import Api, problem, start
from tests.watching.scraped import Scraped
from tests.webhooks import telling

TOKEN = "a-token-for-prometheus"


def scraped(api: Api) -> Scraped:
    answer = api.get("/metrics")
    assert answer.status_code == 200
    assert answer.content_type == "text/plain; version=0.0.4; charset=utf-8"
    return Scraped(answer.get_data(as_text=True))


def test_requests_and_rounds_are_counted(api: Api) -> None:
    before = scraped(api)
    crawl = start(api)
    crawl.round("travel", pace="fast", rooms=2)
    crawl.round()
    crawl.gm.post(f"{crawl.path}/rounds", {"kind": "swim"})
    api.get("/nowhere")
    api.ask("BREW", "/alive")
    after = scraped(api)

    def more(name: str, **labels: str) -> float:
        return after.of(name, **labels) - before.of(name, **labels)

    assert more("alarum_rounds_total", kind="travel") == more("alarum_rounds_total", kind="explore") == 1
    assert more("alarum_http_requests_total", operation="submitRound", method="POST", status="201") == 2
    assert more("alarum_http_requests_total", operation="submitRound", method="POST", status="422") == 1
    assert more("alarum_http_requests_total", operation="none", method="GET", status="404") == 1
    assert more("alarum_http_requests_total", operation="none", method="other", status="405") == 1
    assert more("alarum_http_request_duration_seconds_count", operation="submitRound") == 3
    assert after.of("process_resident_memory_bytes") > 1_000_000


def test_a_round_that_is_replayed_counts_once(api: Api) -> None:
    crawl, before = start(api), scraped(api).of("alarum_rounds_total")
    for _ in range(3):
        crawl.gm.post(f"{crawl.path}/rounds", {"kind": "explore"}, headers={"Idempotency-Key": "one"})
    assert scraped(api).of("alarum_rounds_total") == before + 1


def test_no_figure_names_a_crawl_or_who_plays_in_it(api: Api) -> None:
    crawl = start(api, name="The Persephone")
    crawl.round()
    api.get(f"{crawl.path}/no/such/path")
    text = scraped(api).text
    assert not re.search(r"(crl|chr|gm|pl)_|Persephone|Kara", text)


def test_what_waits_is_read_from_the_store(api: Api, store: CrawlStore) -> None:
    for number in (0, 7):
        crawl = telling.start(store, number)
        telling.add(store, crawl, telling.hook("http://127.0.0.1/", number))
        telling.tell(store, crawl, "enc_1", "enc_2")
    telling.drain(Outbox(store.redis), 7)
    now = scraped(api)
    assert now.of("alarum_store_up") == 1
    assert now.of("alarum_outbox_events") == 2
    assert (now.of("alarum_deliveries_waiting"), now.of("alarum_webhooks_waiting")) == (2, 1)


def test_without_a_store_its_figures_are_left_out(tmp_path: Path) -> None:
    now = scraped(Api(create_app(Settings(redis=f"unix://{tmp_path}/nobody.sock"))))
    assert now.of("alarum_store_up") == 0
    assert "alarum_outbox_events" not in now.names()
    assert "alarum_http_requests_total" in now.names()


def test_a_store_that_hangs_does_not_hold_up_a_scrape() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        api = Api(create_app(Settings(redis=f"redis://127.0.0.1:{silent.getsockname()[1]}/0")))
        begun = time.monotonic()
        assert scraped(api).of("alarum_store_up") == 0
        assert time.monotonic() - begun < 3


def test_where_others_can_reach_it_the_operator_must_choose(store: CrawlStore) -> None:
    shut = Api(create_app(Settings(host="0.0.0.0", registration="key"), store))
    assert "ALARUM_METRICS_TOKEN" in problem(shut.get("/metrics"), 403, "forbidden")["detail"]


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_with_a_token_only_who_sends_it_reads_them(store: CrawlStore, host: str) -> None:
    api = Api(create_app(Settings(host=host, metrics_token=TOKEN), store))
    problem(api.get("/metrics"), 401, "unauthorized")
    problem(api.as_who("another-token-altogether").get("/metrics"), 401, "unauthorized")
    scraped(api.as_who(TOKEN))

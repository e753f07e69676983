"""The page for those who write receivers: what it shows works, and what it names is there."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urljoin
from urllib.request import Request, urlopen

import pytest
from standardwebhooks import Webhook

from service.api.contract import ROUTES
from service.api.guides import read
from service.api.guides.webhooks import SECRET
from service.api.operations import recorded
from service.app import create_app
from service.crawls.webhooks import EVENT_TYPES
from service.settings import Settings
from service.store.crawls import CrawlStore
from tests.api.talking import PARTY, Api
from tests.cli.serving import Served, served
from tests.test_docs import assert_shows, curl
from tests.webhooks.receivers import Receiver

PATH = "/docs/webhooks"
URL = "https://hooks.example/alarum"
"""Where the page's webhook goes; nothing is sent there from a test."""


@pytest.fixture
def api(store: CrawlStore) -> Api:
    return Api(create_app(Settings(), store))


@pytest.fixture
def page(api: Api) -> str:
    return api.get(PATH).get_data(as_text=True)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path / "data", ALARUM_WEBHOOK_ALLOW="127.0.0.0/8") as running:
        yield running


def blocks(page: str, kind: str) -> list[str]:
    return [html.unescape(block) for block in re.findall(f'<pre class="{kind}">(.*?)</pre>', page, re.DOTALL)]


def test_its_commands_do_what_it_says(service: Served, receiver: Callable[..., Receiver]) -> None:
    there = receiver(204)
    with urlopen(service.url + PATH, timeout=10) as answer:
        page = answer.read().decode()
    create, ping, events, recover = blocks(page, "sh")
    started = _started(service.url)
    names = {"CRAWL": started["id"], "GM": started["tokens"]["gm"]}
    created = curl(create.replace(URL, there.url), service.url, names)
    (shown,) = blocks(page, "json")
    assert_shows(json.loads(shown) | {"url": f"http://127.0.0.1:{there.port}/…"}, created, "")
    names["WEBHOOK"] = created["id"]
    assert curl(ping, service.url, names)["delivered"] is True
    (got,) = there.wait_for(1)
    told = Webhook(created["secret"]).verify(got.body, dict(got.headers))
    assert (told["type"], told["sequence"]) == ("webhook.ping", None)
    assert curl(events.replace("after=11", "after=0"), service.url, names)["events"][0]["type"] == "crawl.started"
    assert curl(events, service.url, names) == {"events": [], "next": None}
    assert curl(recover, service.url, names) == {"queued": 0}


def test_its_message_is_signed_with_the_secret_that_it_names(page: str) -> None:
    assert f"<code>{SECRET}</code>" in page
    (shown,) = blocks(page, "http")
    head, _, body = shown.partition("\n\n")
    headers = dict(line.split(": ") for line in head.splitlines()[1:])
    at = datetime.fromtimestamp(int(headers["webhook-timestamp"]), UTC)
    assert headers["webhook-signature"] == Webhook(SECRET).sign(headers["webhook-id"], at, body)
    assert json.loads(body) == recorded()["events"]["encounter.triggered"]


def test_it_shows_the_receivers_that_the_tests_run(api: Api, page: str) -> None:
    receivers = {"receiver.py": "text/plain; charset=utf-8", "receiver.mjs": "text/plain; charset=utf-8"}
    assert blocks(page, "program") == [read(name) for name in receivers]
    for name, kind in receivers.items():
        answer = api.get(f"/docs/{name}")
        assert (answer.get_data(as_text=True), answer.content_type) == (read(name), kind)
        assert len(read(name).splitlines()) < 60


def test_it_needs_no_internet_and_its_links_lead_somewhere(api: Api, page: str) -> None:
    policy = api.get(PATH).headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'self';") and "frame-ancestors 'none'" in policy
    assert "<script" not in page and "src=" not in page
    for link in re.findall(r'href="(.*?)"', page):
        if link.startswith("#"):
            assert f'id="{link[1:]}"' in page
        elif not link.startswith("https://"):
            assert api.get(urljoin(PATH, link)).status_code == 200, link


def test_its_requests_are_in_the_contract(page: str) -> None:
    there = {f"{route.method} {route.path}" for route in ROUTES}
    named = re.findall(r"<code>(GET|POST|PATCH) (/\S+)</code>", page)
    assert len(named) == 7
    assert {f"{method} /v1/crawls/{{crawl}}{path}" for method, path in named} <= there


def test_its_numbers_are_those_of_the_service(page: str) -> None:
    text = html.unescape(re.sub(r"<.*?>", "", page)).replace("\N{NO-BREAK SPACE}", " ")
    for words in (
        "5 s, 30 s, 2 min, 10 min, 30 min, 1 h, 2 h, 4 h, 8 h, 12 h, 20 h, 24 h,",
        "each up to 20% more or less: 13 tries over 72 hours",
        "Answer 2xx within 15 s",
        "obeyed, up to 24 h",
        "After 5 failures in a row",
        "after 1 min, 2 min, 4 min, 8 min, 10 min and so on",
        "After 20 failures over 5 days",
        "more than 64 KiB",
        "up to 20 webhooks",
        "For 24 h, or as many",
        ", ".join(EVENT_TYPES),
    ):
        assert words in text
    assert "{{" not in page


def test_its_commands_go_to_the_instances_own_address(store: CrawlStore) -> None:
    app = create_app(Settings(public_url="https://gm.example/alarum"), store)
    page = Api(app).get(PATH).get_data(as_text=True)
    assert all("https://gm.example/alarum/v1/crawls/$CRAWL/" in command for command in blocks(page, "sh"))


def test_the_reference_and_the_readme_lead_to_it(api: Api) -> None:
    described = api.get("/openapi.json").json
    create = described["paths"]["/v1/crawls/{crawl}/webhooks"]["post"]
    for told in (described["info"], create):
        assert "](docs/webhooks)" in told["description"]
    assert "`/docs/webhooks`" in (Path(__file__).resolve().parents[2] / "README.md").read_text()


def _started(url: str) -> Any:
    told = json.dumps({"ruleset": "derelict", "party": PARTY}).encode()
    with urlopen(Request(f"{url}/v1/crawls", told, {"Content-Type": "application/json"}), timeout=10) as answer:
        return json.load(answer)

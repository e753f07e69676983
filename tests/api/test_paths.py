"""Paths, prefixes and pages: no redirects, and every address that is written leads back."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from service.api.contract import ROUTES
from service.api.problems import KINDS
from service.app import create_app
from service.settings import Settings
from service.store.crawls import CrawlStore
from tests.api.talking import PARTY, Api, Crawl, problem

START = {"ruleset": "derelict", "party": list(PARTY)}


@pytest.mark.parametrize("path", ["/v1/crawls/", "//v1/crawls", "/v1//crawls", "/v1", "/v1/", "/v2/crawls", "/docs/x"])
def test_a_path_that_is_not_there_is_no_redirect(api: Api, path: str) -> None:
    problem(api.get(path), 404, "route_not_found")


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.operation_id)
def test_a_method_that_a_path_does_not_take_is_told_which_it_takes(api: Api, route: object) -> None:
    path = route.path.replace("{", "").replace("}", "")  # type: ignore[attr-defined]
    takes = {each.method for each in ROUTES if each.path == route.path}  # type: ignore[attr-defined]
    for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "TRACE"} - takes:
        answer = api.ask(method, path)
        problem(answer, 405, "method_not_allowed")
        allowed = {name.strip() for name in answer.headers["Allow"].split(",")}
        assert allowed - {"HEAD"} == takes


def test_head_gives_the_headers_of_get(crawl: Crawl) -> None:
    got, head = crawl.gm.get(crawl.path), crawl.gm.ask("HEAD", crawl.path)
    assert (head.status_code, head.data, head.headers["ETag"]) == (200, b"", got.headers["ETag"])
    assert head.headers["Content-Length"] == got.headers["Content-Length"]
    assert crawl.gm.ask("HEAD", f"{crawl.path}/rounds/9").status_code == 404


def test_addresses_use_the_host_of_the_request(api: Api) -> None:
    answer = api.post("/v1/crawls", START, headers={"Host": "gm.example:8000"})
    assert answer.headers["Location"] == f"http://gm.example:8000/v1/crawls/{answer.json['id']}"


def test_addresses_use_the_public_url_and_lie_below_its_path(store: CrawlStore) -> None:
    app = create_app(Settings(public_url="https://gm.example/alarum"), store)
    for prefix in ("", "/alarum"):  # whether the proxy cuts it off or not
        api = Api(app, prefix=prefix)
        answer = api.post("/v1/crawls", START)
        assert answer.headers["Location"] == f"https://gm.example/alarum/v1/crawls/{answer.json['id']}"
        gm = api.as_who(answer.json["tokens"]["gm"])
        crawl = f"/v1/crawls/{answer.json['id']}"
        gm.post(f"{crawl}/rounds", {"kind": "explore"})
        gm.post(f"{crawl}/rounds", {"kind": "explore"})
        page = gm.get(f"{crawl}/rounds?limit=1")
        assert page.headers["Link"] == f'<https://gm.example/alarum{crawl}/rounds?limit=1&after=1>; rel="next"'
        assert api.get("/openapi.json").json["servers"][0]["url"] == "https://gm.example/alarum"
        problem(api.get("/alarums"), 404, "route_not_found")


def test_forwarded_headers_are_believed_of_known_proxies_only(store: CrawlStore) -> None:
    told = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "gm.example", "X-Forwarded-Prefix": "/gm"}
    alone, behind = (Api(create_app(Settings(proxies=proxies), store)) for proxies in (0, 1))
    assert alone.post("/v1/crawls", START, headers=told).headers["Location"].startswith("http://localhost/v1/crawls/")
    location = behind.post("/v1/crawls", START, headers=told).headers["Location"]
    assert location.startswith("https://gm.example/gm/v1/crawls/")


def test_one_key_is_one_key_whichever_way_the_prefix_is_cut(store: CrawlStore) -> None:
    app = create_app(Settings(public_url="https://gm.example/alarum"), store)
    key = {"Idempotency-Key": "8e03978e-40d5-43dd-bc93-6894a57f9324"}
    first = Api(app).post("/v1/crawls", START, headers=key)
    assert Api(app, prefix="/alarum").post("/v1/crawls", START, headers=key).json == first.json


def test_the_reference_needs_no_internet(api: Api) -> None:
    page = api.get("/docs")
    assert page.content_type == "text/html; charset=utf-8"
    text = page.get_data(as_text=True)
    assert '<meta charset="utf-8">' in text
    assert "//" not in text.replace("<!doctype", "")
    for part in text.split('"'):
        if part.startswith("docs/"):
            assert api.get(f"/{part}").status_code == 200, part
    assert "'self'" in page.headers["Content-Security-Policy"]


def test_every_problems_type_is_explained(api: Api) -> None:
    told = problem(api.get("/nowhere"), 404, "route_not_found")
    address = urlsplit(told["type"])
    page = api.get(address.path).get_data(as_text=True)
    assert f'id="{address.fragment}"' in page
    for code in KINDS:
        assert f'id="{code}"' in page


def test_the_index_leads_to_the_reference(api: Api) -> None:
    told = api.get("/").json
    assert api.get(f"/{told['docs']}").status_code == 200
    assert api.get(f"/{told['openapi']}").json["openapi"] == "3.1.0"


def test_a_request_keeps_the_id_that_it_brings_when_it_is_a_plain_one(api: Api) -> None:
    assert api.get("/alive", headers={"X-Request-Id": "table-7-round-9"}).headers["X-Request-Id"] == "table-7-round-9"
    for odd in ("x", "a b c d e f g", "x" * 65):
        drawn = api.get("/alive", headers={"X-Request-Id": odd}).headers["X-Request-Id"]
        assert drawn != odd
        assert len(drawn) == 24

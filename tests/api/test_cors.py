"""A page anywhere may call: every answer says so, refusals included."""

from __future__ import annotations

import pytest

from service.store.crawls import CrawlStore
from tests.api.talking import Api, Crawl

ORIGIN = {"Origin": "https://table.example"}


def test_every_answer_may_be_read_by_any_page(api: Api, crawl: Crawl) -> None:
    answers = [
        api.get("/", headers=ORIGIN),
        api.get("/nowhere", headers=ORIGIN),
        api.ask("PUT", "/v1/crawls", headers=ORIGIN),
        api.get(crawl.path, headers=ORIGIN),
        api.post("/v1/crawls", raw=b"", headers=ORIGIN),
        crawl.gm.get(crawl.path, headers=ORIGIN),
        crawl.gm.get(crawl.path, headers={**ORIGIN, "If-None-Match": '"1"'}),
        crawl.gm.post(f"{crawl.path}/rounds", {}, headers=ORIGIN),
        crawl.gm.post(f"{crawl.path}/rounds", raw=b"x" * 70_000, headers=ORIGIN),
        api.get("/docs", headers=ORIGIN),
        api.get("/openapi.json", headers=ORIGIN),
    ]
    assert [answer.status_code for answer in answers] == [200, 404, 405, 401, 400, 200, 304, 422, 413, 200, 200]
    for answer in answers:
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        exposed = set(answer.headers["Access-Control-Expose-Headers"].split(", "))
        assert exposed == {
            "ETag", "Location", "Retry-After", "Link", "Idempotent-Replayed", "RateLimit", "RateLimit-Policy",
            "X-Request-Id",
        }  # fmt: skip
        assert "Access-Control-Allow-Credentials" not in answer.headers
        assert "Set-Cookie" not in answer.headers


@pytest.mark.parametrize("path", ["/v1/crawls", "/v1/crawls/crl_x/rounds", "/nowhere"])
@pytest.mark.parametrize(
    "header",
    ["Authorization", "Content-Type", "If-Match", "If-None-Match", "Idempotency-Key", "Last-Event-ID"],
)
def test_a_preflight_is_answered_before_anybody_is_asked_for_a_token(api: Api, path: str, header: str) -> None:
    asked = {**ORIGIN, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": header.lower()}
    answer = api.ask("OPTIONS", path, headers=asked)
    assert answer.status_code == 204
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert header in answer.headers["Access-Control-Allow-Headers"].split(", ")
    assert {"GET", "POST", "PUT", "PATCH", "DELETE"} <= set(answer.headers["Access-Control-Allow-Methods"].split(", "))
    assert answer.data == b""


def test_a_preflight_asks_nothing_of_the_store(api: Api, store: CrawlStore) -> None:
    before = store.redis.info("stats")["total_commands_processed"]
    api.ask("OPTIONS", "/v1/crawls", headers={**ORIGIN, "Access-Control-Request-Method": "POST"})
    assert store.redis.info("stats")["total_commands_processed"] == before + 1


def test_options_without_an_origin_says_what_the_path_takes(api: Api) -> None:
    answer = api.ask("OPTIONS", "/v1/crawls")
    assert answer.status_code == 204
    assert answer.headers["Allow"] == "GET, HEAD, OPTIONS, POST"
    assert api.ask("OPTIONS", "/nowhere").status_code == 404

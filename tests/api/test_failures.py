"""When the store or we ourselves fail: a problem document that says what to do, and no secret in the log."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from service.api.problems import KINDS, problem_of
from service.app import create_app
from service.crawls import errors as crawls
from service.rules import errors as rules
from service.settings import Settings
from service.store import errors as store_errors
from service.store.crawls import CrawlStore
from tests.api.talking import PARTY, Api, Crawl, problem

START = {"ruleset": "derelict", "party": list(PARTY)}


def test_without_a_store_the_process_is_alive_and_says_what_is_wrong(tmp_path: Path) -> None:
    api = Api(create_app(Settings(redis=f"unix://{tmp_path}/nobody.sock")))
    assert api.get("/alive").json == {"status": "alive"}
    token = "gm_00" + "a" * 20 + "_" + "x" * 43
    for answer in (
        api.get("/ready"),
        api.post("/v1/crawls", START),
        api.as_who(token).get("/v1/crawls/crl_00" + "a" * 20),
    ):
        problem(answer, 503, "store_unavailable")
        assert int(answer.headers["Retry-After"]) >= 1


def test_a_full_store_keeps_what_it_has_and_takes_no_more(crawl: Crawl, store: CrawlStore) -> None:
    before = crawl.stands()
    store.redis.config_set("maxmemory", 1)
    try:
        problem(crawl.gm.post(f"{crawl.path}/rounds", {"kind": "explore"}), 507, "store_full")
        assert crawl.stands() == before
    finally:
        store.redis.config_set("maxmemory", 0)
    assert crawl.round()["number"] == 1


def test_a_store_that_could_lose_rounds_is_named_and_where_strict_refused(store: CrawlStore) -> None:
    lax, strict = (Api(create_app(Settings(strict=strict), store)) for strict in (False, True))
    assert strict.get("/ready").json == {"status": "ready", "findings": []}
    store.redis.config_set("maxmemory-policy", "allkeys-lru")
    try:
        findings = lax.get("/ready").json["findings"]
        assert [finding["grave"] for finding in findings] == [True]
        assert problem(strict.get("/ready"), 503, "not_ready")["detail"] == findings[0]["detail"]
    finally:
        store.redis.config_set("maxmemory-policy", "noeviction")


def test_what_nobody_foresaw_is_logged_without_what_was_sent(
    crawl: Crawl, store: CrawlStore, caplog: pytest.LogCaptureFixture
) -> None:
    key = next(store.redis.scan_iter(match=f"*:crawl:{crawl.started['id']}"))
    store.redis.hset(key, "play", f'{{"f": 1, "secret": "{crawl.gm.token}"')
    with caplog.at_level(logging.ERROR):
        told = problem(crawl.gm.get(crawl.path), 500, "internal_error")
    assert set(told) == {"type", "title", "status", "detail", "code", "request_id"}
    assert "Traceback" in caplog.text or "File " in caplog.text
    assert str(crawl.gm.token) not in caplog.text


def test_every_error_of_the_layers_below_has_its_row() -> None:
    made: list[Exception] = [
        *(kind("Do this.") for kind in vars(rules).values() if _refuses(kind, rules.Illegal)),
        *(crawls.NotFound(kind) for kind in crawls.Kind.__args__),  # type: ignore[attr-defined]
        crawls.Unauthorized(), crawls.Forbidden("Do this."), crawls.Contention(),
        *(kind() for kind in vars(store_errors).values() if _refuses(kind, store_errors.StoreError) and _plain(kind)),
        store_errors.EventsTrimmed(7), store_errors.TooManyWebhooks(20), store_errors.NewerFormat("crawl", 9, 1),
    ]  # fmt: skip
    for error in made:
        told = problem_of(error)
        assert told.code in KINDS
        assert told.status != 500, error
        assert told.detail.endswith(".")


def _refuses(kind: object, base: type) -> bool:
    return isinstance(kind, type) and issubclass(kind, base) and kind is not base


def _plain(kind: type) -> bool:
    try:
        kind()
    except TypeError:
        return False
    return True

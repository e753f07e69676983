"""Nobody takes up the whole instance: requests are limited by sender, crawls and rounds by the key's quota."""

from __future__ import annotations

from hashlib import sha256

import pytest

from service.api.limits import Limiter
from service.app import create_app
from service.settings import Settings, read_settings
from service.store import quotas
from service.store.crawls import CrawlStore
from tests.api.talking import Api, problem, start

KEY = "ik_" + "Q" * 43
ROUND = {"kind": "time", "seconds": 600}


def test_a_window_counts_each_sender_for_itself_and_begins_anew() -> None:
    now = 0.0
    limiter = Limiter(2, clock=lambda: now)
    left = [limiter.count(who) for who in ("ann", "ann", "ben", "ann")]
    assert [each.left for each in left if each] == [1, 0, 1, -1]
    now = 59.0
    late = limiter.count("ben")
    assert late is not None
    assert late.headers == {"RateLimit-Policy": '"requests";q=2;w=60', "RateLimit": '"requests";r=0;t=1'}
    now = 60.0
    anew = limiter.count("ann")
    assert anew is not None
    assert (anew.left, anew.seconds) == (1, 60)


def test_without_a_limit_nothing_is_counted() -> None:
    limiter = Limiter(0)
    assert limiter.count("ann") is None
    assert limiter._counts == {}


def test_requests_are_limited_where_others_can_come_unless_the_operator_says_otherwise() -> None:
    assert read_settings({}).requests_per_minute == 0
    assert read_settings({"ALARUM_HOST": "0.0.0.0"}).requests_per_minute == 1200
    assert read_settings({"ALARUM_HOST": "0.0.0.0", "ALARUM_REQUESTS_PER_MINUTE": "0"}).requests_per_minute == 0


def test_whoever_sends_too_much_is_told_when_to_come_back_and_others_go_on(store: CrawlStore) -> None:
    api = Api(create_app(Settings(requests_per_minute=3), store))
    crawl = start(api)  # without a token
    answers = [crawl.gm.get(crawl.path) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert answers[0].headers["RateLimit-Policy"] == '"requests";q=3;w=60'
    assert [answer.headers["RateLimit"].partition(";")[2].partition(";")[0] for answer in answers] == [
        "r=2",
        "r=1",
        "r=0",
    ]
    refused = crawl.gm.get(crawl.path)
    problem(refused, 429, "too_many_requests")
    assert 0 < int(refused.headers["Retry-After"]) <= 60
    assert int(refused.headers["RateLimit"].rpartition("t=")[2]) == int(refused.headers["Retry-After"])
    assert crawl.player.get(crawl.path).status_code == 200
    assert crawl.gm.ask("OPTIONS", crawl.path, headers={"Access-Control-Request-Method": "GET"}).status_code == 204


@pytest.fixture
def quoted(store: CrawlStore) -> Api:
    """An instance whose one key may have two crawls, and three rounds a minute."""
    hashed = sha256(KEY.encode()).hexdigest()
    store.keyring.create(hashed, "", "2026-11-30T12:00:00Z", crawls=2, rounds_per_minute=3)
    return Api(create_app(Settings(host="0.0.0.0", registration="key"), store), KEY)


def test_a_key_has_no_more_crawls_than_its_quota(quoted: Api, store: CrawlStore) -> None:
    first = start(quoted)
    start(quoted)
    body = {"ruleset": "derelict", "party": [{"name": "Kara"}]}
    problem(quoted.post("/v1/crawls", body), 409, "illegal_crawl")
    assert len(quoted.get("/v1/crawls").json["crawls"]) == 2
    first.gm.ask("DELETE", first.path)
    assert quoted.post("/v1/crawls", body).status_code == 201


def test_the_crawls_of_a_key_share_its_quota_of_rounds(quoted: Api) -> None:
    crawls = [start(quoted), start(quoted)]
    for number in range(3):
        assert crawls[number % 2].gm.post(f"{crawls[number % 2].path}/rounds", ROUND).status_code == 201
    for crawl in crawls:
        before = crawl.stands()
        refused = crawl.gm.post(f"{crawl.path}/rounds", ROUND)
        problem(refused, 429, "quota_exceeded")
        assert 0 < int(refused.headers["Retry-After"]) <= 60
        assert crawl.stands() == before


def test_a_repeated_round_is_given_again_and_not_counted(quoted: Api) -> None:
    crawl = start(quoted)
    headers = {"Idempotency-Key": "the-same"}
    for _ in range(9):
        assert crawl.gm.post(f"{crawl.path}/rounds", ROUND, headers=headers).status_code == 201


def test_a_quota_is_felt_soon_after_it_was_changed(
    quoted: Api, store: CrawlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawl = start(quoted)
    for _ in range(3):
        crawl.round("time", seconds=600)
    problem(crawl.gm.post(f"{crawl.path}/rounds", ROUND), 429, "quota_exceeded")
    store.keyring.create(sha256(KEY.encode()).hexdigest(), "", "2026-11-30T12:00:00Z")
    monkeypatch.setattr(quotas, "REMEMBERED_SECONDS", 0.0)
    crawl.round("time", seconds=600)


def test_it_is_known_when_a_key_was_last_used(quoted: Api, store: CrawlStore) -> None:
    assert [key.used_at for key in store.keyring.list()] == [None]
    quoted.get("/v1/crawls")
    (key,) = store.keyring.list()
    assert key.used_at is not None
    assert key.used_at > "2026-"
    assert store.keyring.revoke(key.id)
    assert store.redis.hlen("alarum:keys_used") == 0

"""Who may do what: every route against every kind of token."""

from __future__ import annotations

from typing import Any

import pytest

from service.api.contract import ROUTES
from service.api.routes import AtInstance, InCrawl, Route
from service.app import create_app
from service.settings import Settings
from service.store.crawls import CrawlStore
from tests.api.conftest import KEY
from tests.api.talking import PARTY, Api, Crawl, problem, start

START = {"ruleset": "derelict", "party": list(PARTY)}
IN_CRAWL = [route for route in ROUTES if isinstance(route.access, InCrawl)]
UNKNOWN = "gm_{}_" + "x" * 43
# A stream that begins would not end by itself; behind what is no number it does not begin.
ENDS = {"Last-Event-ID": "the first"}


def named(route: Route) -> str:
    return route.operation_id


def take(route: Route, api: Api, path: str, **more: Any) -> Any:
    """The route taken, with names in its path that lead nowhere and a body that could be right."""
    rest = route.path.removeprefix("/v1/crawls/{crawl}")
    for name, value in {"number": "1", "character_id": "chr_x", "id": "x"}.items():
        rest = rest.replace(f"{{{name}}}", value)
    return api.ask(route.method, path + rest, {} if route.body else None, **more)


@pytest.mark.parametrize("route", IN_CRAWL, ids=named)
def test_a_crawl_is_closed_to_all_but_its_own_tokens(keyed: Api, route: Route) -> None:
    crawl, other = start(keyed.as_who(KEY)), start(keyed.as_who(KEY))
    own_id = crawl.started["id"].removeprefix("crl_")
    for token in (None, "", "x", KEY[:-1] + "x", UNKNOWN.format(own_id), UNKNOWN.format("00" + "a" * 20)):
        answer = take(route, keyed.as_who(token), crawl.path)
        problem(answer, 401, "unauthorized")
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    for header in ("Basic eDp4", "Bearer", "Bearer ä", f"Bearer {crawl.gm.token} x", f"Token {crawl.gm.token}"):
        answer = take(
            route, keyed.as_who(None), crawl.path, headers={"Authorization": header.encode().decode("latin-1")}
        )
        problem(answer, 401, "unauthorized")
    for stranger in (other.gm, other.player):
        problem(take(route, stranger, crawl.path), 404, "crawl_not_found")
    problem(take(route, crawl.gm, "/v1/crawls/crl_00" + "a" * 20), 404, "crawl_not_found")
    problem(take(route, crawl.gm, "/v1/crawls/x"), 404, "crawl_not_found")
    problem(take(route, keyed.as_who(KEY), crawl.path), 403, "forbidden")


@pytest.mark.parametrize("route", IN_CRAWL, ids=named)
def test_a_player_takes_only_what_is_the_players(crawl: Crawl, route: Route) -> None:
    assert isinstance(route.access, InCrawl)
    before = crawl.stands()
    answer = take(route, crawl.player, crawl.path, headers=ENDS)
    if "player" in route.access.roles:
        assert answer.status_code in (200, 201, 404, 422)
    else:
        problem(answer, 403, "forbidden")
    assert crawl.stands() == before


@pytest.mark.parametrize("route", IN_CRAWL, ids=named)
def test_the_gm_takes_every_route(crawl: Crawl, route: Route) -> None:
    assert take(route, crawl.gm, crawl.path, headers=ENDS).status_code in (200, 201, 204, 404, 409, 422)


def test_the_scheme_may_be_written_in_any_case(crawl: Crawl) -> None:
    for scheme in ("bearer", "BEARER"):
        asked = {"Authorization": f"{scheme} {crawl.gm.token}"}
        assert crawl.gm.as_who(None).get(crawl.path, headers=asked).status_code == 200


def test_where_registration_is_closed_a_key_starts_and_lists_crawls(keyed: Api, store: CrawlStore) -> None:
    problem(keyed.post("/v1/crawls", START), 401, "unauthorized")
    problem(keyed.as_who("ik_" + "x" * 43).post("/v1/crawls", START), 401, "unauthorized")
    mine = keyed.as_who(KEY)
    crawl = start(mine)
    problem(crawl.gm.post("/v1/crawls", START), 403, "forbidden")
    problem(crawl.player.get("/v1/crawls"), 403, "forbidden")
    assert [each["id"] for each in mine.get("/v1/crawls").json["crawls"]] == [crawl.started["id"]]
    another = store.keyring.create("0" * 64, "another", "2026-11-30T12:00:00Z")
    assert store.list_crawls(another.id, None, 50).crawls == ()


def test_where_registration_is_open_anybody_starts_and_only_keys_list(api: Api) -> None:
    assert api.post("/v1/crawls", START).status_code == 201
    problem(api.get("/v1/crawls"), 401, "unauthorized")
    problem(api.as_who("x").post("/v1/crawls", START), 401, "unauthorized")


def test_a_revoked_key_is_not_known(keyed: Api, store: CrawlStore) -> None:
    assert keyed.as_who(KEY).get("/v1/crawls").status_code == 200
    store.keyring.revoke(store.keyring.list()[0].id)
    problem(keyed.as_who(KEY).get("/v1/crawls"), 401, "unauthorized")


def test_rulesets_and_the_instance_need_no_token(keyed: Api) -> None:
    for route in ROUTES:
        if route.access == AtInstance("never"):
            assert keyed.get(route.path.replace("{key}", "derelict")).status_code == 200
            assert keyed.as_who("x").get(route.path.replace("{key}", "derelict")).status_code == 200
    problem(keyed.get("/v1/rulesets/chess"), 404, "ruleset_not_found")


def test_who_guesses_too_often_has_to_wait(keyed: Api) -> None:
    crawl = start(keyed.as_who(KEY))
    stranger = keyed.as_who(UNKNOWN.format(crawl.started["id"].removeprefix("crl_")))
    for _ in range(30):
        problem(stranger.get(crawl.path), 401, "unauthorized")
    answer = stranger.get(crawl.path)
    problem(answer, 429, "too_many_failures")
    assert 1 <= int(answer.headers["Retry-After"]) <= 60
    assert stranger.get(crawl.path, environ_base={"REMOTE_ADDR": "192.0.2.7"}).status_code == 401
    assert crawl.gm.get(crawl.path).status_code == 200


def test_on_this_machine_alone_nobody_is_counted(api: Api, crawl: Crawl) -> None:
    for _ in range(40):
        assert api.as_who("x").get(crawl.path).status_code == 401


def test_behind_proxies_the_address_they_name_is_counted(store: CrawlStore) -> None:
    behind = Api(create_app(Settings(host="0.0.0.0", registration="open", proxies=1), store), token="x")
    for number in range(40):
        headers = {"X-Forwarded-For": f"192.0.2.{number}"}
        assert behind.get("/v1/crawls", headers=headers).status_code == 401


def test_no_refusal_repeats_a_token(crawl: Crawl) -> None:
    for answer in (
        crawl.gm.get("/v1/crawls/crl_x"),
        crawl.gm.get("/nowhere"),
        crawl.gm.post(f"{crawl.path}/rounds", {}),
        crawl.gm.as_who(crawl.gm.token[:-1] + "!").get(crawl.path),
    ):
        assert crawl.gm.token[:-1].encode() not in answer.data

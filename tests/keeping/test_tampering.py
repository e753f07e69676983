"""A document that was tampered with is refused where it does not hang together, or is played on like any other."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from service.app import create_app
from service.settings import Settings
from service.store.crawls import CrawlStore
from service.store.opening import open_store
from tests.api.talking import PARTY, Api, Crawl, start
from tests.keeping.evenings import an_evening, export, imported, two


@pytest.fixture
def api(store: CrawlStore) -> Api:
    return Api(create_app(Settings(webhook_allow=()), store))


@pytest.fixture
def crawl(api: Api) -> Crawl:
    return an_evening(api)


TAMPERED: list[tuple[str, Any, str]] = [
    ("/play/rounds", 7, "/rounds"),
    ("/play/place", 1, "/history/"),
    ("/play/alert_level", 9, "/play"),
    ("/play/last_check", 10**6, "/play/last_check"),
    ("/play/encounters", 0, "/encounters"),
    ("/play/timers/0/ends_at", None, "/play/timers/0"),
    ("/play/timers/0/ends_at", 1, "/play/timers/0"),
    ("/play/timers/0/id", "tmr_short", "/play/timers/0/id"),
    ("/rounds/0/number", 2, "/rounds/0/number"),
    ("/rounds/0/clock", {}, "/rounds/0/clock/"),
    ("/rounds/0/summary/gm", 5, "/rounds/0/summary/gm"),
    ("/rounds/1/alert/rolls/0/face", "6", "/rounds/1/alert/rolls/0/face"),
    ("/rounds/0/more", 1, "/rounds/0/more"),
    ("/history/0/what", "dance", "/history/0/what"),
    ("/history/2/round", 5, "/history/2/round"),
    ("/history/0/play/clock", -1, "/history/0/play/clock"),
    ("/redo/0/record", None, "/redo/0/record"),
    ("/redo/0/play/place", 2, "/redo/"),
    ("/events/0/sequence", 2, "/events"),
    ("/events/0/timestamp", "yesterday", "/events/0/timestamp"),
    ("/events/0/id", "evt_1", "/events/0/id"),
    ("/events/1/public/sequence", 77, "/events"),
    ("/created_at", "1969-01-01T00:00:00.000Z", "/created_at"),
    ("/card/party/1/name", "kara", "/card/party/1/name"),
    ("/card/ruleset", "chess", "/card/ruleset"),
    ("/card/rules", {"paces": {"fast": 5}}, "/card/rules/paces"),
    ("/card/rules", {"activities": {f"dance {i}": {"title": "x" * 150} for i in range(1500)}}, "/card/rules"),
    ("/card/marching_order", ["Nobody"], "/card/marching_order/0"),
    ("/card/encounter_check", {"every_rounds": 2}, "/card/encounter_check/every_rounds"),
    ("/declarations", {"chr_" + "a" * 16: {"character": "x", "activity": "act"}}, "/declarations/chr_"),
    ("/version", 2**60, "/version"),
    ("/owner", "key_1", "/owner"),
]


@pytest.mark.parametrize(("place", "value", "pointer"), TAMPERED, ids=[f"{each[0]}-{each[2]}" for each in TAMPERED])
def test_what_no_crawl_could_have_come_to_is_refused_where_it_stands(
    api: Api, store: CrawlStore, crawl: Crawl, place: str, value: Any, pointer: str
) -> None:
    document = export(crawl)
    *above, last = place.split("/")[1:]
    holder = document
    for step in above:
        holder = holder[int(step) if isinstance(holder, list) else step]
    holder[int(last) if isinstance(holder, list) else last] = value
    before = store.redis.dbsize()
    answer = api.post("/v1/crawls/import", document)
    assert store.redis.dbsize() == before
    told = answer.json
    assert answer.status_code == 422, told
    assert any(fault["pointer"].startswith(pointer) for fault in told["errors"]), told["errors"]


def places(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if above:
        yield above
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in steps:
        yield from places(inner, (*above, step))


VALUES = st.one_of(
    *(st.none(), st.booleans(), st.integers(-3, 12), st.integers(-(2**53), 2**53), st.floats(allow_nan=False)),
    *(st.text(max_size=8), st.just([]), st.just({}), st.lists(st.integers(0, 6), max_size=3)),
    *(st.dictionaries(st.sampled_from(["id", "at", "rounds", "x"]), st.integers(0, 6), max_size=2),),
)


def tamper(document: Any, place: tuple[Any, ...], data: st.DataObject) -> None:
    """Something else at a place, if it is still there; or nothing; or, in a list, the same twice."""
    *above, last = place
    holder = document
    try:
        for step in above:
            holder = holder[step]
        there = holder[last]
    except (LookupError, TypeError):
        return
    if isinstance(holder, str):
        return
    what = data.draw(st.sampled_from(["change", "drop", "double"]))
    if what == "change":
        holder[last] = data.draw(VALUES)
    elif what == "drop":
        del holder[last]
    elif isinstance(holder, list):
        holder.insert(last, there)


@pytest.mark.slow
@settings(max_examples=400, suppress_health_check=[*HealthCheck])
@given(data=st.data())
def test_no_tampering_makes_an_error_of_ours_now_or_later(store_url: str, data: st.DataObject) -> None:
    """Whatever is taken can be played on: read, undone to the entry, made again, ended, exported."""
    api, document = tampered_evening(store_url)
    every = list(places(document))
    for _ in range(data.draw(st.integers(1, 3))):
        tamper(document, data.draw(st.sampled_from(every)), data)
    answer = api.post("/v1/crawls/import", document)
    assert answer.status_code in (201, 400, 422), answer.get_data(as_text=True)
    if answer.status_code != 201:
        assert all(fault["pointer"].startswith("/") or fault["pointer"] == "" for fault in answer.json["errors"])
        return
    tokens = answer.json["tokens"]
    play_to_the_end(Crawl(answer.json, api.as_who(tokens["gm"]), api.as_who(tokens["player"])))


SEARCH = {"character": "Bram", "activity": "search", "room_ft": 200}
CAST = {"character": "Kara", "activity": "cast", "rounds_needed": 3}
OPERATIONS = st.sampled_from(
    [
        ("POST", "/rounds", {"kind": "explore"}),
        ("POST", "/rounds", {"kind": "explore", "rooms": 1}),
        ("POST", "/rounds", {"kind": "travel", "pace": "fast", "rooms": 5}),
        ("POST", "/rounds", {"kind": "rest", "rest": "short", "on_encounter": "continue"}),
        ("POST", "/rounds", {"kind": "combat", "combat_rounds": 2}),
        ("POST", "/rounds", {"kind": "time", "seconds": 601, "dice": {"encounter": [6, 6]}}),
        ("POST", "/rounds", {"kind": "explore", "declarations": [SEARCH]}),
        ("POST", "/rounds", {"kind": "explore", "declarations": [CAST]}),
        ("POST", "/timers", {"name": "Torch", "kind": "light", "seconds": 3600}),
        ("POST", "/timers", {"name": "Spell", "kind": "effect", "seconds": 61, "warn_at": 60}),
        ("POST", "/timers", {"name": "Later", "kind": "other", "seconds": 700, "paused": True}),
        ("PATCH", "/timers/0", {"paused": True}),
        ("PATCH", "/timers/0", {"paused": False}),
        ("PATCH", "/timers/0", {"seconds": 30}),
        ("DELETE", "/timers/0", None),
        ("POST", "/encounter_checks", {"face": 6}),
        ("POST", "/encounter_checks", {"counts": True}),
        ("PATCH", "/encounters/0", {"status": "revealed"}),
        ("PATCH", "/encounters/0", {"status": "resolved"}),
        ("POST", "/encounters/0/slip", {"perception": {"total": 1}}),
        ("POST", "/alert", {"change": 3}),
        ("POST", "/alert", {"incident": "security_disabled", "effect": "easier_stealth"}),
        ("PUT", "/declarations/0", {"activity": "keep_watch"}),
        ("PATCH", "", {"party": [{"name": "Kara"}]}),
        ("PATCH", "", {"party": [*PARTY, {"name": "Sela"}], "light_bearers": ["Sela"], "unlock": True}),
        ("PATCH", "", {"rules": {"alert": {"levels": {"4": None, "3": None}}}}),
        ("PATCH", "", {"rules": {"activities": {"search": None, "keep_watch": None}}}),
        ("PATCH", "", {"rules": None}),
        ("PATCH", "", {"alert": {"enabled": False}}),
        ("PATCH", "", {"guards": {"passive_perception": 13}}),
        *[("POST", "/undo", None)] * 4,
        *[("POST", "/redo", None)] * 3,
        ("POST", "/pause", None),
        ("POST", "/resume", None),
    ]
)


@pytest.mark.slow
@settings(max_examples=60, suppress_health_check=[*HealthCheck])
@given(operations=st.lists(OPERATIONS, min_size=5, max_size=60))
def test_whatever_a_crawl_has_been_through_can_be_taken_along(
    store_url: str, operations: list[tuple[str, str, Any]]
) -> None:
    crawl = start(tampered_evening(store_url)[0])
    for method, path, body in operations:
        kind = path.split("/")[1] if path.endswith(("/0", "/0/slip")) else ""
        if kind:
            there = crawl.gm.get(f"{crawl.path}/{kind}").json[kind]
            id_ = crawl.kara if kind == "declarations" else there[-1]["id"] if there else "none"
            path = path.replace("/0", f"/{id_}")
        assert crawl.gm.ask(method, crawl.path + path, body).status_code < 500
    document = export(crawl)
    copy = imported(crawl.gm.as_who(None), document)
    assert export(copy)["play"] == document["play"]
    play_to_the_end(copy)


def tampered_evening(store_url: str, made: list[tuple[Api, str]] = []) -> tuple[Api, Any]:  # noqa: B006
    if not made:
        api = Api(create_app(Settings(), open_store(store_url)))
        made.append((api, json.dumps(export(an_evening(api)))))
    return made[0][0], json.loads(made[0][1])


def play_to_the_end(crawl: Crawl) -> None:
    path = crawl.path

    def ask(who: Api, method: str, rest: str, body: Any = None) -> int:
        answer = who.ask(method, path + rest, body)
        assert answer.status_code < 500, (method, rest, answer.get_data(as_text=True))
        return answer.status_code

    def look() -> None:
        for who in two(crawl):
            for rest in ("", "/rounds", "/rounds/1?render=roll20,discord", "/encounters", "/timers", "/events"):
                ask(who, "GET", rest)
            ask(who, "GET", "/declarations")

    look()
    ask(crawl.gm, "POST", "/resume", {})
    for way in ("redo", "undo", "redo"):
        while ask(crawl.gm, "POST", f"/{way}") == 200:
            pass
        look()
    for body in (
        {"kind": "explore"},
        {"kind": "travel", "pace": "fast", "rooms": 4, "on_encounter": "continue"},
        {"kind": "rest", "rest": "short", "on_encounter": "continue"},
        {"kind": "combat", "combat_rounds": 3},
    ):
        ask(crawl.gm, "POST", "/rounds", body)
    ask(crawl.gm, "POST", "/encounter_checks", {"face": 6})
    ask(crawl.gm, "POST", "/end")
    look()
    assert ask(crawl.gm, "GET", "/export") == 200
    again = crawl.gm.as_who(None).post("/v1/crawls/import", crawl.gm.get(f"{path}/export").json)
    assert again.status_code == 201, again.get_data(as_text=True)

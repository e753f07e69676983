"""Whatever is sent: a problem document with a stable code and a pointer, and nothing has changed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.api.talking import Api, Crawl, problem, start

SEARCH = {"character": "Kara", "activity": "search"}
EXPLORE = {"kind": "explore"}
TRAVEL = {"kind": "travel", "rooms": 1}


def explore(*declarations: Any, **fields: Any) -> dict[str, Any]:
    return {**EXPLORE, "declarations": list(declarations), **fields}


INVALID: dict[str, tuple[Any, str]] = {
    "a list": ([], ""),
    "null": (None, ""),
    "a text": ("explore", ""),
    "no kind": ({}, "/kind"),
    "an unknown kind": ({"kind": "dance"}, "/kind"),
    "a kind that is a list": ({"kind": []}, "/kind"),
    "2.7 rooms": ({**TRAVEL, "rooms": 2.7}, "/rooms"),
    "true rooms": ({**TRAVEL, "rooms": True}, "/rooms"),
    "rooms in a text": ({**TRAVEL, "rooms": "5"}, "/rooms"),
    "rooms in Arabic digits": ({**TRAVEL, "rooms": "٣"}, "/rooms"),
    "no rooms": ({"kind": "travel"}, "/rooms"),
    "null rooms": ({**TRAVEL, "rooms": None}, "/rooms"),
    "fewer than no rooms": ({**EXPLORE, "rooms": -1}, "/rooms"),
    "two rooms explored at once": ({**EXPLORE, "rooms": 2}, "/rooms"),
    "501 rooms": ({**TRAVEL, "rooms": 501}, "/rooms"),
    "2^53 rooms": ({**TRAVEL, "rooms": 2**53}, "/rooms"),
    "an unknown field": ({**EXPLORE, "room": 1}, "/room"),
    "a field of another kind": ({**EXPLORE, "pace": "fast"}, "/pace"),
    "__proto__": ({**EXPLORE, "__proto__": {}}, "/__proto__"),
    "declarations in travel": ({**TRAVEL, "declarations": []}, "/declarations"),
    "saves in combat": ({"kind": "combat", "combat_rounds": 1, "saves": []}, "/saves"),
    "an unknown pace": ({**TRAVEL, "pace": "teleport"}, "/pace"),
    "an unknown character": (explore({**SEARCH, "character": "Nobody"}), "/declarations/0/character"),
    "an unknown activity": (explore({**SEARCH, "activity": "dance"}), "/declarations/0/activity"),
    "two declarations for one": (explore(SEARCH, {**SEARCH, "character": "kara"}), "/declarations/1/character"),
    "an unknown field below": (explore({**SEARCH, "roll": 1}), "/declarations/0/roll"),
    "a check that is none": (explore({**SEARCH, "check": 5}), "/declarations/0/check"),
    "an unknown advantage": (explore({**SEARCH, "check": {"advantage": "yes"}}), "/declarations/0/check/advantage"),
    "passed as a number": (explore({**SEARCH, "check": {"passed": 1}}), "/declarations/0/check/passed"),
    "a natural 21": (explore({**SEARCH, "check": {"naturals": [21]}}), "/declarations/0/check/naturals/0"),
    "a seven on a d6": ({**TRAVEL, "dice": {"alert": [7]}}, "/dice/alert/0"),
    "a zero on a d6": ({"kind": "rest", "rounds": 6, "dice": {"encounter": [0]}}, "/dice/encounter/0"),
    "dice of an unknown use": ({**EXPLORE, "dice": {"damage": [1]}}, "/dice/damage"),
    "an unknown incident": ({**EXPLORE, "incidents": [{"incident": "fire"}]}, "/incidents/0/incident"),
    "an unknown encounter": ({"kind": "combat", "combat_rounds": 1, "encounter": "enc_none"}, "/encounter"),
    "a name with NUL": (explore({**SEARCH, "character": "\0"}), "/declarations/0/character"),
    "a long note": ({**EXPLORE, "note": "x" * 2001}, "/note"),
    "a very long note": ({**EXPLORE, "note": "x" * 5000}, "/note"),
    "no seconds": ({"kind": "time"}, "/seconds"),
    "no time at all": ({"kind": "time", "seconds": 0}, "/seconds"),
    "more than a week": ({"kind": "time", "seconds": 604_801}, "/seconds"),
}


@pytest.mark.parametrize(("body", "pointer"), INVALID.values(), ids=INVALID.keys())
def test_a_round_that_cannot_be_read_is_refused_and_changes_nothing(crawl: Crawl, body: Any, pointer: str) -> None:
    before, events = crawl.stands(), crawl.events()
    answer = crawl.gm.post(f"{crawl.path}/rounds", raw=json.dumps(body).encode())
    told = problem(answer, 422, "invalid_request")
    assert pointer in [error["pointer"] for error in told["errors"]]
    assert crawl.stands() == before
    assert crawl.events() == events


REST = {
    "no length": ({"kind": "rest"}, 422),
    "two lengths": ({"kind": "rest", "rest": "short", "rounds": 3}, 422),
}


@pytest.mark.parametrize(("body", "status"), REST.values(), ids=REST.keys())
def test_a_rest_takes_one_length(crawl: Crawl, body: Any, status: int) -> None:
    assert problem(crawl.gm.post(f"{crawl.path}/rounds", body), status, "invalid_request")["errors"]


RAW = {
    "nothing": b"",
    "no JSON": b"kind=explore",
    "double names": b'{"kind": "explore", "kind": "explore"}',
    "double names below": b'{"kind": "explore", "dice": {"alert": [1], "alert": [2]}}',
    "NaN": b'{"kind": "travel", "rooms": NaN}',
    "6,000 digits": b'{"kind": "travel", "rooms": ' + b"1" * 6000 + b"}",
    "a lone surrogate": b'{"kind": "explore", "note": "\\ud83d"}',
    "5,000 levels": b'{"kind": ' + b"[" * 5000 + b"]" * 5000 + b"}",
    "another encoding": '{"kind": "explore"}'.encode("utf-16"),
}


@pytest.mark.parametrize("raw", RAW.values(), ids=RAW.keys())
def test_a_round_that_is_no_json_is_malformed_and_changes_nothing(crawl: Crawl, raw: bytes) -> None:
    before = crawl.stands()
    told = problem(crawl.gm.post(f"{crawl.path}/rounds", raw=raw), 400, "malformed_json")
    assert told["errors"]
    assert crawl.stands() == before


def test_a_body_of_64_kib_is_read_and_one_byte_more_is_not(crawl: Crawl) -> None:
    exactly = b'{"kind": "explore"' + b" " * (64 * 1024 - 19) + b"}"
    assert len(exactly) == 64 * 1024
    assert crawl.gm.post(f"{crawl.path}/rounds", raw=exactly).status_code == 201
    before = crawl.stands()
    problem(crawl.gm.post(f"{crawl.path}/rounds", raw=exactly + b" "), 413, "body_too_large")
    problem(crawl.gm.post(f"{crawl.path}/rounds", raw=b"x" * 70_000), 413, "body_too_large")
    assert crawl.stands() == before


@pytest.mark.parametrize(
    "media_type",
    ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/xml", "",
     "application/json; charset=utf-16", "application/json, application/json", "application/merge-patch+json"],
)  # fmt: skip
def test_another_media_type_is_refused(crawl: Crawl, media_type: str) -> None:
    answer = crawl.gm.post(f"{crawl.path}/rounds", EXPLORE, media_type=media_type)
    problem(answer, 415, "unsupported_media_type")
    assert answer.headers["Accept"] == "application/json"
    assert crawl.stands()["rounds"] == 0


def test_a_packed_body_is_refused(crawl: Crawl) -> None:
    answer = crawl.gm.post(f"{crawl.path}/rounds", EXPLORE, headers={"Content-Encoding": "gzip"})
    problem(answer, 415, "unsupported_media_type")


@pytest.mark.parametrize("media_type", ["application/json; charset=UTF-8", "APPLICATION/JSON"])
def test_json_in_utf_8_is_taken_however_it_is_written(crawl: Crawl, media_type: str) -> None:
    assert crawl.gm.post(f"{crawl.path}/rounds", EXPLORE, media_type=media_type).status_code == 201


def test_a_patch_may_call_itself_a_merge_patch(crawl: Crawl) -> None:
    answer = crawl.gm.patch(crawl.path, {"name": "The Wreck"}, media_type="application/merge-patch+json")
    assert answer.json["name"] == "The Wreck"


def test_eight_point_nought_is_eight(crawl: Crawl) -> None:
    assert crawl.round("travel", rooms=2.0)["movement"]["rooms_asked"] == 2


STARTS: dict[str, tuple[Any, str]] = {
    "no party": ({"ruleset": "derelict"}, "/party"),
    "an empty party": ({"ruleset": "derelict", "party": []}, "/party"),
    "41 of them": ({"ruleset": "derelict", "party": [{"name": f"No. {i}"} for i in range(41)]}, "/party"),
    "no ruleset": ({"party": [{"name": "Kara"}]}, "/ruleset"),
    "an unknown ruleset": ({"ruleset": "chess", "party": [{"name": "Kara"}]}, "/ruleset"),
    "no name": ({"ruleset": "derelict", "party": [{}]}, "/party/0/name"),
    "an empty name": ({"ruleset": "derelict", "party": [{"name": ""}]}, "/party/0/name"),
    "201 characters": ({"ruleset": "derelict", "party": [{"name": "x" * 201}]}, "/party/0/name"),
    "a name twice": ({"ruleset": "derelict", "party": [{"name": "Kara"}, {"name": "KARA"}]}, "/party/1/name"),
    "an id": ({"ruleset": "derelict", "party": [{"name": "Kara", "id": "chr_x"}]}, "/party/0/id"),
    "a short seed": ({"ruleset": "derelict", "party": [{"name": "Kara"}], "seed": "5e"}, "/seed"),
    "level 5": ({"ruleset": "derelict", "party": [{"name": "Kara"}], "alert": {"level": 5}}, "/alert/level"),
    "25 rounds": (
        {"ruleset": "stretch", "party": [{"name": "Kara"}], "encounter_check": {"every_rounds": 25}},
        "/encounter_check/every_rounds",
    ),
    "an unknown walker": (
        {"ruleset": "derelict", "party": [{"name": "Kara"}], "marching_order": ["Nobody"]},
        "/marching_order/0",
    ),
    "an unknown bearer": (
        {"ruleset": "derelict", "party": [{"name": "Kara"}], "light_bearers": ["Nobody"]},
        "/light_bearers/0",
    ),
    "an unknown rule": ({"ruleset": "derelict", "party": [{"name": "Kara"}], "rules": {"luck": 1}}, "/rules/luck"),
    "rules in a list": ({"ruleset": "derelict", "party": [{"name": "Kara"}], "rules": []}, "/rules"),
    "an alert for all to see": (
        {"ruleset": "derelict", "party": [{"name": "Kara"}], "visibility": {"alert": "all"}},
        "/visibility/alert",
    ),
}


@pytest.mark.parametrize(("body", "pointer"), STARTS.values(), ids=STARTS.keys())
def test_a_crawl_that_cannot_be_started_is_refused(api: Api, body: Any, pointer: str) -> None:
    told = problem(api.post("/v1/crawls", body), 422, "invalid_request")
    assert pointer in [error["pointer"] for error in told["errors"]]


def test_all_faults_are_told_at_once(api: Api) -> None:
    told = problem(
        api.post("/v1/crawls", {"party": [{"name": ""}, {"name": 5}], "colour": "red"}), 422, "invalid_request"
    )
    pointers = {error["pointer"] for error in told["errors"]}
    assert pointers == {"/ruleset", "/party/0/name", "/party/1/name", "/colour"}


BETWEEN: dict[str, tuple[str, str, Any, str]] = {
    "an alert that says nothing": ("POST", "/alert", {}, ""),
    "an alert that says two things": ("POST", "/alert", {"level": 2, "change": 1}, ""),
    "an unknown effect": ("POST", "/alert", {"effect": "explode"}, "/effect"),
    "an effect beside a level": ("POST", "/alert", {"level": 2, "effect": "withdraw"}, "/effect"),
    "a check with a seven": ("POST", "/encounter_checks", {"face": 7}, "/face"),
    "an undo of something": ("POST", "/undo", {"steps": 2}, "/steps"),
    "a timer that has no time": ("POST", "/timers", {"name": "Torch", "kind": "light"}, "/seconds"),
    "a timer of an unknown kind": ("POST", "/timers", {"name": "T", "kind": "sun", "seconds": 60}, "/kind"),
    "a timer nobody bears": (
        "POST",
        "/timers",
        {"name": "T", "kind": "light", "seconds": 60, "bearer": "Nobody"},
        "/bearer",
    ),
    "a webhook to a file": ("POST", "/webhooks", {"url": "file:///etc/passwd"}, "/url"),
    "a webhook to this host": ("POST", "/webhooks", {"url": "https://127.0.0.1/"}, "/url"),
    "a grace of eight days": ("POST", "/webhooks/x/rotate", {"grace_seconds": 8 * 24 * 3600}, "/grace_seconds"),
    "a recovery from nowhere": ("POST", "/webhooks/x/recover", {}, "/since"),
    "a recovery from a day": ("POST", "/webhooks/x/recover", {"since": "2026-12-01"}, "/since"),
    "a recovery from no zone": (
        "POST",
        "/webhooks/x/recover",
        {"since": "2026-12-01T20:00:00"},
        "/since",
    ),
    "a recovery from month 13": (
        "POST",
        "/webhooks/x/recover",
        {"since": "2026-13-01T20:00:00Z"},
        "/since",
    ),
    "a webhook for an unknown event": ("POST", "/webhooks", {"url": "https://x.example", "events": ["x"]}, "/events/0"),
    "another ruleset": ("PATCH", "", {"ruleset": "stretch"}, "/ruleset"),
    "nobody left": ("PATCH", "", {"party": []}, "/party"),
    "an id of nobody": ("PATCH", "", {"party": [{"id": "chr_x", "name": "Kara"}]}, "/party/0/id"),
}


@pytest.mark.parametrize(("method", "path", "body", "pointer"), BETWEEN.values(), ids=BETWEEN.keys())
def test_what_cannot_be_read_between_rounds_changes_nothing(
    crawl: Crawl, method: str, path: str, body: Any, pointer: str
) -> None:
    before, events = crawl.stands(), crawl.events()
    told = problem(crawl.gm.ask(method, crawl.path + path, body), 422, "invalid_request")
    assert pointer in [error["pointer"] for error in told["errors"]]
    assert crawl.stands() == before
    assert crawl.events() == events


def test_a_paused_and_an_ended_crawl_take_no_round(crawl: Crawl) -> None:
    crawl.gm.post(f"{crawl.path}/pause")
    problem(crawl.gm.post(f"{crawl.path}/rounds", EXPLORE), 409, "illegal_status")
    crawl.gm.post(f"{crawl.path}/resume", {})
    crawl.round()
    crawl.gm.post(f"{crawl.path}/end")
    before = crawl.stands()
    problem(crawl.gm.post(f"{crawl.path}/rounds", EXPLORE), 409, "illegal_status")
    problem(crawl.gm.post(f"{crawl.path}/resume"), 409, "illegal_status")
    assert crawl.stands() == before
    assert before["dice"]["seed"] == "5e" * 32


def test_nothing_to_undo_or_redo_is_illegal(crawl: Crawl) -> None:
    problem(crawl.gm.post(f"{crawl.path}/undo"), 409, "illegal_undo")
    problem(crawl.gm.post(f"{crawl.path}/redo"), 409, "illegal_redo")


def test_the_alert_of_a_ruleset_without_one_is_illegal(api: Api) -> None:
    stretch = start(api, ruleset="stretch")
    problem(stretch.gm.post(f"{stretch.path}/alert", {"level": 2}), 409, "illegal_alert")


PATHS = {
    "round_not_found": ["/rounds/1", "/rounds/0", "/rounds/01", "/rounds/x", "/rounds/-1", "/rounds/" + "9" * 400],
    "encounter_not_found": ["/encounters/enc_x", "/encounters/%00", "/encounters/%ff", "/encounters/..%2e"],
    "webhook_not_found": ["/webhooks/whk_x", "/webhooks/whk_x/deliveries"],
}


@pytest.mark.parametrize(("code", "path"), [(code, path) for code, paths in PATHS.items() for path in paths])
def test_what_the_path_names_and_is_not_there_is_not_found(crawl: Crawl, code: str, path: str) -> None:
    problem(crawl.gm.get(crawl.path + path), 404, code)


def test_changes_to_what_is_not_there_are_not_found(crawl: Crawl) -> None:
    problem(crawl.gm.patch(f"{crawl.path}/encounters/x", {"status": "revealed"}), 404, "encounter_not_found")
    problem(crawl.gm.post(f"{crawl.path}/encounters/x/slip", {"perception": {"total": 9}}), 404, "encounter_not_found")
    problem(crawl.gm.patch(f"{crawl.path}/timers/x", {"paused": True}), 404, "timer_not_found")
    problem(crawl.gm.ask("DELETE", f"{crawl.path}/timers/x"), 404, "timer_not_found")
    problem(crawl.gm.patch(f"{crawl.path}/webhooks/x", {"status": "paused"}), 404, "webhook_not_found")
    problem(crawl.gm.ask("DELETE", f"{crawl.path}/webhooks/x"), 404, "webhook_not_found")
    for verb in ("ping", "rotate"):
        problem(crawl.gm.post(f"{crawl.path}/webhooks/x/{verb}"), 404, "webhook_not_found")
    since = {"since": "2026-12-01T20:00:00Z"}
    problem(crawl.gm.post(f"{crawl.path}/webhooks/x/recover", since), 404, "webhook_not_found")
    problem(crawl.gm.post(f"{crawl.path}/deliveries/x/redeliver"), 404, "delivery_not_found")
    ahead = {"activity": "search"}
    problem(crawl.gm.ask("PUT", f"{crawl.path}/declarations/chr_x", ahead), 404, "character_not_found")
    problem(crawl.gm.ask("DELETE", f"{crawl.path}/declarations/{crawl.kara}"), 404, "declaration_not_found")


QUERIES = {
    "limit": ["limit=0", "limit=201", "limit=-1", "limit=x", "limit=", "limit=5&limit=5", "limit=1000000000000000000"],
    "after": ["after=-1", "after=x", "after=1.5", "after=%ff"],
}


@pytest.mark.parametrize(("name", "query"), [(name, query) for name, queries in QUERIES.items() for query in queries])
@pytest.mark.parametrize("path", ["/rounds", "/events"])
def test_a_query_that_cannot_be_read_is_refused(crawl: Crawl, path: str, name: str, query: str) -> None:
    told = problem(crawl.gm.get(f"{crawl.path}{path}?{query}"), 422, "invalid_request")
    assert told["errors"][0]["parameter"] == name


def test_an_unknown_render_is_refused_and_an_unknown_parameter_passed_over(crawl: Crawl) -> None:
    told = problem(crawl.gm.post(f"{crawl.path}/rounds?render=svg", EXPLORE), 422, "invalid_request")
    assert told["errors"][0]["parameter"] == "render"
    assert crawl.stands()["rounds"] == 0
    assert crawl.gm.get(f"{crawl.path}/rounds?colour=red").status_code == 200

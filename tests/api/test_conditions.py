"""Conditional requests: ETag and If-None-Match, If-Match, Idempotency-Key."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest

from tests.api.talking import PARTY, Api, Crawl, problem

EXPLORE = {"kind": "explore"}
START = {"ruleset": "derelict", "party": list(PARTY)}


def test_a_reader_who_has_it_is_told_so(crawl: Crawl) -> None:
    tag = crawl.gm.get(crawl.path).headers["ETag"]
    assert tag == '"1"'
    for sent in (tag, f"W/{tag}", f'"0", {tag}', "*"):
        answer = crawl.gm.get(crawl.path, headers={"If-None-Match": sent})
        assert (answer.status_code, answer.data, answer.headers["ETag"]) == (304, b"", tag)
    crawl.round()
    assert crawl.gm.get(crawl.path, headers={"If-None-Match": tag}).status_code == 200


@pytest.mark.parametrize(
    "path", ["", "/rounds", "/rounds/1", "/declarations", "/encounters", "/timers", "/events", "/webhooks"]
)
def test_every_read_gives_a_tag_that_holds(crawl: Crawl, path: str) -> None:
    crawl.round()
    tag = crawl.gm.get(crawl.path + path).headers["ETag"]
    assert crawl.gm.get(crawl.path + path, headers={"If-None-Match": tag}).status_code == 304


def test_a_players_tag_does_not_move_with_what_players_do_not_see(crawl: Crawl) -> None:
    tag = crawl.player.get(crawl.path).headers["ETag"]
    crawl.gm.post(f"{crawl.path}/alert", {"level": 3})
    crawl.gm.post(f"{crawl.path}/encounter_checks", {"face": 6})
    assert crawl.player.get(crawl.path).headers["ETag"] == tag
    assert tag != crawl.gm.get(crawl.path).headers["ETag"]


def test_a_write_on_what_is_no_longer_so_is_stale(crawl: Crawl) -> None:
    first = crawl.gm.post(f"{crawl.path}/rounds", EXPLORE, headers={"If-Match": '"1"'})
    assert (first.status_code, first.headers["ETag"]) == (201, '"2"')
    before = crawl.stands()
    for method, path, body in (
        ("POST", "/rounds", EXPLORE),
        ("POST", "/undo", None),
        ("POST", "/alert", {"level": 2}),
        ("PATCH", "", {"name": "x"}),
        ("DELETE", "", None),
        ("POST", "/webhooks", {"url": "https://x.example"}),
    ):
        for sent in ('"1"', 'W/"2"', "2", '"p-1"', "nonsense"):
            answer = crawl.gm.ask(method, crawl.path + path, body, headers={"If-Match": sent})
            problem(answer, 412, "stale_crawl")
    assert crawl.stands() == before
    assert crawl.gm.post(f"{crawl.path}/undo", headers={"If-Match": '"1", "2"'}).status_code == 200
    assert crawl.gm.post(f"{crawl.path}/redo", headers={"If-Match": "*"}).status_code == 200


def test_the_same_key_gives_the_first_answer_again(crawl: Crawl) -> None:
    key = {"Idempotency-Key": "round-1", "If-Match": '"1"'}
    first = crawl.gm.post(f"{crawl.path}/rounds", EXPLORE, headers=key)
    again = crawl.gm.post(f"{crawl.path}/rounds", EXPLORE, headers=key)
    quoted = crawl.gm.post(f"{crawl.path}/rounds", EXPLORE, headers={"Idempotency-Key": '"round-1"'})
    assert "Idempotent-Replayed" not in first.headers
    for answer in (again, quoted):
        assert answer.headers["Idempotent-Replayed"] == "true"
        assert (answer.status_code, answer.data) == (201, first.data)
        assert {name: answer.headers[name] for name in ("ETag", "Location")} == {
            name: first.headers[name] for name in ("ETag", "Location")
        }
    crawl.gm.post(f"{crawl.path}/undo")
    assert crawl.gm.post(f"{crawl.path}/rounds", EXPLORE, headers=key).data == first.data
    assert crawl.stands()["rounds"] == 0


def test_a_key_reused_for_another_request_is_refused(crawl: Crawl) -> None:
    key = {"Idempotency-Key": "k"}
    crawl.gm.post(f"{crawl.path}/rounds", EXPLORE, headers=key)
    other = {**EXPLORE, "note": "other"}
    problem(crawl.gm.post(f"{crawl.path}/rounds", other, headers=key), 422, "idempotency_key_reused")
    problem(crawl.gm.post(f"{crawl.path}/rounds?render=roll20", EXPLORE, headers=key), 422, "idempotency_key_reused")
    assert crawl.stands()["rounds"] == 1
    # On another route, or from another token, it is another key.
    assert crawl.gm.post(f"{crawl.path}/undo", headers=key).status_code == 200


def test_a_refusal_is_not_kept(crawl: Crawl) -> None:
    key = {"Idempotency-Key": "k"}
    crawl.gm.post(f"{crawl.path}/pause")
    problem(crawl.gm.post(f"{crawl.path}/rounds", EXPLORE, headers=key), 409, "illegal_status")
    problem(crawl.gm.post(f"{crawl.path}/rounds", {"kind": "?"}, headers=key), 422, "invalid_request")
    crawl.gm.post(f"{crawl.path}/resume")
    answer = crawl.gm.post(f"{crawl.path}/rounds", EXPLORE, headers=key)
    assert answer.status_code == 201
    assert "Idempotent-Replayed" not in answer.headers


def test_the_same_key_fifty_times_at_once_is_one_round(crawl: Crawl) -> None:
    def submit(_: int) -> tuple[int, bytes, bool]:
        answer = crawl.gm.post(f"{crawl.path}/rounds", EXPLORE, headers={"Idempotency-Key": "once"})
        return answer.status_code, answer.data, "Idempotent-Replayed" in answer.headers

    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(submit, range(50)))
    assert {(status, data) for status, data, _ in answers} == {answers[0][:2]}
    assert sorted(replayed for *_, replayed in answers) == [False, *[True] * 49]
    assert crawl.stands()["rounds"] == 1


@pytest.mark.parametrize("key", ["", " ", "a b", "ä", '"', '""', "x" * 256, "a\tb", '"a b"'])
def test_a_key_of_another_shape_is_refused(crawl: Crawl, key: str) -> None:
    answer = crawl.gm.post(f"{crawl.path}/rounds", EXPLORE, headers={"Idempotency-Key": key})
    problem(answer, 400, "idempotency_key_invalid") if key != '"' else None
    assert crawl.stands()["rounds"] == (1 if key == '"' else 0)


@pytest.mark.parametrize("key", ["x", "x" * 255, '"' + "x" * 255 + '"', "!#$%&'()*+,-./:;<=>?@[]^_`{|}~", "a,b"])
def test_a_key_is_1_to_255_visible_characters(crawl: Crawl, key: str) -> None:
    answer = crawl.gm.post(f"{crawl.path}/rounds", EXPLORE, headers={"Idempotency-Key": key})
    assert answer.status_code == 201


def test_without_a_token_the_key_is_a_uuid_and_starts_one_crawl(api: Api) -> None:
    problem(api.post("/v1/crawls", START, headers={"Idempotency-Key": "1"}), 400, "idempotency_key_invalid")
    key = {"Idempotency-Key": str(uuid4())}
    first = api.post("/v1/crawls", START, headers=key)
    again = api.post("/v1/crawls", START, headers=key)
    assert again.json == first.json
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.headers["Location"].endswith(first.json["id"])
    problem(api.post("/v1/crawls", {**START, "name": "x"}, headers=key), 422, "idempotency_key_reused")


def test_what_was_deleted_is_deleted_once(crawl: Crawl) -> None:
    key = {"Idempotency-Key": "gone"}
    assert crawl.gm.ask("DELETE", crawl.path, headers=key).status_code == 204
    again = crawl.gm.ask("DELETE", crawl.path, headers=key)
    assert (again.status_code, again.headers["Idempotent-Replayed"]) == (204, "true")
    problem(crawl.gm.ask("DELETE", crawl.path), 404, "crawl_not_found")
    assert crawl.gm.get(crawl.path).status_code == 404


def test_answers_with_secrets_are_not_kept_by_caches(api: Api, crawl: Crawl) -> None:
    assert api.post("/v1/crawls", START).headers["Cache-Control"] == "no-store"
    assert crawl.gm.get(crawl.path).headers["Cache-Control"] == "private, no-cache"

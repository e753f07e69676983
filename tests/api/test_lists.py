"""Lists are cursor pages, and nothing is missed or told twice between them."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.api.conftest import KEY
from tests.api.talking import Api, Crawl, problem, start


def pages(api: Api, path: str, plural: str) -> list[list[Any]]:
    """Every page, from the first on by the links that they give."""
    found = []
    at: str | None = path
    while at:
        answer = api.get(at)
        assert set(answer.json) == {plural, "next"}
        found.append(answer.json[plural])
        link = answer.headers.get("Link")
        assert (link is None) == (answer.json["next"] is None)
        parts = urlsplit(link.split(">")[0][1:]) if link else None
        at = f"{parts.path}?{parts.query}" if parts else None
    return found


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 200])
def test_rounds_and_events_come_in_order(crawl: Crawl, limit: int) -> None:
    for _ in range(5):
        crawl.round()
    for reader in (crawl.gm, crawl.player):
        rounds = pages(reader, f"{crawl.path}/rounds?limit={limit}", "rounds")
        assert [each["number"] for page in rounds for each in page] == [1, 2, 3, 4, 5]
        assert all(len(page) == limit for page in rounds[:-1])
        events = pages(reader, f"{crawl.path}/events?limit={limit}", "events")
        assert [each["sequence"] for page in events for each in page] == list(range(1, 7))


def test_encounters_come_in_order_and_players_pages_tell_of_no_others(crawl: Crawl) -> None:
    for _ in range(5):
        crawl.gm.post(f"{crawl.path}/encounter_checks", {"face": 6})
    path = f"{crawl.path}/encounters?limit=2"
    came = [each["id"] for page in pages(crawl.gm, path, "encounters") for each in page]
    assert len(set(came)) == 5
    assert pages(crawl.player, path, "encounters") == [[]]
    for shown in (came[0], came[2], came[4]):
        crawl.gm.patch(f"{crawl.path}/encounters/{shown}", {"status": "revealed"})
    seen = pages(crawl.player, path, "encounters")
    assert [[each["id"] for each in page] for page in seen] == [[came[0], came[2]], [came[4]]]
    hidden, made_up = (crawl.player.get(f"{crawl.path}/encounters?after={after}") for after in (came[1], "enc_x"))
    assert problem(hidden, 422, "invalid_request")["errors"] == problem(made_up, 422, "invalid_request")["errors"]


def test_crawls_come_newest_first(keyed: Api) -> None:
    mine = keyed.as_who(KEY)
    started = [start(mine, name=f"No. {number}").started["id"] for number in range(5)]
    listed = pages(mine, "/v1/crawls?limit=2", "crawls")
    assert [len(page) for page in listed] == [2, 2, 1]
    assert sorted(each["id"] for page in listed for each in page) == sorted(started)
    refused = mine.get("/v1/crawls?after=nonsense")
    assert refused.status_code == 422
    assert refused.json["errors"][0]["parameter"] == "after"


def test_short_lists_are_pages_too(crawl: Crawl) -> None:
    for number in range(3):
        crawl.gm.post(f"{crawl.path}/timers", {"name": f"Torch {number}", "kind": "light", "seconds": 600})
        crawl.gm.post(f"{crawl.path}/webhooks", {"url": "https://example.com/hook"})
    for each in crawl.started["party"]:
        crawl.gm.ask("PUT", f"{crawl.path}/declarations/{each['id']}", {"activity": "loot"})
    for plural in ("timers", "webhooks", "declarations"):
        whole = crawl.gm.get(f"{crawl.path}/{plural}").json
        assert whole["next"] is None
        found = pages(crawl.gm, f"{crawl.path}/{plural}?limit=1", plural)
        assert [len(page) for page in found] == [1] * len(whole[plural])
        assert [each for page in found for each in page] == whole[plural]
    assert [len(page) for page in pages(crawl.player, f"{crawl.path}/timers?limit=2", "timers")] == [2, 1]
    assert [len(page) for page in pages(crawl.gm, "/v1/rulesets?limit=1", "rulesets")] == [1, 1]


@pytest.mark.parametrize("plural", ["declarations", "timers", "webhooks"])
def test_a_short_list_refuses_what_was_no_next(crawl: Crawl, plural: str) -> None:
    assert crawl.gm.get(f"{crawl.path}/{plural}").json == {plural: [], "next": None}
    for query in ("after=made_up", "limit=0", "limit=201"):
        problem(crawl.gm.get(f"{crawl.path}/{plural}?{query}"), 422, "invalid_request")

"""Export and import: who may, what a document holds and what not, and what one that was tampered with does."""

from __future__ import annotations

import json
import re
import uuid

import pytest
from marshmallow import ValidationError

from service.api.schemas.fields import Text, Whole
from service.api.schemas.shape import Shape, Upgraded
from service.app import create_app
from service.crawls import keeping
from service.rules.dice import commitment
from service.settings import Settings
from service.store.crawls import CrawlStore
from tests.api.conftest import KEY
from tests.api.talking import SEED, Api, Crawl, problem
from tests.crawls.tables import hashed
from tests.keeping.evenings import an_evening, export, imported, two


@pytest.fixture
def api(store: CrawlStore) -> Api:
    return Api(create_app(Settings(webhook_allow=()), store))


@pytest.fixture
def crawl(api: Api) -> Crawl:
    return an_evening(api)


def test_a_player_may_not_export(crawl: Crawl) -> None:
    problem(crawl.player.get(f"{crawl.path}/export"), 403, "forbidden")


def test_no_token_no_url_no_secret_and_no_seed_is_in_it(crawl: Crawl, store: CrawlStore) -> None:
    loaded = store.wholes.read(crawl.started["id"], 1 << 20, 1 << 20)
    told = json.dumps(export(crawl))
    assert loaded.crawl.seed not in told
    assert commitment(loaded.crawl.seed) in told
    webhook = next(iter(store.webhooks.all(crawl.started["id"]).values()))
    for secret in (*crawl.started["tokens"].values(), "hooks.example", webhook["secret"], webhook["id"], "owner"):
        assert secret not in told
    assert not re.search(r"\b(gm|pl|ik|tk)_|whsec_|https?:", told)


def test_the_seed_is_in_it_once_the_crawl_has_ended(crawl: Crawl) -> None:
    crawl.gm.post(f"{crawl.path}/end")
    dice = export(crawl)["dice"]
    assert dice == {"commitment": commitment(dice["seed"]), "seed": dice["seed"]}


def test_version_and_sequences_go_on_and_nobody_sees_a_hole(api: Api, crawl: Crawl) -> None:
    document, before = export(crawl), [each.get(f"{crawl.path}/events?limit=200").json for each in two(crawl)]
    copy = imported(api, document)
    assert copy.stands()["version"] == crawl.stands()["version"] + 1
    for old, who in zip(before, two(copy), strict=True):
        events = who.get(f"{copy.path}/events?limit=200").json["events"]
        assert events[:-1] == [{**event, "crawl": copy.started["id"]} for event in old["events"]]
        assert events[-1]["sequence"] == len(events)
        assert (events[-1]["type"], events[-1]["data"]) == ("crawl.changed", {"changed": ["imported"]})
    copy.round()
    assert copy.events() > len(before[0]["events"]) + 1


def test_an_import_of_an_import_changes_nothing_but_what_counts_imports(api: Api, crawl: Crawl) -> None:
    first = export(crawl)
    second = export(imported(api, first))
    own = {"id", "version", "dice", "sequence", "public_sequence", "events", "history", "redo"}
    assert [second[key] for key in second if key not in own] == [first[key] for key in first if key not in own]
    steps = [{**step, "commitment": first["dice"]["commitment"]} for step in first["history"]]
    assert second["history"] == steps == export(imported(api, second))["history"]


def test_a_copy_shares_nothing_with_its_original(api: Api, crawl: Crawl) -> None:
    copy = imported(api, export(crawl))
    problem(crawl.gm.get(copy.path), 404, "crawl_not_found")
    crawl.gm.ask("DELETE", crawl.path)
    assert copy.round()["number"] == copy.stands()["rounds"]
    assert copy.gm.get(f"{copy.path}/webhooks").json["webhooks"] == []


def test_it_is_told_once_with_an_idempotency_key_and_its_tokens_again(api: Api, crawl: Crawl) -> None:
    document, key = export(crawl), {"Idempotency-Key": str(uuid.uuid4())}
    first, second = (api.post("/v1/crawls/import", document, headers=key) for _ in range(2))
    assert second.json == first.json
    assert second.headers["Idempotent-Replayed"] == "true"
    problem(api.post("/v1/crawls/import", {**document, "version": 99}, headers=key), 422, "idempotency_key_reused")


def test_where_starting_takes_a_key_importing_does(store: CrawlStore, crawl: Crawl) -> None:
    store.keyring.create(hashed(KEY), "ours", "2026-11-30T12:00:00Z", crawls=1)
    keyed, document = Api(create_app(Settings(registration="key"), store)), export(crawl)
    problem(keyed.post("/v1/crawls/import", document), 401, "unauthorized")
    copy = imported(keyed.as_who(KEY), document)
    problem(keyed.as_who(KEY).post("/v1/crawls/import", document), 409, "illegal_crawl")
    assert [each["id"] for each in keyed.as_who(KEY).get("/v1/crawls").json["crawls"]] == [copy.started["id"]]


def test_a_document_of_a_newer_version_is_refused_by_its_number(api: Api, crawl: Crawl) -> None:
    told = problem(api.post("/v1/crawls/import", {**export(crawl), "format": 2, "new": {}}), 422, "invalid_request")
    assert [fault["pointer"] for fault in told["errors"]] == ["/format"]
    assert "reads up to 1" in told["detail"]


def test_a_document_in_an_older_format_is_brought_up_to_date() -> None:
    """With formats that there were not: the first called a crawl's party its folk, the second its crew."""

    class Third(Shape):
        format = Whole(3, 3, required=True)
        party = Text(10, required=True)

    upgrades = {
        1: lambda first: {"crew": first["folk"]},
        2: lambda second: {"party": second["crew"]},
    }
    shape = Upgraded("format", Third(), 3, upgrades)
    assert [shape.load(each)["party"] for each in ({"format": 1, "folk": "us"}, {"format": 3, "party": "us"})] == [
        "us"
    ] * 2
    for hostile in ({"format": 0}, {"format": True, "folk": "us"}, {"format": "1"}, {"format": 4}, [], None):
        with pytest.raises(ValidationError):
            shape.load(hostile)


def test_a_seed_that_was_not_committed_to_is_refused(api: Api, crawl: Crawl) -> None:
    document = export(crawl)
    document["dice"]["seed"] = SEED
    told = problem(api.post("/v1/crawls/import", document), 422, "invalid_request")
    assert [fault["pointer"] for fault in told["errors"]] == ["/dice/seed"]


def test_a_body_of_a_mebibyte_is_taken_and_one_above_is_not(api: Api, crawl: Crawl) -> None:
    raw = json.dumps(export(crawl)).encode()
    room = keeping.MOST_BYTES - len(raw)
    assert api.post("/v1/crawls/import", raw=raw + b" " * room).status_code == 201
    problem(api.post("/v1/crawls/import", raw=raw + b" " * (room + 1)), 413, "body_too_large")


def test_events_that_do_not_fit_are_left_out_from_the_oldest(
    api: Api, crawl: Crawl, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = export(crawl)
    without = len(json.dumps({**whole, "events": []}))
    monkeypatch.setattr(keeping, "EVENTS_UP_TO", without + 4000)
    document = export(crawl)
    sequences = [event["sequence"] for event in document["events"]]
    assert sequences[0] > 1
    assert sequences == list(range(sequences[0], whole["sequence"] + 1))
    assert document["events"] == whole["events"][sequences[0] - 1 :]
    copy = imported(api, document)
    told = problem(copy.gm.get(f"{copy.path}/events"), 410, "events_trimmed")
    assert told["earliest"] == sequences[0]


def test_a_crawl_that_no_import_would_take_is_not_exported(crawl: Crawl, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = export(crawl)
    for most in (1, 5000, len(json.dumps({**whole, "events": []}, separators=(",", ":"), ensure_ascii=False)) - 1):
        monkeypatch.setattr(keeping, "MOST_BYTES", most)
        problem(crawl.gm.get(f"{crawl.path}/export"), 409, "illegal_export")

"""Every crawl of the corpus, taken out and put back in, is the crawl that it was and plays on as it would have."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from service.app import create_app
from service.settings import Settings
from service.store.crawls import CrawlStore
from tests.api.talking import SEED
from tests.rules.test_corpus import FILES, Table, read

ITS_OWN = ("id", "version", "tokens", "dice", "request_id")
"""What differs between a crawl and its copy, and between their answers."""

LISTS = ("rounds", "encounters", "declarations", "timers")


@pytest.fixture
def client(store: CrawlStore) -> FlaskClient:
    return create_app(Settings(), store).test_client()


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_a_copy_stands_and_plays_on_as_the_original(client: FlaskClient, path: Path) -> None:
    """Before each step: with the seed that the GM chose, even the service's own dice fall the same."""
    case = read(path)
    started = client.post("/v1/crawls", json={"seed": SEED, **case["crawl"]})
    if "refused" in case:
        return
    table = Table(client, started.get_json())
    for number, step in enumerate(case["steps"]):
        copy = copied(table, case["crawl"].get("seed", SEED))
        assert stands(copy) == stands(table)
        assert played(copy, step) == played(table, step), f"step {number}"


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_a_copy_can_be_undone_to_the_entry_and_made_again(client: FlaskClient, path: Path) -> None:
    case = read(path)
    started = client.post("/v1/crawls", json=case["crawl"])
    if "refused" in case:
        return
    table = Table(client, started.get_json())
    for step in case["steps"]:
        table.play(step)
    copy = copied(table)
    for there, back in (("undo", "redo"), ("redo", "undo")):
        assert walked(copy, there) == walked(table, there)
        assert walked(copy, back) == walked(table, back)


def copied(table: Table, seed: str | None = None) -> Table:
    """The crawl begun again from its export."""
    status, document = table.ask("GET", "/export")
    assert status == 200
    if seed is not None:
        document["dice"]["seed"] = seed
    answer = table.client.post("/v1/crawls/import", json=document)
    assert answer.status_code == 201, answer.get_data(as_text=True)
    copy = Table(table.client, answer.get_json())
    copy.encounters = list(table.encounters)
    return copy


def stands(table: Table) -> Mapping[str, Any]:
    """All that can be read of a crawl, its events aside."""
    return plain(table.ask("GET", "")[1]) | {name: table.ask("GET", f"/{name}?limit=200")[1] for name in LISTS}


def played(table: Table, step: Mapping[str, Any]) -> Any:
    status, answer = table.play(step)
    return status, plain(answer)


def walked(table: Table, way: str) -> list[Mapping[str, Any]]:
    """How it stands after each undo or redo, until nothing is left."""
    found = []
    while table.ask("POST", f"/{way}")[0] == 200:
        found.append(stands(table))
    return found


def plain(answer: Any) -> Mapping[str, Any]:
    return {key: value for key, value in answer.items() if key not in ITS_OWN} if answer else {}

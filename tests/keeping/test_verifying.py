"""Every die that the service rolled can be counted off from the seed of an ended crawl, and no other face stands."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from service.api.schemas.kept import KEPT
from service.app import create_app
from service.crawls.verifying import Verified, verify_rounds
from service.settings import Settings
from service.store.crawls import CrawlStore
from tests.api.talking import SEED
from tests.cli.serving import alarum
from tests.keeping.test_corpus import copied
from tests.rules.test_corpus import FILES, Table, read

PARTY = [{"name": "Kara"}, {"name": "Bram"}, {"name": "Sela"}]


@pytest.fixture
def client(store: CrawlStore) -> FlaskClient:
    return create_app(Settings(), store).test_client()


@pytest.fixture
def table(client: FlaskClient) -> Table:
    """An evening with all kinds of dice, the service's and the caller's, some of them in one check."""
    started = client.post(
        "/v1/crawls",
        json={
            "ruleset": "derelict",
            "party": PARTY,
            "alert": {"level": 4},
            "guards": {"perception_modifier": 3},
        },
    )
    table = Table(client, started.get_json())
    sneak = {"activity": "move_quietly", "check": {"skill": "stealth", "modifier": 3, "advantage": "advantage"}}
    declarations = [
        {"character": "Kara", **sneak},
        {"character": "Bram", "activity": "search", "check": {"modifier": 2}},
        {"character": "Sela", "activity": "act", "check": {"modifier": 1, "naturals": [7], "dc": 10}},
    ]
    save = {"character": "Kara", "kind": "save", "from": "trap", "modifier": 1, "dc": 12}
    for body in (
        {"kind": "travel", "pace": "fast", "rooms": 9, "saves": [save], "dice": {"alert": [1]}},
        {"kind": "explore", "declarations": declarations, "dice": {"check": [11]}},
        {"kind": "explore", "declarations": declarations},
        {"kind": "rest", "rest": "short", "on_encounter": "continue", "dice": {"encounter": [1]}},
        {"kind": "time", "seconds": 36_000, "on_encounter": "continue", "saves": [save, save]},
    ):
        status, answer = table.ask("POST", "/rounds", body)
        assert status == 201, answer
    return table


def ended(table: Table) -> Any:
    table.ask("POST", "/end")
    return table.ask("GET", "/export")[1]


def verified(document: Any, *seeds: tuple[str, str]) -> list[Verified]:
    dice = document["dice"]
    known = dict([*seeds, *([(dice["commitment"], dice["seed"])] if dice["seed"] else [])])
    return list(verify_rounds(KEPT.load(document), known))


def faces(value: Any) -> Iterator[tuple[Any, Any]]:
    """Where in the rounds a face of the service's own stands: what holds it, and its key or place there."""
    if isinstance(value, dict):
        if "takes_time" in value.get("effects", ()):
            return  # that die is laid down
        if value.get("source") == "service" and "face" in value:
            yield value, "face"
        elif value.get("source") == "service":
            yield from ((value["dice"], i) for i in range(value.get("given", 0), len(value.get("dice", ()))))
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from faces(each)


def test_the_dice_of_an_evening_are_as_the_seed_has_them(table: Table) -> None:
    document = ended(table)
    rounds = verified(document)
    assert [each.differing for each in rounds] == [()] * 5
    assert sum(each.service for each in rounds) == len(list(faces(document["rounds"])))
    # One pace roll; one of Kara's two dice, and Sela's; Sela's; one check at rest.
    assert [each.caller for each in rounds] == [1, 2, 1, 1, 0]


def test_any_other_face_is_noticed(table: Table) -> None:
    document = ended(table)
    for place in range(len(list(faces(document["rounds"])))):
        changed = deepcopy(document)
        holder, key = list(faces(changed["rounds"]))[place]
        holder[key] = holder[key] % 6 + 1
        assert sum(len(each.differing) for each in verified(changed)) == 1


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_the_dice_of_every_crawl_of_the_corpus_are_as_the_seed_has_them(client: FlaskClient, path: Path) -> None:
    """The service rolls all of them."""
    case = read(path)
    if "refused" in case:
        return
    table = Table(client, client.post("/v1/crawls", json=case["crawl"]).get_json())
    for step in case["steps"]:
        if step["do"] == "round":
            table.ask("POST", "/rounds", {**step["body"], "dice": {}})
    document = ended(table)
    rounds = verified(document)
    assert not any(each.differing for each in rounds)
    assert sum(each.service for each in rounds) == len(list(faces(document["rounds"])))


def test_rounds_from_before_an_import_are_verified_with_the_seed_of_then(table: Table) -> None:
    before = table.ask("GET", "/export")[1]
    assert before["dice"]["seed"] is None
    copy = copied(table)
    copy.ask("POST", "/undo")
    copy.ask("POST", "/rounds", {"kind": "time", "seconds": 36_000, "on_encounter": "continue"})
    document, old = ended(copy), ended(table)
    assert document["dice"]["commitment"] != before["dice"]["commitment"] == old["dice"]["commitment"]
    rounds = verified(document)
    assert [each.commitment for each in rounds] == [old["dice"]["commitment"]] * 4 + [None]
    assert rounds[-1].service >= 20
    both = verified(document, (old["dice"]["commitment"], old["dice"]["seed"]))
    assert not any(each.differing or each.commitment for each in both)
    assert [each.service for each in both[:4]] == [each.service for each in verified(old)[:4]]


def test_the_command_says_it_round_by_round(table: Table, tmp_path: Path) -> None:
    file = tmp_path / "crawl.json"
    active = table.ask("GET", "/export")[1]
    document = ended(table)
    document_told = json.dumps(document)
    file.write_text(document_told)
    said = alarum("verify", str(file))
    assert (said.returncode, said.stderr) == (0, "")
    assert "dice verified, 0 differ, 5 were the caller's." in said.stdout

    holder, key = next(faces(document["rounds"]))
    holder[key] = holder[key] % 6 + 1
    file.write_text(json.dumps(document))
    said = alarum("verify", str(file))
    assert said.returncode == 1
    assert f" shows {holder[key]}, and the seed " in said.stdout

    file.write_text(document_told.replace(document["dice"]["seed"], SEED))
    said = alarum("verify", str(file))
    assert (said.returncode, said.stdout) == (
        1,
        "The seed is not the one that was committed to: this proves nothing.\n",
    )

    file.write_text(json.dumps(active))
    said = alarum("verify", str(file))
    assert said.returncode == 2
    assert "end the crawl" in said.stderr

    file.write_text('{"format": 99}')
    said = alarum("verify", str(file))
    assert said.returncode == 2
    assert "reads up to 1" in said.stderr

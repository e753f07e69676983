"""Every corpus file, played through the use cases on a real store."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from service.crawls.alerts import set_alert
from service.crawls.cards import change_card
from service.crawls.checks import check_by_hand
from service.crawls.declaring import declare
from service.crawls.encounters import change_encounter, slip
from service.crawls.rounds import submit_round
from service.crawls.timers import add_timer
from service.crawls.undoing import redo, undo
from service.rules.errors import RulesError
from service.store.crawls import CrawlStore
from tests.crawls.tables import Table, start
from tests.rules import wire
from tests.rules.matching import mismatches, named_encounters

FILES = sorted((Path(__file__).parents[1] / "rounds").glob("*.json"))
Step = Mapping[str, Any]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_table_that_plays_it_gets_what_the_rules_say(store: CrawlStore, file: Path) -> None:
    case = json.loads(file.read_text(encoding="utf-8"))
    table = start(store, **case["crawl"])
    for number, step in enumerate(case["steps"], 1):
        step = named_encounters(step, [encounter["id"] for encounter in table.encounters()])
        assert _faults(table, step) == [], f"step {number} ({step['do']})"


def _faults(table: Table, step: Step) -> list[str]:
    """Where the step does not go as the file says. Schemas refuse some of what is 422 before a use case sees it."""
    refused = step.get("refused")
    before = table.stands()["version"]
    try:
        answer = DOING[step["do"]](table, step, step.get("body", {}))
    except (RulesError, TypeError, KeyError) as refusal:
        code = getattr(refusal, "code", "invalid_request")
        if not refused or code != refused["code"]:
            return [f"refused: {refusal} {getattr(refusal, 'faults', '')}"]
        return [] if table.stands()["version"] == before else ["refused, and yet changed"]
    if not refused:
        return mismatches(step.get("expect", {}), answer)
    if refused["status"] == 422:
        table.gm(undo)
        return []
    return ["was to be refused"]


def _patch(table: Table, _: Step, body: Step) -> Any:
    changes = {key: value for key, value in body.items() if key != "unlock"}
    return table.gm(change_card, changes, body.get("unlock", False))


def _declare(table: Table, step: Step, body: Step) -> Any:
    character = next(each["id"] for each in table.crawl["party"] if each["name"] == step["character"])
    return table.gm(declare, character, wire.declaration_of({**body, "character": character}))


def _slip(table: Table, step: Step, body: Step) -> Any:
    perception = wire.check_of(body["perception"])
    return table.gm(slip, _which(table, step), perception, body.get("route_changed", False))


def _which(table: Table, step: Step) -> str:
    return str(table.encounters()[step["which"]]["id"])


DOING: dict[str, Callable[[Table, Step, Step], Any]] = {
    "round": lambda table, _, body: table.gm(submit_round, wire.submission_of(body)),
    "alert": lambda table, _, body: table.gm(set_alert, body),
    "encounter_checks": lambda table, _, body: table.gm(check_by_hand, body.get("face"), body.get("counts", False)),
    "encounter": lambda table, step, body: table.gm(change_encounter, _which(table, step), body["status"]),
    "slip": _slip,
    "timers": lambda table, _, body: table.gm(add_timer, body),
    "patch": _patch,
    "declare": _declare,
    "undo": lambda table, *_: table.gm(undo),
    "redo": lambda table, *_: table.gm(redo),
    "crawl": lambda table, *_: table.stands(),
}

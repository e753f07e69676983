"""The rules corpus, `tests/rounds/*.json`, played over HTTP: every situation gives what the rulings say.

The expected answers were written from the rulings by hand, before the engine was run on them. How an expectation fits
an answer is in `matching.py`; a step's `same_as` names an earlier step (the first being 0) whose whole answer it must
repeat, the version aside, and a file's own `refused` says that such a crawl cannot be started. `rulings` names ids of
the rulings, the table of activities or a row of it (`activities/search`), and worked examples (`example 3`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from service.app import create_app
from service.settings import Settings
from service.store.crawls import CrawlStore
from tests.rules.matching import mismatches, named_encounters

FILES = sorted((Path(__file__).parents[1] / "rounds").glob("*.json"))
RULINGS = (
    *(f"T{number}" for number in range(1, 10)),
    *(f"A{number}" for number in range(1, 9)),
    *(f"C{number}" for number in range(1, 8)),
    *(f"S{number}" for number in range(1, 6)),
    "U1",
    "H1",
)
EXAMPLES = tuple(f"example {number}" for number in range(1, 10))
PLACES = re.compile(r"[TACS]\d|U1|H1|activities(/[a-z_]+)?|example \d+")
FILE_KEYS = {"title", "rulings", "crawl", "steps", "refused"}
STEP_KEYS = {"do", "body", "which", "character", "expect", "refused", "same_as"}
REFUSAL_KEYS = {"status", "code", "pointer"}
POSTED = {"alert", "encounter_checks", "timers", "undo", "redo", "pause", "resume", "end"}
DOING = {"round", "crawl", "patch", "encounter", "slip", "timer", "declare"} | POSTED

Case = Mapping[str, Any]


class Table:
    """One crawl over HTTP, its GM's token, and what came so far: answers by step, encounters in order of coming."""

    def __init__(self, client: FlaskClient, crawl: Mapping[str, Any]) -> None:
        self.client = client
        self.path = f"/v1/crawls/{crawl['id']}"
        self.headers = {"Authorization": f"Bearer {crawl['tokens']['gm']}"}
        self.party = {character["name"]: character["id"] for character in crawl["party"]}
        self.encounters: list[str] = []
        self.answers: list[Any] = []

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        given = {} if body is None else {"json": body}
        answer = self.client.open(self.path + path, method=method, headers=self.headers, **given)
        return answer.status_code, answer.get_json()

    def play(self, step: Case) -> tuple[int, Any]:
        method, path = self._route(step)
        body = named_encounters(step.get("body"), self.encounters)
        status, answer = self.ask(method, path, body)
        self.answers.append(answer)
        if status < 400:
            self._meet(answer)
        return status, answer

    def _route(self, step: Case) -> tuple[str, str]:
        what = step["do"]
        if what == "round":
            return "POST", "/rounds"
        if what == "crawl":
            return "GET", ""
        if what == "patch":
            return "PATCH", ""
        if what == "encounter":
            return "PATCH", f"/encounters/{self.encounters[step['which']]}"
        if what == "slip":
            return "POST", f"/encounters/{self.encounters[step['which']]}/slip"
        if what == "timer":
            return "PATCH", f"/timers/{self.ask('GET', '')[1]['timers'][step['which']]['id']}"
        if what == "declare":
            return "PUT", f"/declarations/{self.party[step['character']]}"
        return "POST", f"/{what}"

    def _meet(self, answer: Mapping[str, Any]) -> None:
        for encounter in (*answer.get("encounters", ()), answer.get("encounter")):
            if isinstance(encounter, Mapping) and encounter["id"] not in self.encounters:
                self.encounters.append(encounter["id"])


def read(path: Path) -> Case:
    case: Case = json.loads(path.read_text(encoding="utf-8"))
    return case


@pytest.fixture
def client(store: CrawlStore) -> FlaskClient:
    return create_app(Settings(), store).test_client()


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_the_corpus_holds_over_http(client: FlaskClient, path: Path) -> None:
    case = read(path)
    started = client.post("/v1/crawls", json=case["crawl"])
    if "refused" in case:
        assert list(refusals(case["refused"], started.status_code, started.get_json())) == []
        return
    assert started.status_code == 201, started.get_data(as_text=True)
    table = Table(client, started.get_json())
    for number, step in enumerate(case["steps"]):
        status, answer = table.play(step)
        told = f"{path.name}, step {number} ({step['do']} {json.dumps(step.get('body'), ensure_ascii=False)})"
        faults = list(differences(table, step, status, answer))
        assert faults == [], "\n".join((told, *faults))


def differences(table: Table, step: Case, status: int, answer: Any) -> Iterator[str]:
    """Where the answer to a step is not what the step says."""
    if "refused" in step:
        yield from refusals(step["refused"], status, answer)
        return
    if status >= 400:
        yield f"answered {status}: {json.dumps(answer, ensure_ascii=False)}"
        return
    yield from mismatches(named_encounters(step.get("expect", {}), table.encounters), answer)
    if "same_as" in step:
        yield from mismatches(without_version(table.answers[step["same_as"]]), without_version(answer))
        yield from mismatches(without_version(answer), without_version(table.answers[step["same_as"]]))


def refusals(refused: Case, status: int, problem: Any) -> Iterator[str]:
    """Where a refusal is not the one expected; a pointer that ends in `*` fits all that begin so."""
    if status < 400:
        yield f"expected a refusal, answered {status}"
        return
    if status >= 500:
        yield f"answered {status}: {problem}"
    yield from mismatches({key: refused[key] for key in ("status", "code") if key in refused}, problem)
    if pointer := refused.get("pointer"):
        found = [error["pointer"] for error in problem.get("errors", ())]
        if not any(each == pointer or (pointer.endswith("*") and each.startswith(pointer[:-1])) for each in found):
            yield f"/errors: expected the pointer {pointer}, found {found}: {problem['detail']}"


def without_version(answer: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in answer.items() if key != "version"}


@pytest.mark.parametrize("ruling", [*RULINGS, *EXAMPLES])
def test_every_ruling_and_every_worked_example_has_a_file(ruling: str) -> None:
    assert [path.name for path in FILES if ruling in read(path)["rulings"]]


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_a_file_holds_what_the_corpus_knows(path: Path) -> None:
    case = read(path)
    assert set(case) <= FILE_KEYS
    assert case["title"]
    assert case["rulings"]
    assert all(PLACES.fullmatch(place) for place in case["rulings"])
    assert path.stem.startswith(f"{case['crawl']['ruleset']}-")
    assert case["steps"] or "refused" in case
    for refused in (case.get("refused", {}), *(step.get("refused", {}) for step in case["steps"])):
        assert set(refused) <= REFUSAL_KEYS
    for place, step in enumerate(case["steps"]):
        assert set(step) <= STEP_KEYS
        assert step["do"] in DOING
        assert not ("refused" in step and ("expect" in step or "same_as" in step))
        assert ("which" in step) == (step["do"] in ("encounter", "slip", "timer"))
        assert ("character" in step) == (step["do"] == "declare")
        assert step.get("same_as", -1) < place

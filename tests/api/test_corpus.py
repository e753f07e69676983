"""Every corpus file, played over HTTP."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.api.talking import Api, Crawl, problem, start
from tests.rules.matching import mismatches, named_encounters

FILES = sorted((Path(__file__).parents[1] / "rounds").glob("*.json"))
POSTED = {"round": "rounds", "alert": "alert", "encounter_checks": "encounter_checks", "timers": "timers"}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_what_is_answered_is_what_the_rules_say(api: Api, file: Path) -> None:
    case = json.loads(file.read_text(encoding="utf-8"))
    crawl = start(api, **case["crawl"])
    for number, step in enumerate(case["steps"], 1):
        encounters = crawl.gm.get(f"{crawl.path}/encounters?limit=200").json["encounters"]
        step = named_encounters(step, [encounter["id"] for encounter in encounters])
        before = crawl.stands()
        answer = crawl.gm.ask(*asked(crawl, step, encounters), step.get("body"))
        if refused := step.get("refused"):
            told = problem(answer, refused["status"], refused["code"])
            if "pointer" in refused:
                assert refused["pointer"] in [error["pointer"] for error in told["errors"]], f"step {number}: {told}"
            assert crawl.stands() == before
        else:
            assert answer.status_code in (200, 201), f"step {number}: {answer.get_data(as_text=True)}"
            assert mismatches(step.get("expect", {}), answer.json) == [], f"step {number} ({step['do']})"


def asked(crawl: Crawl, step: Any, encounters: Any) -> tuple[str, str]:
    """Method and path of a step."""
    match step["do"]:
        case "crawl":
            return "GET", crawl.path
        case "patch":
            return "PATCH", crawl.path
        case "encounter":
            return "PATCH", f"{crawl.path}/encounters/{encounters[step['which']]['id']}"
        case "slip":
            return "POST", f"{crawl.path}/encounters/{encounters[step['which']]['id']}/slip"
        case "declare":
            character = next(each for each in crawl.started["party"] if each["name"] == step["character"])
            return "PUT", f"{crawl.path}/declarations/{character['id']}"
    return "POST", f"{crawl.path}/{POSTED.get(step['do'], step['do'])}"

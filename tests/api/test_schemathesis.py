"""What a machine makes of the reference: whatever it sends, no answer is a 5xx, and each is one that is described."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from service.app import create_app
from service.settings import Settings
from service.store.opening import open_store
from tests.api.talking import Api, Crawl, start

CHECKS = (
    schemathesis.checks.not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
)


class Door:
    """The application, once there is a store for it: the reference is read before there is one."""

    def __init__(self) -> None:
        self.app = create_app(Settings(redis="unix:///nobody/listens/here"))

    def __call__(self, environ: Any, start_response: Any) -> Any:
        return self.app(environ, start_response)


pytestmark = pytest.mark.slow
DOOR = Door()
# A stream never ends.
DESCRIBED = schemathesis.openapi.from_wsgi("/openapi.json", DOOR).exclude(operation_id="streamEvents")


@pytest.fixture(scope="module")
def api(store_url: str) -> Api:
    DOOR.app = create_app(Settings(), open_store(store_url))
    return Api(DOOR.app)


# A whole crawl is too much to be drawn within minutes: tests/keeping/test_tampering.py changes real ones instead.
@DESCRIBED.exclude(operation_id="importCrawl").parametrize()
@settings(
    max_examples=25,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[*HealthCheck],
)
def test_every_answer_is_one_that_is_described(api: Api, case: schemathesis.Case) -> None:
    crawl = _a_crawl(api)
    names = case.path_parameters
    if "crawl" in names:
        names["crawl"] = crawl.started["id"]
        case.headers["Authorization"] = f"Bearer {(crawl.player if _even(case, 'note') else crawl.gm).token}"
    for name in ("id", "character_id"):
        if name in names and _even(case, name):
            names[name] = _there(crawl, case.path.split("/")[4]) or "gone"
    if "number" in names and _even(case, "number"):
        names["number"] = 1
    case.call_and_validate(checks=list(CHECKS))


def _a_crawl(api: Api, used: list[Crawl] = []) -> Crawl:  # noqa: B006  (kept between cases on purpose)
    """A crawl that is played, with one of everything in it: the last one, until a case has ended or emptied it."""
    if used and _goes_on(used[0]):
        return used[0]
    crawl = start(api)
    crawl.round()
    crawl.gm.post(f"{crawl.path}/encounter_checks", {"face": 6})
    crawl.gm.post(f"{crawl.path}/timers", {"name": "Torch", "kind": "light", "seconds": 600_000})
    # A ping of it goes nowhere: nobody has allowed this network.
    crawl.gm.post(f"{crawl.path}/webhooks", {"url": "http://127.0.0.1:9999/"})
    used[:] = [crawl]
    return crawl


def _goes_on(crawl: Crawl) -> bool:
    kinds = ("encounters", "timers", "webhooks")
    return all(_there(crawl, kind) for kind in kinds) and crawl.stands()["status"] == "active"


def _there(crawl: Crawl, kind: str) -> str | None:
    """The id of something of this kind that is there."""
    if kind == "declarations":
        return crawl.kara
    found = crawl.gm.get(f"{crawl.path}/{kind}").json.get(kind)
    return str(found[0]["id"]) if found else None


def _even(case: schemathesis.Case, salt: str) -> bool:
    """A coin that falls the same for the same case."""
    return len(repr((case.path_parameters, case.body, case.query, salt))) % 2 == 0

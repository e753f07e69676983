"""The reference is valid, complete, the one that is committed, and what is really answered."""

from __future__ import annotations

import json
import re
from typing import Any

import jsonschema_rs
import pytest
import yaml
from openapi_spec_validator import validate

from service.api.contract import ROUTES
from service.api.openapi import SERVER, document, document_yaml
from service.api.operations import recorded
from service.api.problems import KINDS
from service.api.routes import Route
from service.crawls.webhooks import EVENT_TYPES
from service.store.crawls import CrawlStore
from tests.api import recording
from tests.api.talking import Api

DESCRIBED = document(SERVER)


def operation(route: Route) -> Any:
    return DESCRIBED["paths"][route.path][route.method.lower()]


def test_the_document_is_valid_openapi_3_1() -> None:
    assert DESCRIBED["openapi"] == "3.1.0"
    validate(DESCRIBED)


def test_the_committed_document_is_the_one_that_the_code_makes() -> None:
    assert recording.DOCUMENT.read_text() == document_yaml(), "run: python -m tests.api.recording"
    assert yaml.safe_load(document_yaml()) == DESCRIBED


def test_the_examples_are_what_is_really_answered(store: CrawlStore) -> None:
    assert recording.recorded(store) == recorded(), "run: python -m tests.api.recording"


def test_the_service_serves_it_with_its_own_address(api: Api) -> None:
    own = {**DESCRIBED, "servers": [{"url": "http://localhost", "description": "This instance"}]}
    assert api.get("/openapi.json").json == own
    answer = api.get("/openapi.yaml")
    assert answer.content_type == "application/yaml; charset=utf-8"
    assert yaml.safe_load(answer.data) == own


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.operation_id)
def test_every_route_says_what_it_is(route: Route) -> None:
    told = operation(route)
    assert re.fullmatch(r"[a-z][A-Za-z]+", told["operationId"])
    assert told["summary"] and told["description"].endswith(".")
    for parameter in [*told["parameters"], *DESCRIBED["paths"][route.path].get("parameters", [])]:
        assert parameter["description"]
    for response in told["responses"].values():
        if "$ref" in response:
            response = DESCRIBED["components"]["responses"][response["$ref"].rpartition("/")[2]]
            assert list(response["content"]) == ["application/problem+json"]
        assert response["description"]
    assert "500" in told["responses"]


def test_operation_ids_and_paths_are_unique() -> None:
    ids = [route.operation_id for route in ROUTES]
    assert len(ids) == len(set(ids))
    assert len({(route.method, route.path) for route in ROUTES}) == len(ROUTES)


def test_every_code_of_a_refusal_is_in_the_document() -> None:
    assert DESCRIBED["components"]["schemas"]["Problem"]["properties"]["code"]["enum"] == list(KINDS)
    # The rest belongs to no route: a path or a method that is not there, or what is no request.
    named = json.dumps(DESCRIBED["components"]["responses"])
    assert {code for code in KINDS if f"`{code}`" not in named} == {
        "route_not_found", "method_not_allowed", "uri_too_long", "expectation_failed", "headers_too_large",
        "transfer_coding_unknown",
    }  # fmt: skip


def test_every_event_type_has_a_webhook_with_an_example() -> None:
    assert list(DESCRIBED["webhooks"]) == list(EVENT_TYPES)
    for kind, item in DESCRIBED["webhooks"].items():
        example = item["post"]["requestBody"]["content"]["application/json"]["example"]
        assert example["type"] == kind
        assert fits(example, "Event")


@pytest.mark.parametrize("route", [route for route in ROUTES if route.operation_id in recorded()["operations"]],
                         ids=lambda route: route.operation_id)  # fmt: skip
def test_examples_fit_their_schemas(route: Route) -> None:
    told = operation(route)
    for example in recorded()["operations"][route.operation_id].values():
        if example["request"] is not None:
            content = told["requestBody"]["content"]["application/json"]
            assert valid(example["request"], content["schema"]) == []
        good = next(told["responses"][str(status)] for status in route.answers)
        assert valid(example["response"], good["content"]["application/json"]["schema"]) == []


def test_nearly_every_route_has_an_example() -> None:
    without = {route.operation_id for route in ROUTES if route.answers.keys() != {204}} - recorded()[
        "operations"
    ].keys()
    assert without == {
        "listCrawls", "listRulesets", "getRuleset", "getIndex", "getAlive", "getReady", "getMetrics", "streamEvents",
    }  # fmt: skip


def test_no_example_holds_a_secret() -> None:
    text = recording.EXAMPLES.read_text() + recording.DOCUMENT.read_text()
    assert not re.search(r"whsec_[A-Za-z0-9]|\b(gm|pl|ik|tk)_[A-Za-z0-9]{10}", text)


def fits(value: Any, name: str) -> bool:
    return valid(value, {"$ref": f"#/components/schemas/{name}"}) == []


def valid(value: Any, schema: Any) -> list[str]:
    """What is wrong with `value`, by a schema of the document."""
    whole = {**schema, "components": DESCRIBED["components"]}
    return [error.message for error in jsonschema_rs.validator_for(whole).iter_errors(value)]

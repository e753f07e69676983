"""One operation of the OpenAPI document: a route's parameters, body and every answer it can give."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

import orjson
from apispec import APISpec

from service.api.contract import ROUTES
from service.api.problems import KINDS
from service.api.query import Parameter
from service.api.routes import AtInstance, InCrawl, Route, Written
from service.api.schemas.shape import ByKind, Loading, Upgraded

_TITLES: Final = {200: "OK", 201: "Created", 202: "It will be done", 204: "Done"}


def name_of(schema: Any) -> str:
    kind = schema if isinstance(schema, type) else type(schema)
    return re.sub("Shape$", "Input", kind.__name__)


def _security(route: Route) -> list[dict[str, list[str]]]:
    match route.access:
        case InCrawl(roles=roles, ticket=ticket):
            names = [*(f"{role}Token" for role in roles), *(["ticket"] if ticket else [])]
            return [{name: []} for name in names]
        case AtInstance(key="always"):
            return [{"instanceKey": []}]
        case AtInstance(key="registration"):
            return [{}, {"instanceKey": []}]
        case AtInstance(key="figures"):
            return [{}, {"figuresToken": []}]
    return []


def operation(spec: APISpec, route: Route) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": route.operation_id,
        "summary": route.summary,
        "description": route.about,
        "tags": [route.tag],
        "security": _security(route),
        "parameters": [*map(_query_parameter, route.query), *_header_parameters(route)],
    }
    if route.body:
        content = {"schema": _request_schema(spec, route.body.shape), **_examples(route, "request")}
        operation["requestBody"] = {
            "required": not route.body.optional,
            "content": dict.fromkeys(route.body.media_types, content),
        }
    operation["responses"] = {**_good(spec, route), **_refusals(route)}
    return operation


def _request_schema(spec: APISpec, shape: Loading) -> Any:
    if isinstance(shape, Upgraded):
        return shape.shape
    if not isinstance(shape, ByKind):
        return shape
    if "Submission" not in spec.components.schemas:
        for kind in shape.shapes.values():
            spec.components.schema(name_of(kind), schema=kind)
        references = {kind: f"#/components/schemas/{name_of(each)}" for kind, each in shape.shapes.items()}
        spec.components.schema(
            "Submission",
            {
                "oneOf": [{"$ref": reference} for reference in references.values()],
                "discriminator": {"propertyName": shape.field, "mapping": references},
            },
        )
    return {"$ref": "#/components/schemas/Submission"}


def _good(spec: APISpec, route: Route) -> dict[str, Any]:
    responses: dict[str, Any] = {}
    for status, schema in route.answers.items():
        response: dict[str, Any] = {"description": _TITLES[status], "headers": _headers_of(route, status)}
        if isinstance(schema, Written):
            response["content"] = {schema.media_type: {"schema": {"type": "string"}, "example": schema.example}}
        elif schema:
            response["content"] = {"application/json": {"schema": schema, **_examples(route, "response")}}
        responses[str(status)] = response
    if _is_read(route):
        responses["304"] = {"description": "What If-None-Match names is still so"}
    return responses


def _is_read(route: Route) -> bool:
    return not route.writes and route.is_json


def _headers_of(route: Route, status: int) -> dict[str, Any]:
    headers = {
        "X-Request-Id": _header("Names this request in the log of whoever runs the service."),
        "RateLimit": _header('What is left and for how long, where requests are limited: "requests";r=1180;t=42.'),
        "RateLimit-Policy": _header('How many requests of one sender in how many seconds: "requests";q=1200;w=60.'),
    }
    if status != 204 and route.is_json:
        headers["ETag"] = _header("The tag of what was answered.")
    if status == 201:
        headers["Location"] = _header("Where it lies.")
    if route.writes:
        headers["Idempotent-Replayed"] = _header("`true` when the answer was given before.")
    if any(parameter.name == "limit" for parameter in route.query):
        headers["Link"] = _header('The next page: rel="next".')
    return headers


def _header(about: str) -> dict[str, Any]:
    return {"description": about, "schema": {"type": "string"}}


def _codes(route: Route) -> Iterator[str]:
    in_crawl, keyed = isinstance(route.access, InCrawl), route.access != AtInstance("never")
    if route.body:
        yield from ("malformed_json", "body_too_large", "unsupported_media_type", "invalid_request")
    elif route.query:
        yield "invalid_request"
    if route.writes:
        yield from ("idempotency_key_invalid", "idempotency_key_reused", "contention", "store_full")
    yield "too_many_requests"
    if keyed:
        yield from ("unauthorized", "forbidden", "too_many_failures")
    if in_crawl:
        yield "crawl_not_found"
    if in_crawl and route.writes:
        yield "stale_crawl"
    if keyed or route.path == "/ready":
        yield "store_unavailable"
    if route.path == "/ready":
        yield "not_ready"
    yield from ("bad_request", "internal_error")
    yield from route.refuses


def _refusals(route: Route) -> dict[str, Any]:
    return {
        str(status): {"$ref": f"#/components/responses/{_response_name(codes)}"}
        for status, codes in sorted(_by_status(route).items())
    }


def shared_refusals() -> dict[str, Any]:
    """Each combination of codes that one status stands for somewhere."""
    shared = {
        _response_name(codes): _refusal(status, codes)
        for route in ROUTES
        for status, codes in _by_status(route).items()
    }
    return dict(sorted(shared.items()))


def _by_status(route: Route) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for code in dict.fromkeys(_codes(route)):
        found.setdefault(KINDS[code].status, []).append(code)
    return found


def _response_name(codes: list[str]) -> str:
    return "_or_".join(sorted(codes))


def _refusal(status: int, codes: list[str]) -> dict[str, Any]:
    described = "; ".join(f"`{code}`: {KINDS[code].advice}" for code in sorted(codes))
    response: dict[str, Any] = {
        "description": described,
        "headers": {"X-Request-Id": _header("The problem's request_id.")},
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    if status in (429, 503):
        response["headers"]["Retry-After"] = _header("Seconds to wait.")
    if status == 401:
        response["headers"]["WWW-Authenticate"] = _header("Bearer.")
    return response


def path_parameters(path: str) -> Iterator[dict[str, Any]]:
    abouts = {"crawl": "The crawl's id.", "number": "The round's number.", "key": "The ruleset's key."}
    for name in re.findall(r"{(\w+)}", path):
        schema = {"type": "integer", "minimum": 1} if name == "number" else {"type": "string", "minLength": 1}
        about = abouts.get(name, "An id.")
        yield {"name": name, "in": "path", "required": True, "description": about, "schema": schema}


def _query_parameter(parameter: Parameter) -> dict[str, Any]:
    described: dict[str, Any] = {
        "name": parameter.name,
        "in": parameter.place,
        "required": False,
        "description": parameter.about,
        "schema": dict(parameter.schema),
    }
    return described if parameter.explode else described | {"style": "form", "explode": False}


def _header_parameters(route: Route) -> Iterator[dict[str, Any]]:
    if route.writes and route.access != AtInstance("never"):
        yield request_header(
            "Idempotency-Key",
            "1 to 255 visible ASCII characters, without a token a UUID. The same key with the same request gives the"
            " first answer again, for 7 days (ten minutes where it holds secrets).",
            {"type": "string", "minLength": 1, "maxLength": 257},
        )
    if route.writes and isinstance(route.access, InCrawl):
        yield request_header("If-Match", "The ETag of the crawl as it was read; 412 when it has changed since.")
    if _is_read(route):
        yield request_header("If-None-Match", "An ETag that the reader has; 304 when it is still so.")


def request_header(name: str, about: str, schema: dict[str, Any] | None = None) -> dict[str, Any]:
    schema = schema or {"type": "string"}
    return {"name": name, "in": "header", "required": False, "description": about, "schema": schema}


def _examples(route: Route, side: str) -> dict[str, Any]:
    found = recorded()["operations"].get(route.operation_id, {})
    examples = {name: {"value": pair[side]} for name, pair in found.items() if pair.get(side) is not None}
    return {"examples": examples} if examples else {}


@lru_cache(maxsize=1)
def recorded() -> dict[str, Any]:
    """Requests and answers of real rounds, recorded by tests/api/recording.py."""
    return orjson.loads(files("service.api").joinpath("examples.json").read_bytes())  # type: ignore[no-any-return]

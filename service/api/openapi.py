"""The OpenAPI document, made from the routes, the schemas and the examples that the tests recorded."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

import orjson
import yaml
from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin

from service import __version__
from service.api.contract import RESOURCES, ROUTES
from service.api.operations import (
    name_of,
    operation,
    path_parameters,
    recorded,
    request_header,
    shared_refusals,
)
from service.api.problems import KINDS
from service.api.schemas.answers.others import Event, Problem
from service.crawls.webhooks import EVENT_TYPES

SERVER: Final = "http://127.0.0.1:8000"
_DESCRIPTION: Final = """\
Alarum keeps the clock, the alert, the timers and the dice of a dungeon crawl.

Integers are whole seconds; every `at` is on the crawl's clock. Errors are problem documents (RFC 9457) with a stable
`code`. Writes take `Idempotency-Key` (kept for 7 days) and, on a crawl, `If-Match`; reads give `ETag`. Lists are cursor
pages: pass `next` as `after`. Unknown fields in a body are refused, unknown query parameters ignored. A number such as
8.0 counts as 8. Readers pass over fields that they do not know: only such are added within `/v1`. For programs that
are told by webhooks there is a page of its own: [docs/webhooks](docs/webhooks).
"""


def document_yaml() -> str:
    """The document as it is committed: openapi.yaml."""
    return as_yaml(document(SERVER))


def as_yaml(described: Mapping[str, Any]) -> str:
    return yaml.dump(dict(described), Dumper=_Plain, sort_keys=False, allow_unicode=True, width=120)


def document(server: str) -> dict[str, Any]:
    """The document for an instance at `server`."""
    return {**_document(), "servers": [{"url": server, "description": "This instance"}]}


class _Plain(yaml.SafeDumper):
    """Writes everything out: an anchor would be one more thing to know."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def represent_text(self, text: str) -> yaml.Node:
        return self.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Plain.add_representer(str, _Plain.represent_text)


@lru_cache(maxsize=1)
def _document() -> dict[str, Any]:
    spec = APISpec(
        title="Alarum",
        version=__version__,
        openapi_version="3.1.0",
        plugins=[MarshmallowPlugin(schema_name_resolver=name_of)],
        info={"description": _DESCRIPTION, "license": {"name": "MIT", "identifier": "MIT"}},
        servers=[],
        tags=[{"name": resource.tag, "description": resource.about} for resource in RESOURCES],
        webhooks={},
    )
    _add_security(spec)
    spec.components.schema("Problem", schema=Problem())
    spec.components.schema("Event", schema=Event())
    for code, responses in shared_refusals().items():
        spec.components.response(code, responses)
    paths: dict[str, dict[str, Any]] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = operation(spec, route)
    for path, operations in paths.items():
        spec.path(path, operations=operations, parameters=list(path_parameters(path)))
    described: dict[str, Any] = {"openapi": spec.openapi_version.public, **spec.to_dict()}
    described["webhooks"] = {kind: {"post": _webhook(kind)} for kind in EVENT_TYPES}
    described["components"]["schemas"]["Problem"]["properties"]["code"]["enum"] = list(KINDS)
    described["components"]["schemas"]["Event"]["properties"]["type"]["enum"] = list(EVENT_TYPES)
    return orjson.loads(orjson.dumps(described))  # type: ignore[no-any-return]


def _add_security(spec: APISpec) -> None:
    for name, about in (
        ("instanceKey", "An instance key (`alarum keys create`): starts and lists crawls."),
        ("figuresToken", "The token of ALARUM_METRICS_TOKEN: reads the figures."),
        ("gmToken", "A crawl's GM token."),
        ("playerToken", "A crawl's player token."),
    ):
        spec.components.security_scheme(name, {"type": "http", "scheme": "bearer", "description": about})
    about = "A ticket to a crawl's stream, good once."
    spec.components.security_scheme("ticket", {"type": "apiKey", "in": "query", "name": "ticket", "description": about})


def _webhook(kind: str) -> dict[str, Any]:
    content: dict[str, Any] = {"schema": {"$ref": "#/components/schemas/Event"}}
    if example := recorded()["events"].get(kind):
        content["example"] = example
    signed = {
        "webhook-id": "The same on every try: know a message again by it.",
        "webhook-timestamp": "Seconds since 1970 of this try.",
        "webhook-signature": "`v1,` and the HMAC-SHA256 over id, timestamp and body, after Standard Webhooks 1.0.",
    }
    return {
        "operationId": "on" + "".join(part.capitalize() for part in re.split(r"[._]", kind)),
        "summary": f"Tells of {kind}",
        "description": "Delivered at least once; order by `sequence`. 410 disables the webhook.",
        "tags": ["Webhooks"],
        "security": [],
        "parameters": [request_header(name, about) | {"required": True} for name, about in signed.items()],
        "requestBody": {"required": True, "content": {"application/json": content}},
        "responses": {
            "204": {"description": "Any 2xx: it has arrived"},
            "410": {"description": "Send nothing here any more"},
        },
    }

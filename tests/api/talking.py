"""A client that talks to the application as others do: in bytes and headers, without a socket."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flask import Flask
from werkzeug.test import TestResponse

SEED = "5e" * 32
PARTY = (
    {"name": "Kara", "passive_perception": 14, "dexterity_modifier": 3, "proficiency_bonus": 3},
    {"name": "Bram"},
)


@dataclass(frozen=True)
class Api:
    """The application, and who talks to it. `token` goes along with each request unless another is given."""

    app: Flask
    token: str | None = None
    prefix: str = ""

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        raw: bytes | None = None,
        media_type: str = "application/json",
        headers: Mapping[str, str] | None = None,
        **more: Any,
    ) -> TestResponse:
        sent = dict(headers or {})
        if self.token is not None:
            sent.setdefault("Authorization", f"Bearer {self.token}")
        if raw is None and body is not None:
            raw = json.dumps(body).encode()
        if raw is not None:
            sent.setdefault("Content-Type", media_type)
        client = self.app.test_client()
        return client.open(self.prefix + path, method=method, data=raw, headers=sent, buffered=True, **more)

    def get(self, path: str, **more: Any) -> TestResponse:
        return self.ask("GET", path, **more)

    def post(self, path: str, body: Any = None, **more: Any) -> TestResponse:
        return self.ask("POST", path, body, **more)

    def patch(self, path: str, body: Any = None, **more: Any) -> TestResponse:
        return self.ask("PATCH", path, body, **more)

    def as_who(self, token: str | None) -> Api:
        return Api(self.app, token, self.prefix)


@dataclass(frozen=True)
class Crawl:
    """A crawl that was started over HTTP, with its GM and its players."""

    started: Mapping[str, Any]
    gm: Api
    player: Api

    @property
    def path(self) -> str:
        return f"/v1/crawls/{self.started['id']}"

    @property
    def kara(self) -> str:
        return str(self.started["party"][0]["id"])

    def round(self, kind: str = "explore", **fields: Any) -> Any:
        answer = self.gm.post(f"{self.path}/rounds", {"kind": kind, **fields})
        assert answer.status_code == 201, answer.get_data(as_text=True)
        return answer.json

    def stands(self) -> Any:
        """Everything that a change would change."""
        answer = self.gm.get(self.path)
        assert answer.status_code == 200, answer.get_data(as_text=True)
        return answer.json

    def events(self) -> int:
        return len(self.gm.get(f"{self.path}/events?limit=200").json["events"])


def start(api: Api, **body: Any) -> Crawl:
    answer = api.post("/v1/crawls", {"ruleset": "derelict", "party": list(PARTY), "seed": SEED, **body})
    assert answer.status_code == 201, answer.get_data(as_text=True)
    tokens = answer.json["tokens"]
    return Crawl(answer.json, api.as_who(tokens["gm"]), api.as_who(tokens["player"]))


def problem(answer: TestResponse, status: int, code: str) -> Any:
    """The problem document, once it is sure that it is one in full."""
    assert answer.status_code == status, answer.get_data(as_text=True)
    assert answer.content_type == "application/problem+json"
    told = answer.json
    assert told["status"] == status
    assert told["code"] == code, told
    assert told["title"] and told["detail"].endswith((".", ">"))
    assert told["type"].endswith(f"/docs/errors#{code}")
    assert told["request_id"] == answer.headers["X-Request-Id"]
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    for error in told.get("errors", []):
        assert set(error) <= {"pointer", "parameter", "detail"}
        assert error["pointer"] == "" or error["pointer"].startswith("/")
    return told

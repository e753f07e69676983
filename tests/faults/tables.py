"""A table that talks to a real service over real sockets, and keeps on asking when something dies."""

from __future__ import annotations

import json
import time
import uuid
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any, Protocol
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from tests.cli.serving import PATIENCE

EXPLORE = {"kind": "explore"}


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    headers: dict[str, str]
    body: Any


def ask(url: str, method: str, path: str, body: Any = None, **headers: str) -> Reply:
    """One request, one reply. OSError when there is none."""
    data = None if body is None else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = Request(url + path, data, {"Content-Type": "application/json", **named}, method=method)
    try:
        try:
            answer = urlopen(request, timeout=5)
        except HTTPError as refusal:
            answer = refusal
        with answer:
            return Reply(answer.status, dict(answer.headers), json.loads(answer.read() or b"null"))
    except HTTPException as broken:
        raise ConnectionError(str(broken)) from broken


class Reached(Protocol):
    """A service that answers at a URL."""

    @property
    def url(self) -> str: ...


class Table:
    """One crawl and its GM."""

    def __init__(self, service: Reached, **wanted: Any) -> None:
        self.url = service.url
        body = {"ruleset": "stretch", "party": [{"name": "Kara"}, {"name": "Bram"}], **wanted}
        started = ask(self.url, "POST", "/v1/crawls", body).body
        self.path = f"/v1/crawls/{started['id']}"
        self.token, self.player = started["tokens"]["gm"], started["tokens"]["player"]

    def ask(self, method: str, path: str = "", body: Any = None, **headers: str) -> Reply:
        return ask(self.url, method, self.path + path, body, Authorization=f"Bearer {self.token}", **headers)

    def play(self, body: Any = EXPLORE, key: str | None = None) -> Reply:
        """One round, asked for with one key until it is answered: 503 and broken connections are tried again."""
        key = key or str(uuid.uuid4())
        until = time.monotonic() + PATIENCE
        while True:
            try:
                reply = self.ask("POST", "/rounds", body, Idempotency_Key=key)
            except OSError:
                reply = None
            if reply is not None and reply.status != 503:
                return reply
            assert time.monotonic() < until, "the service did not come back"

    def verify_whole(self, answered: list[int]) -> None:
        """What was acknowledged is there, once; versions, records and events have neither holes nor doubles."""
        crawl = self.ask("GET").body
        numbers: list[int] = []
        after = 0
        while page := self.ask("GET", f"/rounds?limit=200&after={after}").body["rounds"]:
            numbers += [record["number"] for record in page]
            after = numbers[-1]
        assert numbers == list(range(1, crawl["rounds"] + 1))
        assert sorted(answered) == numbers
        assert crawl["clock"]["seconds"] == 600 * crawl["rounds"]
        assert crawl["version"] == 1 + crawl["rounds"]
        sequences = self._sequences()
        assert sequences == list(range(1, len(sequences) + 1))

    def _sequences(self) -> list[int]:
        sequences: list[int] = []
        while True:
            after = sequences[-1] if sequences else 0
            events = self.ask("GET", f"/events?limit=200&after={after}").body["events"]
            if not events:
                return sequences
            sequences += [event["sequence"] for event in events]

"""What the processes say: in JSON a line for each event, named by its request, and never a secret."""

from __future__ import annotations

import json
import logging
import os
import re
import signal
from collections.abc import Iterator
from contextlib import closing
from logging.config import dictConfig
from pathlib import Path

import pytest

from service.settings import Settings
from service.watching.logs import REQUEST, LogFormat, Request
from tests.api.talking import Api, start
from tests.cli.serving import PATIENCE, Served, eventually
from tests.cli.serving import start as start_serving
from tests.faults.tables import Table, ask
from tests.streams.listening import Listener
from tests.webhooks.receivers import Receiver, answer

VARIABLES = {"ALARUM_ACCESS_LOG": "1", "ALARUM_LOG_LEVEL": "DEBUG", "ALARUM_WEBHOOK_ALLOW": "127.0.0.0/8"}


@pytest.fixture
def kept_logging() -> Iterator[None]:
    root = logging.getLogger()
    before = root.level, root.handlers[:]
    yield
    root.setLevel(before[0])
    root.handlers[:] = before[1]
    logging.getLogger("alarum.access").setLevel(logging.NOTSET)


def test_an_access_line_names_the_route_and_not_what_was_sent(
    api: Api, kept_logging: None, capsys: pytest.CaptureFixture[str]
) -> None:
    dictConfig(Settings(log_level="INFO", log_format="json", access_log=True).logging)
    crawl = start(api)
    capsys.readouterr()
    crawl.gm.get(f"{crawl.path}/rounds/1?after=here", headers={"X-Request-Id": "request-1234"})
    (line,) = map(json.loads, capsys.readouterr().err.splitlines())
    assert line | {"time": "", "milliseconds": 0, "message": ""} == {
        "time": "",
        "level": "INFO",
        "logger": "alarum.access",
        "message": "",
        "request_id": "request-1234",
        "method": "GET",
        "route": "/v1/crawls/{crawl}/rounds/{number}",
        "status": 404,
        "milliseconds": 0,
    }
    assert re.fullmatch(r"GET /v1/crawls/{crawl}/rounds/{number} 404 [\d.]+ ms", line["message"])


@pytest.mark.parametrize("form", ["text", "json"])
def test_every_line_inside_a_request_carries_its_id(
    form: LogFormat, kept_logging: None, capsys: pytest.CaptureFixture[str]
) -> None:
    dictConfig(Settings(log_level="INFO", log_format=form, access_log=False).logging)
    token = REQUEST.set(Request("request-1234", "GET", "/alive"))
    logging.getLogger("anything").warning("first\nsecond")
    REQUEST.reset(token)
    logging.getLogger("anything").warning("outside")
    inside, outside = capsys.readouterr().err.rsplit("\n", 2)[:2]
    assert "request-1234" in inside and "request-1234" not in outside
    if form == "json":
        assert json.loads(inside)["message"] == "first\nsecond"


def test_without_being_asked_for_no_request_is_logged(
    api: Api, kept_logging: None, capsys: pytest.CaptureFixture[str]
) -> None:
    dictConfig(Settings(log_level="DEBUG", log_format="text", access_log=False).logging)
    api.get("/alive")
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("form", ["text", "json"])
def test_no_secret_of_a_whole_session_is_in_any_log(tmp_path: Path, form: str) -> None:
    service = start_serving(tmp_path / "data", **VARIABLES, ALARUM_LOG_FORMAT=form)
    try:
        assert eventually(lambda: " port " in service.output or "Ctrl-C" in service.output), service.output
        found = re.search(r"port (\d+)|is at http://127.0.0.1:(\d+)", service.output)
        assert found
        service.url = f"http://127.0.0.1:{found[1] or found[2]}"
        secrets = played(service)
        assert eventually(lambda: service.output.count("/pair") >= 1)
        sender = service.process_of("-m service worker")
        assert sender
        os.kill(sender, signal.SIGKILL)
        assert eventually(lambda: "has died" in service.output)
    finally:
        assert service.stop() == 0
        assert service.process.stdout
        service.process.stdout.close()
    assert len(secrets) >= 12
    assert [secret for secret in secrets if secret in service.output] == []
    if form == "json":
        lines = [json.loads(line) for line in service.output.splitlines()]
        assert {line["logger"] for line in lines} >= {"alarum.serve", "alarum.access", "alarum.worker"}
        assert all({"time", "level", "logger", "message"} <= line.keys() for line in lines)
        assert all("request_id" in line for line in lines if line["logger"] == "alarum.access")


def played(service: Served) -> list[str]:
    """Everything that gives out a secret, right and wrong; answers with those secrets."""
    table = Table(service, seed="5e" * 32)
    secrets = [table.token, table.player, "5e" * 32]
    with closing(Receiver(answer())) as receiver, closing(Receiver(answer(500))) as broken:
        for each in (receiver, broken):
            hook = {"url": f"{each.url}-{each.port}", "events": ["round.resolved"], "format": "standard"}
            made = table.ask("POST", "/webhooks", {**hook, "audience": "gm"}).body
            secrets += [made["secret"], f"s3cret-{each.port}"]
            secrets.append(table.ask("POST", f"/webhooks/{made['id']}/rotate").body["secret"])
            table.ask("POST", f"/webhooks/{made['id']}/ping")
        table.play({"kind": "explore", "note": "a-note-of-the-table"})
        receiver.wait_for(2, PATIENCE)
        broken.wait_for(2, PATIENCE)
        assert eventually(lambda: "again in" in service.output)
    ticket = table.ask("POST", "/events/ticket").body["ticket"]
    stream = f"{table.path}/events/stream?ticket={ticket}"
    with closing(Listener(service.url, stream, {}).begin()):
        pass
    assert ask(service.url, "GET", stream).status == 401
    more = table.ask("POST", "/tokens", {"role": "player", "label": "bot"}).body
    code = table.ask("POST", "/pairings", {"role": "player"}).body["code"]
    paired = ask(service.url, "POST", "/v1/pair", {"code": code})
    assert paired.status in (200, 201), paired
    ask(service.url, "POST", "/v1/pair", {"code": code})
    wrong = "gm_" + table.path.rpartition("_")[2] + "_" + "w" * 43
    for path in (table.path, f"/v1/nowhere/{wrong}", f"{table.path}/rounds/{wrong}", f"{table.path}?token={wrong}"):
        ask(service.url, "GET", path, Authorization=f"Bearer {wrong}")
    key = "a-key-that-is-nobodys-but-mine"
    assert table.play(key=key).status == 201
    return [*secrets, ticket, more["token"], code, paired.body["token"], wrong, key, "a-note-of-the-table"]

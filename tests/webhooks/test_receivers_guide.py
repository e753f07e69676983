"""The receivers that the guide shows take what is Alarum's, once, and nothing else."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path

import pytest
import standardwebhooks

from service.store.crawls import CrawlStore
from service.store.outbox import Outbox
from service.webhooks import client
from service.webhooks.client import Verdict
from service.webhooks.formats import standard
from service.webhooks.messages import Message
from service.webhooks.signing import new_secret
from service.worker.delivering import deliver
from tests.webhooks.telling import LOOPBACK, add, claim, drain, eventually, hook, start, tell

GUIDES = Path(str(files("service.api.guides")))
SECRET, OTHER = new_secret(), new_secret()


class Program:
    """A receiver as a process. `said` are the lines that it has printed."""

    def __init__(self, command: list[str], secret: str) -> None:
        self.process = subprocess.Popen(
            [*command, "0"],
            env={"WEBHOOK_SECRET": secret},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.said: list[str] = []
        self._listener = threading.Thread(target=self._listen)
        self._listener.start()

    def _listen(self) -> None:
        assert self.process.stdout
        self.said.extend(line.strip() for line in self.process.stdout)

    @property
    def url(self) -> str:
        eventually(lambda: self.said)
        return self.said[0].removeprefix("listening on ")

    @property
    def handled(self) -> list[str]:
        return self.said[1:]

    def send(self, headers: Mapping[str, str], body: bytes) -> Verdict:
        return client.send(f"{self.url}/alarum", body, headers, LOOPBACK)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self._listener.join()
        assert self.process.stdout
        self.process.stdout.close()


@contextmanager
def running(name: str, secret: str = SECRET) -> Iterator[Program]:
    interpreter = sys.executable if name.endswith(".py") else shutil.which("node")
    if not interpreter:
        pytest.fail("the tests need Node.js 20 or newer as 'node' in PATH")
    program = Program([interpreter, str(GUIDES / name)], secret)
    try:
        yield program
    finally:
        program.close()


@pytest.fixture(params=["receiver.py", "receiver.mjs"])
def program(request: pytest.FixtureRequest) -> Iterator[Program]:
    with running(request.param) as program:
        yield program


def message(number: int) -> Message:
    event = {"id": f"evt_{number}", "type": "timer.expired", "timestamp": "t", "crawl": "c", "data": {"timer": "é"}}
    return Message(f"msg_{number}", event["type"], standard.body(event, number, "gm"))  # type: ignore[arg-type]


def signed(told: Message, *secrets: str, seconds: float = 0) -> dict[str, str]:
    """The headers of a try so many seconds from now."""
    return told.headers(secrets or (SECRET,), datetime.now(UTC) + timedelta(seconds=seconds))


def work(outbox: Outbox) -> None:
    drain(outbox)
    for claimed in claim(outbox):
        deliver(outbox, claimed, LOOPBACK)


def assert_only_handles(program: Program, number: int) -> None:
    """A message is taken, and nothing was handled but it: messages are handled in their order."""
    assert program.send(signed(message(number)), message(number).body).status == 204
    eventually(lambda: program.handled)
    assert program.handled == [f"{number} timer.expired"]


def test_what_the_worker_sends_is_taken(store: CrawlStore, outbox: Outbox, program: Program) -> None:
    crawl = start(store)
    add(store, crawl, hook(program.url, secret=SECRET))
    tell(store, crawl, "enc_1", "enc_2")
    work(outbox)
    assert [each.status for each in store.deliveries.log(crawl, "whk_0", None, 10)] == ["delivered"] * 2
    eventually(lambda: len(program.handled) == 2)
    assert program.handled == ["2 encounter.triggered", "3 encounter.triggered"]


def test_an_old_secret_is_good_while_its_grace_lasts(store: CrawlStore, outbox: Outbox, program: Program) -> None:
    crawl, now = start(store), datetime.now(UTC)
    for number, days in enumerate((1, -1)):
        old = [{"secret": SECRET, "until": (now + timedelta(days=days)).isoformat()}]
        add(store, crawl, hook(program.url, number, secret=OTHER, old_secrets=old))
    tell(store, crawl, "enc_1")
    work(outbox)
    came = [store.deliveries.log(crawl, webhook, None, 1)[0].result for webhook in ("whk_0", "whk_1")]
    assert [each and each["status"] for each in came] == [204, 401]
    eventually(lambda: program.handled)
    assert program.handled == ["2 encounter.triggered"]


def test_the_new_secret_is_good_beside_the_old_one(program: Program) -> None:
    for number, secrets in enumerate([(SECRET, OTHER), (OTHER, SECRET), (OTHER, OTHER, SECRET)]):
        assert program.send(signed(message(number), *secrets), message(number).body).status == 204


def test_whatever_is_not_as_it_was_signed_is_refused(program: Program) -> None:
    told = message(1)
    good = signed(told)
    for at in (0, 40, len(told.body) - 1):
        assert program.send(good, told.body[:at] + b"~" + told.body[at + 1 :]).status == 401
    for body in (told.body + b"\n", told.body[:-1], b"", told.body.replace("é".encode(), b"\\u00e9")):
        assert program.send(good, body).status == 401, body
    mac = good["webhook-signature"].removeprefix("v1,")
    for name, values in {
        "webhook-id": ("msg_2", ""),
        "webhook-timestamp": (str(int(good["webhook-timestamp"]) + 1), "", "soon", "-1", "1e9", "NaN", "9" * 5000),
        "webhook-signature": ("", "v1,", mac, f"v2,{mac}", f"v1,{mac[:-1]}", f"v1{mac}", "v1,é", ", ,", "v1," * 999),
    }.items():
        for value in values:
            assert program.send(good | {name: value}, told.body).status == 401, (name, value)
        without = {key: value for key, value in good.items() if key != name}
        assert program.send(without, told.body).status == 401, name
    assert program.send(signed(told, OTHER), told.body).status == 401
    assert_only_handles(program, 2)


def test_what_is_five_minutes_off_is_refused(program: Program) -> None:
    # Ten seconds more for the future: a machine that is slow brings it nearer.
    for seconds in (-301, 311):
        assert program.send(signed(message(1), seconds=seconds), message(1).body).status == 401
    for number, seconds in ((2, -290), (3, 299)):
        assert program.send(signed(message(number), seconds=seconds), message(number).body).status == 204
    eventually(lambda: len(program.handled) == 2)
    assert program.handled == ["2 timer.expired", "3 timer.expired"]


def test_a_message_that_comes_again_is_taken_and_handled_once(program: Program) -> None:
    for number, seconds in ((1, -5), (1, 0), (2, 0), (1, 5)):
        assert program.send(signed(message(number), seconds=seconds), message(number).body).status == 204
    eventually(lambda: len(program.handled) == 2)
    assert program.send(signed(message(3)), message(3).body).status == 204
    eventually(lambda: len(program.handled) == 3)
    assert program.handled == ["1 timer.expired", "2 timer.expired", "3 timer.expired"]


def test_the_longest_body_is_taken_and_a_longer_one_refused(program: Program) -> None:
    for length in (standard.LONGEST + 1, 1024 * 1024):
        body = json.dumps("x" * (length - 2)).encode()
        assert not program.send(signed(Message("msg_1", "t", body)), body).delivered
    filler = standard.LONGEST - len(b'{"sequence":2,"type":"timer.expired","data":""}')
    body = b'{"sequence":2,"type":"timer.expired","data":"' + b"x" * filler + b'"}'
    assert program.send(signed(Message("msg_2", "t", body)), body).status == 204
    eventually(lambda: program.handled)
    assert program.handled == ["2 timer.expired"]


@pytest.mark.parametrize("length", ["100", "-1", "1e3", "9" * 5000])
def test_a_sender_that_breaks_off_or_talks_nonsense_stops_nothing(program: Program, length: str) -> None:
    with socket.create_connection(("127.0.0.1", int(program.url.rpartition(":")[2]))) as line:
        line.sendall(f"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n{{".encode())
    assert_only_handles(program, 1)


@pytest.mark.parametrize("name", ["receiver.py", "receiver.mjs"])
def test_without_a_secret_it_does_not_start(name: str) -> None:
    """With an empty key anybody's signature would do."""
    with running(name, "whsec_") as program:
        assert program.process.wait(10) != 0


def test_the_library_that_is_named_takes_the_same() -> None:
    """The line in receiver.py, as it stands there."""
    line = re.search(r"standardwebhooks\.Webhook\(.*?\)\)", (GUIDES / "receiver.py").read_text())
    assert line
    names = {"standardwebhooks": standardwebhooks, "secret": SECRET, "body": message(1).body}
    verify = compile(line[0], "receiver.py", "eval")
    assert eval(verify, names | {"headers": signed(message(1))})["sequence"] == 1  # noqa: S307 (a line of ours)
    with pytest.raises(standardwebhooks.WebhookVerificationError):
        eval(verify, names | {"headers": signed(message(1), OTHER)})  # noqa: S307

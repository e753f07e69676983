"""Streams of a real service: live, without holes, for the GM and for players, whatever happens to either end."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from service.crawls.limits import MAX_STREAMS_A_CRAWL
from tests.cli.serving import PATIENCE, Served, environ, eventually, served
from tests.faults.tables import Table, ask
from tests.streams.listening import Listener

Open = Callable[..., Listener]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("streams") / "data") as running:
        yield running


@pytest.fixture
def listen() -> Iterator[Open]:
    """Opens streams; all are closed in the end."""
    opened: list[Listener] = []

    def open_(table: Table, query: str = "", *, token: str | None = None, **headers: str) -> Listener:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if token is None and "ticket=" not in query:
            token = table.token
        if token:
            named["Authorization"] = f"Bearer {token}"
        opened.append(Listener(table.url, f"{table.path}/events/stream{query}", named))
        return opened[-1].begin()

    yield open_
    for each in opened:
        each.close()


def events(table: Table, token: str | None = None, after: int = 0) -> list[Any]:
    found = ask(
        table.url, "GET", f"{table.path}/events?limit=200&after={after}", Authorization=f"Bearer {token or table.token}"
    )
    return list(found.body["events"])


def test_events_come_as_they_happen_as_the_list_shows_them(service: Served, listen: Open) -> None:
    table = Table(service)
    first, second = listen(table), listen(table)
    for _ in range(5):
        table.play()
    expected = events(table, after=1)  # without crawl.started, which was before
    for listener in (first, second):
        told = listener.wait_for(len(expected))
        assert [each.data for each in told] == expected
        assert [(each.id, each.event) for each in told] == [(each["sequence"], each["type"]) for each in expected]
    head = first.head.lower()
    assert head.startswith("http/1.1 200")
    for line in (
        "content-type: text/event-stream",
        "cache-control: no-store",
        "access-control-allow-origin: *",
        "x-accel-buffering: no",
    ):
        assert line in head


def test_players_are_told_what_is_theirs_in_a_sequence_of_their_own(service: Served, listen: Open) -> None:
    table = Table(service, ruleset="derelict", alert={"enabled": True})
    gm, player = listen(table), listen(table, token=table.player)
    for _ in range(3):
        table.play({"kind": "time", "seconds": 600, "note": "a word of the GM"})
        assert table.ask("POST", "/alert", {"change": 1}).status == 200
    table.play()
    public, whole = events(table, table.player, after=1), events(table, after=1)
    assert len(public) < len(whole)
    assert [each.data for each in player.wait_for(len(public))] == public
    assert [each.id for each in player.told] == list(range(2, len(public) + 2))
    assert "a word of the GM" not in str(player.told)
    assert [each.data for each in gm.wait_for(len(whole))] == whole


def test_whoever_comes_back_is_told_what_was_missed_and_goes_on(service: Served, listen: Open) -> None:
    table = Table(service)
    for _ in range(60):  # more than is at hand
        table.play({"kind": "time", "seconds": 600})
    for after, options in (
        (1, {"query": "?after=1"}),
        (5, {"Last_Event_ID": "5"}),
        (9, {"query": "?after=50", "Last_Event_ID": "9"}),
    ):
        listener = listen(table, **options)
        expected = [each["sequence"] for each in events(table, after=after)]
        assert [each.id for each in listener.wait_for(len(expected))] == expected
        listener.close()
    live = listen(table, "?after=0")
    table.play()
    expected = events(table)
    assert [each.data for each in live.wait_for(len(expected))] == expected


def test_nothing_is_missed_or_told_twice_while_others_play(service: Served, listen: Open) -> None:
    table = Table(service)
    playing = threading.Thread(target=lambda: [table.play({"kind": "time", "seconds": 600}) for _ in range(80)])
    playing.start()
    listeners = []
    while playing.is_alive():
        listeners.append(listen(table, "?after=0"))
        time.sleep(0.05)  # so that they come at various moments
    playing.join()
    expected = [each["sequence"] for each in events(table)]
    for listener in listeners:
        assert [each.id for each in listener.wait_for(len(expected))] == expected
    assert len(listeners) > 2


@pytest.mark.parametrize("after", ["999999", "2"])
def test_whoever_asks_for_what_is_yet_to_come_is_told_to_read_anew(service: Served, listen: Open, after: str) -> None:
    table = Table(service)
    listener = listen(table, Last_Event_ID=after)
    (told,) = listener.wait_for(1)
    assert (told.event, told.id, told.data["sequence"]) == ("reset", 1, 1)
    table.play()
    assert listener.wait_for(2)[1].id == 2


def test_a_ticket_opens_one_stream_once(service: Served, listen: Open) -> None:
    table, other = Table(service), Table(service)
    for token in (table.token, table.player):
        made = ask(table.url, "POST", f"{table.path}/events/ticket", Authorization=f"Bearer {token}")
        assert (made.status, made.body["expires_in"]) == (201, 60)
        query = f"?ticket={made.body['ticket']}"
        refused = ask(other.url, "GET", f"{other.path}/events/stream{query}")
        assert (refused.status, refused.body["code"]) == (401, "unauthorized")
        made = ask(table.url, "POST", f"{table.path}/events/ticket", Authorization=f"Bearer {token}")
        query = f"?ticket={made.body['ticket']}"
        listener = listen(table, query)
        table.play()
        seen = [each["sequence"] for each in events(table, token)]
        assert listener.wait_for(1)[-1].id in seen
        again = ask(table.url, "GET", f"{table.path}/events/stream{query}")
        assert (again.status, again.body["code"]) == (401, "unauthorized")
        assert made.body["ticket"] not in service.output


def test_a_stream_is_not_for_strangers_and_what_it_begins_behind_is_a_number(service: Served) -> None:
    table = Table(service)
    stream = f"{table.path}/events/stream"
    assert ask(table.url, "GET", stream).status == 401
    assert ask(table.url, "GET", f"{stream}?ticket=nonsense").status == 401
    mine = {"Authorization": f"Bearer {table.token}"}
    for wrong in ("x", "-1", "1.5", "9" * 40):
        refused = ask(table.url, "GET", stream, **mine, Last_Event_ID=wrong)
        assert (refused.status, refused.body["code"]) == (422, "invalid_request")
        assert ask(table.url, "GET", f"{stream}?after={wrong}", **mine).status == 422


def test_a_head_request_is_answered_and_holds_no_stream(service: Served) -> None:
    table = Table(service)
    host = table.url.removeprefix("http://")
    with socket.create_connection((host.partition(":")[0], int(host.rpartition(":")[2])), timeout=5) as connection:
        lines = [f"HEAD {table.path}/events/stream HTTP/1.1", f"Host: {host}", f"Authorization: Bearer {table.token}"]
        connection.sendall("\r\n".join([*lines, "Connection: close", "", ""]).encode())
        answer = b""
        while more := connection.recv(4096):
            answer += more
    assert answer.startswith(b"HTTP/1.1 200")
    assert b"text/event-stream" in answer


def test_a_crawl_has_a_hundred_streams_at_most_and_room_again_when_one_is_closed(service: Served, listen: Open) -> None:
    table = Table(service)
    listeners = [listen(table) for _ in range(MAX_STREAMS_A_CRAWL)]
    mine = {"Authorization": f"Bearer {table.token}"}

    def status() -> int:
        return ask(table.url, "GET", f"{table.path}/events/stream", **mine).status

    refused = ask(table.url, "GET", f"{table.path}/events/stream", **mine)
    assert (refused.status, refused.body["code"]) == (429, "too_many_streams")
    assert int(refused.headers["Retry-After"]) > 0
    listeners[0].close()

    def opens() -> bool:
        table.play()  # a closed connection shows when something is written to it
        listener = Listener(table.url, f"{table.path}/events/stream", mine)
        try:
            return eventually(lambda: listener.head) and listener.head.startswith("HTTP/1.1 200")
        finally:
            listener.close()

    assert eventually(opens)


def test_a_stream_outlives_its_store_and_a_listener_its_web_process(tmp_path: Path, listen: Open) -> None:
    with served(tmp_path / "data") as service:
        table = Table(service)
        listener = listen(table)
        table.play()
        listener.wait_for(1)
        store = service.process_of("valkey-server")
        assert store is not None
        os.kill(store, signal.SIGKILL)
        assert eventually(lambda: "started again" in service.output)
        for _ in range(3):
            table.play()
        expected = events(table, after=1)
        assert [each.data for each in listener.wait_for(len(expected))] == expected
        web = service.process_of("--listener")
        assert web is not None
        for pid in [web, *(pid for pid, line in service.processes().items() if "--listener" in line)]:
            os.kill(pid, signal.SIGKILL)
        assert listener.ended.wait(PATIENCE)
        for _ in range(2):
            table.play()
        back = listen(table, Last_Event_ID=str(listener.told[-1].id))
        expected = events(table, after=listener.told[-1].id)
        assert [each.data for each in back.wait_for(len(expected))] == expected


def test_a_stop_ends_all_streams_at_once(tmp_path: Path, listen: Open) -> None:
    with served(tmp_path / "data") as service:
        listeners = [listen(Table(service)) for _ in range(20)]
        began = time.monotonic()
        assert service.stop() == 0
        assert time.monotonic() - began < 4
        for listener in listeners:
            assert listener.ended.wait(PATIENCE)


def test_what_is_no_http_is_refused_as_everything_else_is(service: Served) -> None:
    host = service.url.removeprefix("http://")

    def refused(told: bytes) -> tuple[int, str]:
        with socket.create_connection((host.partition(":")[0], int(host.rpartition(":")[2])), timeout=5) as connection:
            connection.sendall(told)
            answer = b""
            while more := connection.recv(65536):
                answer += more
        head, _, body = answer.decode().partition("\r\n\r\n")
        for line in ("content-type: application/problem+json", "access-control-allow-origin: *", "x-request-id: "):
            assert line in head.lower(), head
        assert f'"status":{head.split()[1]}' in body
        return int(head.split()[1]), body.partition('"code":"')[2].partition('"')[0]

    assert refused(b"GET /%s HTTP/1.1\r\nHost: x\r\n\r\n" % (b"a" * 10_000)) == (414, "uri_too_long")
    assert refused(b"GET / HTTP/1.1\r\nHost: x\r\nX: %s\r\n\r\n" % (b"a" * 20_000)) == (431, "headers_too_large")
    assert refused(b"POST /v1/crawls HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n") == (400, "bad_request")
    assert refused(b"nonsense\r\n\r\n") == (400, "bad_request")
    two = b"POST /v1/crawls HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    assert refused(two)[0] == 400
    coded = b"POST /v1/crawls HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: rot13\r\n\r\n"
    assert refused(coded) == (501, "transfer_coding_unknown")
    assert refused(b"GET / HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\n\r\n") == (417, "expectation_failed")


@pytest.mark.parametrize(("hard", "allowed"), [(4096, 600), (500, 500)])
def test_a_web_process_may_open_the_files_that_its_streams_need(hard: int, allowed: int) -> None:
    program = f"""
import resource
from service.serving.gevent_worker import allow_files
resource.setrlimit(resource.RLIMIT_NOFILE, (256, {hard}))
allow_files(600)
print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])
"""
    command = [sys.executable, "-P", "-c", program]
    assert int(subprocess.run(command, env=environ(), capture_output=True, check=True).stdout) == allowed

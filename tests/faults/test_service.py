"""Nothing is lost and nothing done twice: many at once, and whatever dies."""

from __future__ import annotations

import json
import os
import signal
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.serving import PATIENCE, Served, eventually, served
from tests.faults.tables import EXPLORE, Table, ask
from tests.webhooks.receivers import Receiver, answer

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes through /proc")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("faults") / "data"
    with served(folder, "--workers", "2", ALARUM_WEBHOOK_ALLOW="127.0.0.0/8") as running:
        yield running


def test_sixteen_writers_on_one_crawl_lose_nothing(service: Served) -> None:
    table = Table(service)
    with ThreadPoolExecutor(16) as writers:
        replies = list(writers.map(lambda _: table.play(), range(96)))
    assert {reply.status for reply in replies} == {201}
    table.verify_whole([reply.body["number"] for reply in replies])


def test_of_those_who_name_one_version_one_is_first(service: Served) -> None:
    table = Table(service)
    with ThreadPoolExecutor(12) as writers:
        replies = list(writers.map(lambda _: table.ask("POST", "/rounds", EXPLORE, If_Match='"1"'), range(12)))
    assert sorted(reply.status for reply in replies) == [201] + [412] * 11
    assert {reply.body["code"] for reply in replies if reply.status == 412} == {"stale_crawl"}
    table.verify_whole([1])


def test_one_key_fifty_times_at_once_is_one_round(service: Served) -> None:
    table = Table(service)
    with ThreadPoolExecutor(25) as writers:
        replies = list(writers.map(lambda _: table.play(key="the-same"), range(50)))
    assert all(reply.status == 201 and reply.body == replies[0].body for reply in replies)
    assert sum("Idempotent-Replayed" not in reply.headers for reply in replies) == 1
    table.verify_whole([1])


def test_two_who_undo_at_once_undo_two_rounds(service: Served) -> None:
    table = Table(service)
    for _ in range(3):
        table.play()
    with ThreadPoolExecutor(2) as both:
        replies = list(both.map(lambda _: table.ask("POST", "/undo"), range(2)))
    assert [reply.status for reply in replies] == [200, 200]
    assert sorted(reply.body["undone"]["round"] for reply in replies) == [2, 3]
    crawl = table.ask("GET").body
    assert (crawl["rounds"], crawl["version"], crawl["clock"]["seconds"]) == (1, 6, 600)


@pytest.mark.parametrize("words", ["-m service web", "store.sock"], ids=["a web process", "the store"])
def test_a_sudden_death_under_load_loses_nothing_and_tears_nothing(service: Served, words: str) -> None:
    table = Table(service)
    with ThreadPoolExecutor(8) as writers:
        playing = [writers.submit(table.play) for _ in range(120)]
        assert eventually(lambda: sum(each.done() for each in playing) >= 30)
        victim = _deepest(service, words)
        os.kill(victim, signal.SIGKILL)
        replies = [each.result() for each in playing]
    assert {reply.status for reply in replies} == {201}
    table.verify_whole([reply.body["number"] for reply in replies])


def test_an_encounter_is_told_though_the_sender_died(service: Served) -> None:
    table = Table(service)
    with closing(Receiver(answer())) as receiver:
        hook = {"url": receiver.url, "events": ["encounter.triggered"], "format": "standard", "audience": "gm"}
        assert table.ask("POST", "/webhooks", hook).status == 201
        sender = service.process_of("-m service worker")
        assert sender
        os.kill(sender, signal.SIGKILL)
        encounter = table.play({"kind": "explore", "dice": {"encounter": [6]}}).body["encounters"][0]["id"]
        told = json.loads(receiver.wait_for(1, PATIENCE)[0].body)
    assert (told["type"], told["data"]["encounter"]["id"]) == ("encounter.triggered", encounter)


def test_half_sent_bodies_do_not_stop_others(service: Served) -> None:
    table = Table(service)
    host, port = "127.0.0.1", int(service.port)
    head = f"POST {table.path}/rounds HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n"
    slow = [socket.create_connection((host, port)) for _ in range(40)]
    try:
        for connection in slow:
            connection.sendall(head.encode() + b'{"kind":')
        assert table.play().status == 201
        assert ask(service.url, "GET", "/alive").status == 200
    finally:
        for connection in slow:
            connection.close()
    table.verify_whole([1])


def test_a_stop_in_the_middle_of_play_applies_all_or_nothing(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with served(data) as first:
        table = Table(first)
        with ThreadPoolExecutor(4) as writers:
            playing = [writers.submit(table.ask, "POST", "/rounds", EXPLORE) for _ in range(60)]
            assert eventually(lambda: sum(each.done() for each in playing) >= 10)
            assert first.stop() == 0
            replies = [each.result() for each in playing if each.exception() is None]
    acknowledged = [reply.body["number"] for reply in replies if reply.status == 201]
    with served(data) as second:
        table.url = second.url
        kept = table.ask("GET").body["rounds"]
        assert set(acknowledged) <= set(range(1, kept + 1))
        table.verify_whole(list(range(1, kept + 1)))


def _deepest(service: Served, words: str) -> int:
    """The youngest process with these words in its command line: a worker rather than its parent."""
    return max(pid for pid, command in service.processes().items() if words in command)

"""What was acknowledged is kept, what was not is found out, whatever dies in between."""

from __future__ import annotations

import itertools
import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from service.rules.model import Crawl
from service.store.crawls import CrawlStore
from service.store.embedded import EmbeddedStore
from service.store.errors import StoreUnavailable
from service.store.keys import keys_of
from service.store.opening import open_store
from service.store.records import Loaded
from tests.store.changes import CRAWL, GM, a_crawl, a_declaration, a_record, a_round, started
from tests.store.everywhere import forget_scripts
from tests.store.lossy import LossyLine
from tests.store.playing import play_a_round, read

Load = Callable[..., Loaded]


def assert_whole(store: CrawlStore, crawl_id: str = CRAWL) -> int:
    """The number of rounds in force, which state, records, history and both event streams agree on."""
    found, keys = read(store, crawl_id), keys_of(crawl_id)
    rounds = found.crawl.play.rounds
    assert found.crawl.version == rounds + 1
    assert (found.sequence, found.public_sequence, found.undo_depth) == (1 + 2 * rounds, 1 + rounds, rounds)
    assert store.records(crawl_id, 0, rounds + 1) == [a_record(number) for number in range(1, rounds + 1)]
    for stream, sequence in ((keys.events, found.sequence), (keys.public_events, found.public_sequence)):
        ids = [entry_id for entry_id, _ in store.redis.xrange(stream)]
        assert ids == [f"{number}-0".encode() for number in range(1, sequence + 1)]
    assert len(store.encounters(crawl_id, 0, rounds + 1)) == rounds // 5
    return rounds


def test_sixteen_writers_on_one_crawl_lose_nothing(store: CrawlStore, crawl: Crawl) -> None:
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda number: play_a_round(store, str(number)), range(160)))
    assert sorted(answer.body["number"] for answer in answers if answer.body) == list(range(1, 161))
    assert assert_whole(store) == 160


def test_a_lost_reply_makes_no_second_commit(store_url: str, store: CrawlStore, crawl: Crawl, tmp_path: Path) -> None:
    turns = itertools.count()
    with LossyLine(store_url, tmp_path / "s", lambda: next(turns) % 5 == 4).open() as line:
        lossy = open_store(line.url)
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(lambda number: play_a_round(lossy, str(number)), range(60)))
        lossy.redis.close()
    assert line.lost > 20
    assert any(answer.replayed for answer in answers)
    assert sorted(answer.body["number"] for answer in answers if answer.body) == list(range(1, 61))
    assert assert_whole(store) == 60


def test_a_lost_reply_is_not_sent_for_again(store_url: str, store: CrawlStore, crawl: Crawl, tmp_path: Path) -> None:
    with LossyLine(store_url, tmp_path / "s", lambda: True).open() as line:
        lossy = open_store(line.url)
        with pytest.raises(StoreUnavailable):
            lossy.commit(a_declaration(read(store), expected_revision=None, expected_version=None))
        lossy.redis.close()
    assert line.lost == 1
    assert (read(store).declarations_revision, read(store).sequence) == (1, 2)


def test_scripts_may_be_forgotten_in_the_middle_of_it_all(store: CrawlStore, crawl: Crawl) -> None:
    over = threading.Event()

    def forget() -> None:
        while not over.is_set():
            forget_scripts(store.redis)

    forgetting = threading.Thread(target=forget)
    forgetting.start()
    try:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda number: play_a_round(store, str(number)), range(60)))
    finally:
        over.set()
        forgetting.join()
    assert assert_whole(store) == 60


def test_a_store_that_is_gone_is_known_at_once(tmp_path: Path) -> None:
    began = time.monotonic()
    with pytest.raises(StoreUnavailable) as refused:
        open_store(f"unix://{tmp_path}/nobody").load(CRAWL, GM)
    with pytest.raises(StoreUnavailable):
        open_store("redis://127.0.0.1:1/0").commit(started(a_crawl()))
    assert time.monotonic() - began < 0.5
    assert str(tmp_path) not in str(refused.value)


def test_a_store_that_hangs_is_given_up_within_a_second_and_found_again(tmp_path: Path) -> None:
    server = EmbeddedStore(tmp_path)
    server.start()
    try:
        store = open_store(server.url)
        store.commit(started(a_crawl()))
        found = read(store)
        assert server.pid is not None
        os.kill(server.pid, signal.SIGSTOP)
        began = time.monotonic()
        with pytest.raises(StoreUnavailable):
            store.commit(a_round(found))
        assert 0.9 < time.monotonic() - began < 2
        os.kill(server.pid, signal.SIGCONT)
        assert play_a_round(store, "then").status == 201
        assert read(store).crawl.version - read(store).crawl.play.rounds == 1
        store.redis.close()
    finally:
        server.stop()


def test_a_server_killed_under_load_keeps_every_acknowledged_commit_and_tears_none(tmp_path: Path) -> None:
    server = EmbeddedStore(tmp_path)
    server.start()
    crawls = [f"crl_{number:0>2x}{'k' * 20}" for number in range(6)]
    acknowledged = dict.fromkeys(crawls, 0)
    over = threading.Event()

    def play(crawl_id: str) -> None:
        store = open_store(server.url)
        store.commit(started(a_crawl(crawl_id)))
        while not over.is_set():
            try:
                store.commit(a_round(read(store, crawl_id)))
                acknowledged[crawl_id] += 1
            except StoreUnavailable:
                break
        store.redis.close()

    try:
        players = [threading.Thread(target=play, args=(crawl_id,)) for crawl_id in crawls]
        for player in players:
            player.start()
        deadline = time.monotonic() + 20
        while min(acknowledged.values()) < 50 and time.monotonic() < deadline:
            over.wait(0.01)
        assert server.pid is not None
        os.kill(server.pid, signal.SIGKILL)
        over.set()
        for player in players:
            player.join()
        while server.alive():
            time.sleep(0.01)
        server.restart()
        store = open_store(server.url)
        for crawl_id in crawls:
            assert 50 <= acknowledged[crawl_id] <= assert_whole(store, crawl_id) <= acknowledged[crawl_id] + 1
        store.redis.close()
    finally:
        over.set()
        server.stop()

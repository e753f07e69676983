"""On a Redis Cluster: slots move under load, primaries die, and no number is given twice."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from service.store.crawls import CrawlStore
from service.store.errors import EventsTrimmed, StaleCrawl, StoreUnavailable
from service.store.opening import open_store
from tests.store.changes import CRAWL, a_crawl, a_record, a_round, started
from tests.store.clusters import Node, Nodes, cluster, until
from tests.store.playing import play_a_round, read

PARTITIONS = 256


@contextmanager
def opened(nodes: Nodes) -> Iterator[CrawlStore]:
    store = open_store(nodes.url)
    try:
        yield store
    finally:
        store.redis.close()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nodes]:
    """Three primaries and nothing else; no test leaves it broken."""
    with cluster(tmp_path_factory.mktemp("cluster")) as nodes:
        yield nodes


@pytest.fixture
def nodes(tmp_path: Path) -> Iterator[Nodes]:
    """Three primaries, the first two of them with a replica, to be broken."""
    with cluster(tmp_path, replicas=2, **{"cluster-replica-validity-factor": "0"}) as nodes:
        yield nodes


def crawl_on(nodes: Nodes, node: Node) -> str:
    """The id of a crawl whose slot that node has."""
    crawls = (f"crl_{partition:02x}{'k' * 20}" for partition in range(PARTITIONS))
    return next(crawl for crawl in crawls if nodes.owner_of(crawl) is node)


def told(store: CrawlStore, crawl_id: str, *, public: bool = False) -> dict[int, str]:
    """Every event that can still be read, by its sequence, read on from gap to gap."""
    found: dict[int, str] = {}
    after = 0
    while True:
        try:
            page = store.events(crawl_id, after, 7, public=public)
        except EventsTrimmed as trimmed:
            after = trimmed.earliest - 1
            continue
        for event in page.events:
            assert event["sequence"] == after + 1
            after += 1
            found[after] = event["id"]
        if not page.more:
            return found


def test_partitions_are_spread_over_the_nodes(whole: Nodes, capsys: pytest.CaptureFixture[str]) -> None:
    owners = [whole.owner_of(f"crl_{partition:02x}{'k' * 20}") for partition in range(PARTITIONS)]
    spread = [owners.count(node) for node in whole.all]
    with capsys.disabled():
        print(f" 256 partitions on 3 nodes: {spread}")
    assert max(spread) <= 1.15 * PARTITIONS / 3


def test_a_slot_moves_under_load_and_nothing_is_lost_or_made_twice(whole: Nodes) -> None:
    with opened(whole) as store:
        store.commit(started(a_crawl()))
        home = whole.owner_of(CRAWL)
        over = threading.Event()
        answers: list[Any] = []

        def play(player: int) -> None:
            while not over.is_set():
                answers.append(play_a_round(store, f"{player} {len(answers)} {time.monotonic()}"))

        players = [threading.Thread(target=play, args=(player,)) for player in range(4)]
        for player in players:
            player.start()
        try:
            for there in (*(node for node in whole.all if node is not home), home):
                behind = len(answers) + 20
                until(lambda: len(answers) > behind)  # noqa: B023
                whole.migrate(CRAWL, there)
                assert whole.owner_of(CRAWL) is there
        finally:
            over.set()
            for player in players:
                player.join()
        rounds = len(answers)
        assert sorted(answer.body["number"] for answer in answers) == list(range(1, rounds + 1))
        assert store.records(CRAWL, 0, rounds + 1) == [a_record(number) for number in range(1, rounds + 1)]
        assert len(told(store, CRAWL)) == 1 + 2 * rounds
        assert len(told(store, CRAWL, public=True)) == 1 + rounds
        assert read(store).undo_depth == rounds


def test_a_cluster_that_is_away_is_known_at_once_and_found_again() -> None:
    began = time.monotonic()
    with pytest.raises(StoreUnavailable):
        open_store("redis+cluster://127.0.0.1:1,127.0.0.1:2").commit(started(a_crawl()))
    assert time.monotonic() - began < 0.5


def test_after_a_failover_no_number_comes_twice(nodes: Nodes) -> None:
    primary, replica = nodes.all[0], nodes.all[3]
    crawl = crawl_on(nodes, primary)
    with opened(nodes) as store:
        store.commit(started(a_crawl(crawl)))
        for number in range(5):
            play_a_round(store, f"kept {number}", crawl)
        primary.redis.wait(1, 5_000)
        kept = told(store, crawl)
        keep_from(replica, primary)
        for number in range(5):
            play_a_round(store, f"lost {number}", crawl)
        lost = told(store, crawl).keys() - kept.keys()
        unheard_of = read(store, crawl)
        assert len(lost) == 10

        primary.kill()
        until(lambda: replica.role == "master")
        until(lambda: read_again(store, crawl) == 5)
        assert told(store, crawl) == kept
        with pytest.raises(StaleCrawl):
            store.commit(a_round(unheard_of))
        for number in range(5):
            play_a_round(store, f"lost {number}", crawl)
        new = told(store, crawl)
        assert read(store, crawl).crawl.play.rounds == 10
        assert read(store, crawl).crawl.version > unheard_of.crawl.version
        assert new.keys() >= kept.keys()
        assert new.keys().isdisjoint(lost)
        assert len(new) == len(kept) + 10
        for heard in (max(kept), max(lost)):
            with pytest.raises(EventsTrimmed) as trimmed:
                store.events(crawl, heard, 50, public=False)
            assert trimmed.value.earliest == min(new.keys() - kept.keys())


def test_a_primary_killed_under_load_costs_moments_and_no_number_twice(
    nodes: Nodes, capsys: pytest.CaptureFixture[str]
) -> None:
    primary = nodes.all[0]
    crawl = crawl_on(nodes, primary)
    over = threading.Event()
    seen: dict[int, str] = {}
    moments: list[float] = []

    def play(player: int) -> None:
        while not over.is_set():
            play_a_round(store, f"{player} {len(moments)} {time.monotonic()}", crawl)
            moments.append(time.monotonic())

    def listen() -> None:
        while not over.is_set():
            try:
                for sequence, id_ in told(store, crawl).items():
                    assert seen.setdefault(sequence, id_) == id_
            except StoreUnavailable:
                continue

    with opened(nodes) as store:
        store.commit(started(a_crawl(crawl)))
        with ThreadPoolExecutor(5) as pool:
            at_work = [*(pool.submit(play, player) for player in range(4)), pool.submit(listen)]
            try:
                until(lambda: len(moments) > 300)
                primary.kill()
                killed, before = time.monotonic(), len(moments)
                until(lambda: len(moments) > before + 100)
            finally:
                over.set()
        for each in at_work:
            each.result()
        lost = len(moments) - read(store, crawl).crawl.play.rounds
        away = next(moment for moment in moments[before + 4 :]) - killed
        with capsys.disabled():
            print(f" failover: away for {away:.1f} s, {lost} of {before} acknowledged rounds lost")
        assert lost < before
        for sequence, id_ in told(store, crawl).items():
            assert seen.get(sequence, id_) == id_


def test_a_deaf_primary_refuses_where_replicas_are_asked_for(nodes: Nodes) -> None:
    primary, replica = nodes.all[0], nodes.all[3]
    primary.redis.config_set("min-replicas-to-write", 1)
    crawl = crawl_on(nodes, primary)
    with opened(nodes) as store:
        store.commit(started(a_crawl(crawl)))
        keep_from(replica, primary)
        with pytest.raises(StoreUnavailable):
            store.commit(a_round(read(store, crawl)))


def keep_from(replica: Node, primary: Node) -> None:
    """Cuts the line over which the replica hears of writes; all else goes on."""
    primary.redis.config_set("requirepass", "a word that the replica does not know")
    primary.redis.client_kill_filter(_type="replica")
    until(lambda: replica.redis.info("replication")["master_link_status"] == "down")


def read_again(store: CrawlStore, crawl_id: str) -> int | None:
    try:
        return read(store, crawl_id).crawl.play.rounds
    except StoreUnavailable:
        return None

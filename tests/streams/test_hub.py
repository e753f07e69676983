"""The one who hears and those who listen, in one process of plain threads."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from service.app import create_app
from service.crawls import streaming
from service.crawls.streaming import KEPT, Pace
from service.settings import Settings
from service.store.crawls import CrawlStore
from service.store.opening import open_redis
from tests.api.talking import Api, Crawl, problem, start
from tests.cli.serving import eventually

KEEPS = 5


@pytest.fixture
def api(store: CrawlStore, store_url: str) -> Iterator[Api]:
    """The application over a store that keeps five events of a crawl."""
    with closing(open_redis(store_url)) as redis:
        yield Api(create_app(Settings(), CrawlStore(redis, keep_events=KEEPS), pace=Pace(heartbeat=0.1)))


@contextmanager
def listening(who: Api, crawl: Crawl, **headers: str) -> Iterator[Iterator[str]]:
    """The frames of a stream that has begun, signs of life left out."""
    sent = {
        "Authorization": f"Bearer {who.token}",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    answer = who.app.test_client().get(f"{crawl.path}/events/stream", headers=sent)
    assert answer.status_code == 200
    with closing(answer):
        chunks = (chunk.decode() for chunk in answer.response)
        assert next(chunks) == "retry: 3000\n: these events are live\n\n"
        yield (f"{frame}\n\n" for chunk in chunks if chunk != ":\n\n" for frame in chunk.split("\n\n")[:-1])


def ids(frames: Iterator[str], count: int) -> list[int]:
    return [int(next(frames).split("\n")[0].removeprefix("id: ")) for _ in range(count)]


def hearing() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "streams"]


def test_whoever_asks_for_what_is_no_longer_kept_is_told_so_and_goes_on(api: Api) -> None:
    crawl = start(api)
    for number in range(2 * KEEPS):
        crawl.gm.patch(crawl.path, {"name": f"Deck {number}"})
    earliest = problem(crawl.gm.get(f"{crawl.path}/events"), 410, "events_trimmed")["earliest"]
    newest = earliest + KEEPS - 1
    with listening(crawl.gm, crawl, Last_Event_ID="0") as frames:
        reset = f'id: {newest}\nevent: reset\ndata: {{"earliest":{earliest},"sequence":{newest}}}\n\n'
        assert next(frames) == reset
        crawl.gm.patch(crawl.path, {"name": "The Persephone"})
        assert ids(frames, 1) == [newest + 1]
    with listening(crawl.gm, crawl, Last_Event_ID=str(earliest)) as frames:
        assert ids(frames, KEEPS) == list(range(earliest + 1, newest + 2))


def test_whoever_joins_others_misses_nothing_of_what_happens_meanwhile(api: Api) -> None:
    crawl = start(api)
    told = 1
    with listening(crawl.gm, crawl) as others:
        for number in range(60):
            changing = threading.Thread(target=crawl.gm.patch, args=(crawl.path, {"name": f"Deck {number}"}))
            changing.start()
            with listening(crawl.player, crawl, Last_Event_ID=str(told)) as frames:  # each time anew the first player
                told += 1
                assert ids(frames, 1) == ids(others, 1) == [told]
            changing.join()


def test_a_listener_that_is_far_behind_reads_on_from_the_store(api: Api) -> None:
    crawl = start(api)
    with listening(crawl.gm, crawl) as slow, listening(crawl.gm, crawl) as fast:
        for number in range(2, KEPT + 10):
            crawl.gm.patch(crawl.path, {"name": f"Deck {number}"})
            assert ids(fast, 1) == [number]
        newest = KEPT + 9
        # Neither the frames at hand nor what the store keeps reach back so far.
        assert next(slow).startswith(f"id: {newest}\nevent: reset\n")


def test_nobody_hears_where_nobody_listens(api: Api) -> None:
    assert eventually(lambda: not hearing())
    crawl = start(api)
    with listening(crawl.gm, crawl), listening(crawl.player, crawl):
        assert len(hearing()) == 1
    crawl.gm.patch(crawl.path, {"name": "Another"})
    assert eventually(lambda: not hearing())
    with listening(crawl.gm, crawl) as frames:
        crawl.gm.patch(crawl.path, {"name": "The Persephone"})
        assert ids(frames, 1) == [3]


def test_a_process_has_so_many_streams_at_most(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "MAX_STREAMS", 1)
    one, another = start(api), start(api)
    with listening(one.gm, one):
        answer = another.gm.get(f"{another.path}/events/stream")
        problem(answer, 429, "too_many_streams")
        assert answer.headers["Retry-After"] == "5"
    with listening(another.gm, another):
        pass

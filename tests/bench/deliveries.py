"""How soon and how fast webhooks are told: `python -m tests.bench.deliveries [events a second] [seconds]`.

Prints the lag from commit to arrival over 50 webhooks of three crawls, then deliveries a second of one worker with a
full outbox against a bare urllib3 loop in the same run, and what an idle worker costs.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import urllib3

from service.store.crawls import CrawlStore
from service.store.embedded import EmbeddedStore
from service.store.opening import open_store
from tests.webhooks.telling import add, crawl_id, hook, start, tell

WEBHOOKS = 50
WORK = "import sys; from service import worker; from service.webhooks import addresses; "
WORK += "worker.run(sys.argv[1], addresses.networks('127.0.0.0/8'))"


@contextmanager
def child(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.PIPE)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def arrivals(url: str) -> dict[str, float]:
    first: dict[str, float] = {}
    for message, at in json.loads(urllib3.request("GET", url).data):
        first.setdefault(message, at)
    return first


def wait_for(url: str, count: int) -> dict[str, float]:
    until = time.monotonic() + 120
    while len(got := arrivals(url)) < count and time.monotonic() < until:
        time.sleep(0.2)
    return got


def crawls(store: CrawlStore, url: str) -> list[str]:
    """Three crawls with 50 webhooks, each for a kind of event of its own, so that one event is one delivery."""
    started = [start(store, number * 85) for number in range(3)]
    for number in range(WEBHOOKS):
        add(store, started[number % 3], hook(url, number))
    return started


def lag(store: CrawlStore, url: str, rate: float, seconds: float) -> None:
    """Deliveries at `rate` a second; each commit is for the sixteen or seventeen webhooks of one crawl."""
    before = len(arrivals(url))
    commits = max(1, round(rate * seconds * 3 / WEBHOOKS))
    committed: dict[str, float] = {}
    expected = 0
    for number in range(commits):
        crawl = crawl_id(number % 3 * 85)
        time.sleep(seconds / commits)
        tell(store, crawl, f"enc_{number}")
        committed[f"evt_{crawl}_enc_{number}"] = time.monotonic()
        expected += len(store.webhooks.all(crawl))
    got = wait_for(url, before + expected)
    from service.webhooks.messages import message_id

    lags = sorted(
        got[message_id(event, f"whk_{number}")] - at
        for event, at in committed.items()
        for number in range(WEBHOOKS)
        if message_id(event, f"whk_{number}") in got
    )
    p99 = lags[int(len(lags) * 0.99)]
    print(
        f"lag over {len(lags)} of {expected} deliveries at {expected / seconds:.0f} a second: "
        f"median {statistics.median(lags) * 1000:.1f} ms, 99 % {p99 * 1000:.1f} ms, longest {lags[-1] * 1000:.1f} ms"
    )


def bare(url: str, count: int) -> float:
    """Deliveries a second of a plain loop with urllib3, a connection each as ours, and with one kept."""
    body = b"x" * 600
    began = time.monotonic()
    for _ in range(count):
        with urllib3.PoolManager() as pool:
            pool.request("POST", url, body=body, headers={"Connection": "close"})
    anew = count / (time.monotonic() - began)
    began = time.monotonic()
    with urllib3.PoolManager() as pool:
        for _ in range(count):
            pool.request("POST", url, body=body)
    kept = count / (time.monotonic() - began)
    print(f"bare urllib3 loop: {anew:.0f} a second with a connection each, {kept:.0f} with one kept")
    return anew


def cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


def main() -> None:
    rate, seconds = (float(value) for value in (sys.argv[1:] + ["20", "20"][len(sys.argv) - 1 :]))
    with tempfile.TemporaryDirectory() as folder, child("-m", "tests.bench.receiver") as receiver:
        assert receiver.stdout
        url = f"http://127.0.0.1:{int(receiver.stdout.readline())}/hook"
        server = EmbeddedStore(Path(folder))
        server.start()
        store = open_store(server.url)
        crawls(store, url)
        with child("-c", WORK, server.url) as worker:
            time.sleep(1)
            idle = cpu(worker.pid)
            time.sleep(10)
            print(f"idle worker: {(cpu(worker.pid) - idle) / 10 * 100:.1f} % of a core")
            lag(store, url, rate, seconds)
        store.redis.flushall()
        crawls(store, url)
        before = len(arrivals(url))
        for number in range(180):
            tell(store, crawl_id(number % 3 * 85), f"full_{number}")
        with child("-c", WORK, server.url):
            got = wait_for(url, before + 3000)
        times = sorted(got.values())[before:]
        fast = (len(times) - 1) / (times[-1] - times[0])
        anew = bare(url, 1000)
        print(f"one worker: {len(times)} deliveries, {fast:.0f} a second; ratio {fast / anew:.2f}")
        store.redis.close()
        server.stop()


if __name__ == "__main__":
    main()

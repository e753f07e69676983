"""How many deliveries a second one worker makes, beside a bare loop that posts as much; and what an idle one takes."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from datetime import UTC, datetime
from pathlib import Path

import urllib3

from service.store.crawls import CrawlStore
from service.webhooks.messages import Message
from service.webhooks.signing import new_secret
from tests.bench.lag import PATIENCE, commits, webhooks_of
from tests.webhooks.processes import Recorder

BODY = b"x" * 400
"""About as long as an encounter is told."""


def of_worker(store: CrawlStore, there: Recorder, worker: subprocess.Popen[bytes], name: str, count: int) -> float:
    """Deliveries a second out of a full outbox, from the moment at which the worker sees it: reading the outbox, making
    deliveries, leases, sends and records, all of it. 0 when not all came."""
    before = there.count()
    worker.send_signal(signal.SIGSTOP)
    filled = sum(len(webhooks_of(crawl)) for crawl, _, _ in commits(store, name, float("inf"), count))
    began = time.monotonic()
    worker.send_signal(signal.SIGCONT)
    if not there.wait_for(before + filled, PATIENCE):
        return 0.0
    return filled / (there.arrivals()[-1].at - began)


def of_bare_loop(there: Recorder, count: int) -> float:
    """POSTs a second of urllib3 in a loop: signed once, and each over a connection of its own, as ours are."""
    headers = Message("msg_bare", "", BODY).headers([new_secret()], datetime.now(UTC)) | {"Connection": "close"}
    url = there.url()
    began = time.monotonic()
    with urllib3.PoolManager() as pool:
        for _ in range(count):
            pool.request("POST", url, body=BODY, headers=headers)
    return count / (time.monotonic() - began)


def idle(pid: int, seconds: float) -> tuple[float, float]:
    """The share of a core that a process takes while nothing happens, and its memory in MiB."""
    before = cpu(pid)
    time.sleep(seconds)
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return (cpu(pid) - before) / seconds, pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def cpu(pid: int) -> float:
    """Seconds of a core that the process has taken so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

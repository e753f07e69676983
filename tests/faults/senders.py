"""What may happen to senders while tables play: each is done to real processes, and what came of it is summed up."""

from __future__ import annotations

import random
import signal
import time

from service.store import keys
from tests.faults.stage import PATIENCE, Stage, Sum
from tests.webhooks.processes import worker
from tests.webhooks.telling import add, hook, start

SLOW = 3.0
"""Seconds in which the receiver of the delivery that a paused worker holds has taken it and not answered."""


def killed(stage: Stage, times: int, rate: float, *, within: int = 200, hasten: bool = False) -> Sum:
    """A worker dies of SIGKILL so often, each time in the middle of its sends; the next one starts at once.

    What a dead one held is leased to it still; to `hasten` ends those leases at once rather than wait for them.
    """
    chance = random.Random(times)
    with stage.telling(rate):
        for _ in range(times):
            with worker(stage.url, stage.log) as process:
                some = stage.there.count() + chance.randint(1, within)
                assert stage.there.wait_for(some, PATIENCE), stage.log.read_text()
                process.kill()
                process.wait()
            if hasten:
                stage.end_leases()
    with worker(stage.url, stage.log):
        stage.drained()
    return stage.sum()


def two_at_once(stage: Stage, seconds: float, rate: float) -> Sum:
    """Two workers deliver side by side, and neither dies."""
    with worker(stage.url, stage.log), worker(stage.url, stage.log):
        with stage.telling(rate):
            time.sleep(seconds)
        stage.drained()
    return stage.sum()


def paused(stage: Stage, rate: float) -> Sum:
    """A worker stands still (SIGSTOP) between sending and recording until another has delivered what it held, and goes
    on (SIGCONT): what it records then is refused."""
    crawl = start(stage.store, 250)
    add(stage.store, crawl, hook(stage.there.url(SLOW), 250))
    with worker(stage.url, stage.log) as first, stage.telling(rate):
        (held,) = stage.tell(crawl, "held")
        assert _came(stage, held, times=1)
        first.send_signal(signal.SIGSTOP)
        with worker(stage.url, stage.log):
            assert _came(stage, held, times=2)
            assert stage.there.wait_for(len(stage.told), PATIENCE)
            until = time.monotonic() + PATIENCE
            while _kept(stage, held)[b"status"] != b"delivered" and time.monotonic() < until:
                time.sleep(0.05)
            before = _kept(stage, held)
            first.send_signal(signal.SIGTERM)
            first.send_signal(signal.SIGCONT)
            first.wait(PATIENCE)
            after = _kept(stage, held)
    with worker(stage.url, stage.log):
        stage.drained()
    wrong = {
        "the delivery is as the late record has it": before != after,
        "the second try is not the delivery's last": (after[b"status"], after[b"tries"]) != (b"delivered", b"2"),
        "the first worker never came to its record": f"{held}, try 1" not in stage.log.read_text(),
    }
    return stage.sum(*(words for words, is_so in wrong.items() if is_so))


def _came(stage: Stage, id_: str, times: int) -> bool:
    until = time.monotonic() + PATIENCE
    while sum(arrival.id == id_ for arrival in stage.there.arrivals()) < times:
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def _kept(stage: Stage, id_: str) -> dict[bytes, bytes]:
    return stage.store.redis.hgetall(keys.delivery(250, id_))

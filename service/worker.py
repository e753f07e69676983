"""The sending process: takes events out of the outbox and delivers them to webhooks until it is told to stop.

One thread decides what is next, one listens for the signals of commits, and some thirty send, so that a receiver which
takes its fifteen seconds holds up nobody else. Any number of workers may run at once: the store hands each delivery to
one of them, and to another when that one dies.
"""

from __future__ import annotations

import logging
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from queue import Empty, SimpleQueue

from service.store.errors import StoreError, StoreUnavailable
from service.store.opening import open_store
from service.store.outbox import LEASE_SECONDS, Claimed, Entry, Outbox, Queued
from service.webhooks import client
from service.webhooks.addresses import Networks
from service.webhooks.delivery import Decision, decide
from service.webhooks.formats import FORMATS
from service.webhooks.messages import Happening, Message, message_for

SENDERS = 32
BATCH = 50
SWEEP_SECONDS = 5.0
"""How often everything is looked at, in case a signal was missed or another worker died."""
GRACE_SECONDS = 8.0
"""How long sends under way are waited for at a stop. One that is cut off is made again, with the same id."""
RECORD_AGAIN = 0.5
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 2.0

log = logging.getLogger("alarum.worker")


def run(store_url: str, allow: Networks, *, senders: int = SENDERS) -> None:
    """Delivers until SIGTERM or SIGINT; `allow` are the networks that the operator opens. The store may come and go."""
    worker = Worker(Outbox(open_store(store_url).redis), allow, senders=senders)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: worker.stop())
    log.info("delivering webhooks")
    worker.run()
    log.info("stopped")


def _now() -> datetime:
    return datetime.now(UTC)


def deliver(outbox: Outbox, claimed: Claimed, allow: Networks, clock: Callable[[], datetime] = _now) -> Decision | None:
    """One try of one delivery, and the record of it; None when its webhook is gone, paused or disabled by now.

    The record outlasts a store that is away for a moment. When it is away until the lease ends, the delivery is made
    again, with the same id.
    """
    until = time.monotonic() + LEASE_SECONDS
    webhook = claimed.read()
    if webhook is None or webhook["status"] != "active":
        _insist(lambda: outbox.discard(claimed), until)
        return None
    message = Message(claimed.id, claimed.type, claimed.body)
    form = FORMATS[webhook["format"]]
    url = form.target(webhook["url"])
    verdict = client.send(url, message.body, message.headers([webhook["secret"]], clock()), allow)
    decision = decide(verdict, claimed.tries, clock(), random.random, form.read)
    if decision.outcome != "delivered":
        _log_failure(claimed, decision, verdict.detail)
    _insist(lambda: _keep(outbox, claimed, decision), until)
    return decision


def _keep(outbox: Outbox, claimed: Claimed, decision: Decision) -> None:
    if decision.outcome == "again":
        outbox.put_off(claimed, decision.wait or 0.0)
    elif decision.outcome != "disabled":
        outbox.finish(claimed)
    elif not outbox.disable(claimed, decision.reason):
        outbox.put_off(claimed, 0.0)  # the GM changed the webhook meanwhile: what is gone may be its old URL


def _insist(act: Callable[[], object], until: float) -> None:
    while True:
        try:
            act()
            return
        except StoreError:
            if time.monotonic() + RECORD_AGAIN > until:
                raise
            time.sleep(RECORD_AGAIN)


def _log_failure(claimed: Claimed, decision: Decision, detail: str) -> None:
    """One line, without the URL: its path is often a secret."""
    following = "" if decision.wait is None else f" in {decision.wait:.0f} s"
    which = f"webhook {claimed.webhook} of {claimed.crawl}, message {claimed.id}, try {claimed.tries}"
    why = f"{decision.reason} ({detail})" if detail else decision.reason
    log.warning("%s: %s; %s%s", which, why, decision.outcome.replace("_", " "), following)


def deliveries_of(entry: Entry) -> Iterator[Queued]:
    """What must be sent of an event: one delivery for each active webhook that asked for it and may see it."""
    happening = Happening(entry.event, entry.sequence, entry.public, entry.public_sequence)
    for webhook in entry.webhooks:
        try:
            message = message_for(webhook, happening) if webhook["status"] == "active" else None
        except (KeyError, TypeError, ValueError):  # one that nobody can read must not stand in the way of the others
            log.exception("event %s of %s cannot be told to webhook %s", entry.sequence, entry.crawl, webhook.get("id"))
            continue
        if message:
            yield Queued(message.id, webhook["id"], message.type, message.body)


@dataclass(frozen=True, slots=True)
class _Word:
    """What the deciding thread is told: look at this partition (None: at all); so many senders are free again."""

    partition: int | None = None
    freed: int = 0


class Worker:
    """The sending process without its signals. Any thread or signal handler may `stop` it; then `run` returns."""

    def __init__(self, outbox: Outbox, allow: Networks, *, senders: int = SENDERS) -> None:
        self._outbox = outbox
        self._allow = allow
        self._senders = self._free = senders
        self._stopping = threading.Event()
        # SimpleQueue, since it may be put into from a signal handler.
        self._words: SimpleQueue[_Word] = SimpleQueue()
        self._to_send: SimpleQueue[Claimed | None] = SimpleQueue()
        self._next: dict[int, float] = {}
        self._hungry: set[int] = set()
        self._sweep_at = 0.0

    def run(self) -> None:
        """Delivers until stopped. A store that is away is asked again, in the end every two seconds."""
        for act in (self._listen, *[self._send] * self._senders):
            threading.Thread(target=act, daemon=True, name=f"alarum-{act.__name__}").start()
        pause = FIRST_PAUSE
        while not self._stopping.is_set():
            try:
                self._turn()
                pause = FIRST_PAUSE
            except StoreError as error:
                away = isinstance(error, StoreUnavailable)  # what it says is meant for those who ask over HTTP
                log.warning("%s Trying again in %.1f s.", "The store does not answer." if away else error, pause)
                self._sweep_at = 0.0
                self._stopping.wait(pause)
                pause = min(pause * 2, LONGEST_PAUSE)
        self._finish()

    def stop(self) -> None:
        """Nothing more is begun; what is being sent is finished, within a grace."""
        self._stopping.set()
        self._words.put(_Word())

    def _turn(self) -> None:
        """Waits until something may be due, and serves it."""
        told: set[int] = set()
        ready: set[int] = set()
        for word in self._heard(min([self._sweep_at, *self._next.values()]) - time.monotonic()):
            self._free += word.freed
            if word.partition is None:
                self._sweep_at = 0.0
            else:
                (ready if word.freed else told).add(word.partition)
        now = time.monotonic()
        if now >= self._sweep_at:
            told.update(self._outbox.waiting())
            self._sweep_at = now + SWEEP_SECONDS
        ready.update(partition for partition, at in self._next.items() if at <= now)
        if self._free:
            ready |= self._hungry
            self._hungry.clear()
        for partition in told:
            self._fan_out(partition)
        for partition in told | ready:
            self._begin(partition)

    def _fan_out(self, partition: int) -> None:
        """Makes deliveries of what the outbox holds."""
        while entries := self._outbox.read(partition, BATCH):
            self._outbox.queue(partition, [(entry, tuple(deliveries_of(entry))) for entry in entries])
            if len(entries) < BATCH:
                return

    def _begin(self, partition: int) -> None:
        """Begins what is due, as far as senders are free."""
        if self._stopping.is_set():
            return
        self._next.pop(partition, None)
        if not self._free:
            self._hungry.add(partition)
            return
        claims = self._outbox.claim(partition, self._free)
        for claimed in claims.deliveries:
            self._free -= 1
            self._to_send.put(claimed)
        if claims.following is not None:
            self._next[partition] = time.monotonic() + claims.following

    def _heard(self, seconds: float) -> Iterator[_Word]:
        """All that was said by now, or the first word said within so many seconds."""
        try:
            yield self._words.get(timeout=seconds) if seconds > 0 else self._words.get_nowait()
            while True:
                yield self._words.get_nowait()
        except Empty:
            return

    def _listen(self) -> None:
        while not self._stopping.is_set():
            try:
                with closing(self._outbox.listen()) as signals:
                    self._words.put(_Word())  # what was said while nobody listened
                    while not self._stopping.is_set():
                        partition = signals.wait(1.0)
                        if partition is not None:
                            self._words.put(_Word(partition))
            except StoreError:
                self._stopping.wait(0.5)

    def _send(self) -> None:
        while claimed := self._to_send.get():
            try:
                deliver(self._outbox, claimed, self._allow)
            except Exception:  # the lease ends, and the delivery is made again
                log.exception("message %s at webhook %s was not recorded", claimed.id, claimed.webhook)
            finally:
                self._words.put(_Word(claimed.partition, freed=1))

    def _finish(self) -> None:
        until = time.monotonic() + GRACE_SECONDS
        while self._free < self._senders and time.monotonic() < until:
            self._free += sum(word.freed for word in self._heard(0.1))
        for _ in range(self._senders):
            self._to_send.put(None)

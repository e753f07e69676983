"""What a worker does when: it looks where something is due, and has it sent.

One thread decides what is next, one listens for the signals of commits, and some thirty send, so that a receiver which
takes its fifteen seconds holds up nobody else. Any number of workers may run at once: the store hands each delivery to
one of them, and to another when that one dies.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from queue import Empty, SimpleQueue

from service.store.errors import StoreError, StoreUnavailable
from service.store.outbox import Claimed, Outbox
from service.webhooks import client
from service.webhooks.addresses import Networks
from service.worker.delivering import Send, deliver, deliveries_of

SENDERS = 32
BATCH = 50
SWEEP_SECONDS = 5.0
"""How often everything is looked at, in case a signal was missed or another worker died."""
GRACE_SECONDS = 8.0
"""How long sends under way are waited for at a stop. One that is cut off is made again, with the same id."""
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 2.0

log = logging.getLogger("alarum.worker")


@dataclass(frozen=True, slots=True)
class _Word:
    """What the deciding thread is told: look at this partition (None: at all); so many senders are free again."""

    partition: int | None = None
    freed: int = 0


class Worker:
    """The sending process without its signals. Any thread or signal handler may `stop` it; then `run` returns."""

    def __init__(self, outbox: Outbox, allow: Networks, *, senders: int = SENDERS, send: Send = client.send) -> None:
        self._outbox = outbox
        self._allow = allow
        self._send_one = send
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
        """Makes deliveries of what the outbox holds. What nobody can read there is in no other partition's way."""
        try:
            while entries := self._outbox.read(partition, BATCH):
                self._outbox.queue(partition, [(entry, tuple(deliveries_of(entry))) for entry in entries])
                if len(entries) < BATCH:
                    return
        except (KeyError, TypeError, ValueError):
            log.exception("the outbox of partition %d cannot be read", partition)

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
                deliver(self._outbox, claimed, self._allow, send=self._send_one)
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

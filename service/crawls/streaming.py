"""Live events: one subscription a process, and for each crawl the newest frames, which all who listen share.

A listener is a position. It is given what lies behind that: from the frames at hand, else out of the store, which is
also how it catches up at its start. Both go by the events' sequence, so nothing is missed in between or sent twice.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from service.crawls.entering import Entered
from service.crawls.errors import TooManyStreams
from service.crawls.limits import MAX_STREAMS, MAX_STREAMS_A_CRAWL
from service.store.crawls import CrawlStore
from service.store.errors import EventsTrimmed, StoreUnavailable
from service.store.feed import Feed
from service.watching.figures import STREAMS

log = logging.getLogger("alarum.streams")

KEPT = 32
"""Frames at hand for each crawl and audience: more than a round brings. Whoever is further behind reads the store."""

AT_ONCE = 100
"""Events read from the store at a time."""

PAUSES = (0.1, 0.2, 0.5, 1.0, 2.0)
"""Seconds until a store that is away is tried again; the last one from then on."""

BEFORE_ALL = -1
"""A position that lies before every event that was ever kept."""

Form = Callable[[str, int, Mapping[str, Any]], bytes]
"""(type, sequence, data) → the frame that is sent."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds: of silence until a sign of life, until a stream's right to be open is looked at again, and for which a
    reader may take nothing."""

    heartbeat: float = 15.0
    look: float = 60.0
    patience: float = 20.0


@dataclass(slots=True)
class Channel:
    """What one audience of a crawl has been told lately. `sequence` is the newest frame's."""

    sequence: int
    ended: threading.Event
    listeners: int = 0
    _frames: deque[bytes] = field(default_factory=lambda: deque(maxlen=KEPT))
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def add(self, frames: Sequence[bytes]) -> None:
        with self._changed:
            self._frames.extend(frames)
            self.sequence += len(frames)
            self._changed.notify_all()

    def skip_to(self, sequence: int) -> None:
        """Goes on behind this sequence, without the frames up to it."""
        with self._changed:
            self._frames.clear()
            self.sequence = sequence

    def wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def behind(self, position: int, seconds: float) -> list[bytes] | None:
        """The frames behind a position, waited for so long; none when none came, None when not all are at hand."""
        with self._changed:
            self._changed.wait_for(lambda: self.sequence > position or self.ended.is_set(), seconds)
            missing = self.sequence - position
            if missing > len(self._frames):
                return None
            return list(self._frames)[-missing:] if missing > 0 else []


class Hub:
    """All streams of this process. Its one thread hears and reads for all of them, while there are any."""

    def __init__(self, store: CrawlStore, form: Form, pace: Pace = Pace()) -> None:
        self.store = store
        self.form = form
        self.pace = pace
        self.ended = threading.Event()
        self._lock = threading.Lock()
        self._channels: dict[str, dict[bool, Channel]] = {}
        self._followed: frozenset[str] = frozenset()
        self._streams = 0
        self._feed: Feed | None = None

    def open(self, entered: Entered, after: int | None) -> Stream:
        """What happens in the crawl behind sequence `after`, from now on without it. GM and player; to be closed.

        Raises TooManyStreams, and the store's StoreUnavailable.
        """
        public = not entered.is_gm
        newest = entered.loaded.public_sequence if public else entered.loaded.sequence
        with self._lock:
            self._verify_room(entered.crawl.id)
            audiences = self._channels.setdefault(entered.crawl.id, {})
            channel = audiences.setdefault(public, Channel(newest, self.ended))
            channel.listeners += 1
            self._streams += 1
            STREAMS.inc()
            is_first = channel.listeners == 1
            if is_first:
                self._followed = frozenset(self._channels)
            feed = self._feed = self._feed or self._begin()
        stream = Stream(self, channel, entered.crawl.id, entered.asking.token_hash or "", newest, after, public=public)
        try:
            # Something may have happened since the crawl was read: whoever hears looks there at once.
            if is_first:
                feed.wake(entered.crawl.id)
        except StoreUnavailable:
            stream.close()
            raise
        return stream

    def leave(self, stream: Stream) -> None:
        with self._lock:
            self._streams -= 1
            STREAMS.dec()
            stream.channel.listeners -= 1
            if not stream.channel.listeners:
                del self._channels[stream.crawl_id][stream.public]
            if not self._channels[stream.crawl_id]:
                del self._channels[stream.crawl_id]
                self._followed = frozenset(self._channels)
            feed = None if self._channels else self._feed
        if feed is not None:
            with suppress(StoreUnavailable):
                feed.wake("")  # nothing is left to hear

    def framed(self, events: Sequence[Mapping[str, Any]]) -> list[bytes]:
        return [self.form(event["type"], event["sequence"], event) for event in events]

    def end(self) -> None:
        """Ends all streams, for good."""
        self.ended.set()
        with self._lock:
            for audiences in self._channels.values():
                for channel in audiences.values():
                    channel.wake()

    def _verify_room(self, crawl_id: str) -> None:
        if self._streams >= MAX_STREAMS:
            raise TooManyStreams("Too many streams are open here; try again shortly, or read the list of events.")
        if sum(channel.listeners for channel in self._channels.get(crawl_id, {}).values()) >= MAX_STREAMS_A_CRAWL:
            raise TooManyStreams("Too many streams of this crawl are open; close one, or read the list of events.")

    def _begin(self) -> Feed:
        feed = self.store.feed()
        threading.Thread(target=self._hear, args=(feed,), name="streams", daemon=True).start()
        return feed

    def _hear(self, feed: Feed) -> None:
        failures = 0
        while not self._is_over():
            try:
                if crawl_id := feed.hear(self._followed):
                    self._look(crawl_id)
                if failures:
                    log.info("The store is back; streams go on where they were.")
                failures = 0
            except Exception as error:  # noqa: BLE001  (every stream hangs on this thread)
                feed.close()
                if not failures:
                    log.warning(
                        "The store fails (%s); streams stay open and go on once it answers.", type(error).__name__
                    )
                self.ended.wait(PAUSES[min(failures, len(PAUSES) - 1)])
                failures += 1
        feed.close()

    def _is_over(self) -> bool:
        with self._lock:
            if self._channels and not self.ended.is_set():
                return False
            self._feed = None
            return True

    def _look(self, crawl_id: str) -> None:
        """Reads what is new, once for each audience that listens."""
        for public, channel in list(self._channels.get(crawl_id, {}).items()):
            more = True
            while more:
                try:
                    page = self.store.events(crawl_id, channel.sequence, AT_ONCE, public=public)
                except EventsTrimmed as trimmed:
                    channel.skip_to(trimmed.earliest - 1)
                    continue
                channel.add(self.framed(page.events))
                more = page.more


class Stream:
    """One listener. To be iterated over once, and closed."""

    __slots__ = ("_after", "_hub", "_newest", "_open", "_token_hash", "channel", "crawl_id", "public")

    def __init__(
        self,
        hub: Hub,
        channel: Channel,
        crawl_id: str,
        token_hash: str,
        newest: int,
        after: int | None,
        *,
        public: bool,
    ) -> None:
        self.channel = channel
        self.crawl_id = crawl_id
        self.public = public
        self._hub = hub
        self._token_hash = token_hash
        self._newest = newest
        self._after = newest if after is None else after
        self._open = True

    @property
    def patience(self) -> float:
        return self._hub.pace.patience

    def close(self) -> None:
        if self._open:
            self._open = False
            self._hub.leave(self)

    def __iter__(self) -> Iterator[bytes]:
        """Frames as they come, b"" where nothing did for a while. It ends with the crawl, the token, or the hub."""
        # Nobody was ever told of what is yet to come: whoever asks for that is answered like one who asks for too much.
        position = self._after if self._after <= self._newest else BEFORE_ALL
        pace, looked = self._hub.pace, time.monotonic()
        while not self._hub.ended.is_set():
            frames = b""
            try:
                if time.monotonic() - looked >= pace.look:
                    if not self._hub.store.knows(self.crawl_id, self._token_hash):
                        return
                    looked = time.monotonic()
                position, frames = self._next(position)
            except StoreUnavailable:
                self._hub.ended.wait(PAUSES[-1])
            yield frames

    def _next(self, position: int) -> tuple[int, bytes]:
        """What lies behind a position, and the position behind that."""
        at_hand = self.channel.behind(position, self._hub.pace.heartbeat)
        if at_hand is not None:
            return position + len(at_hand), b"".join(at_hand)
        try:
            events = self._hub.store.events(self.crawl_id, position, AT_ONCE, public=self.public).events
        except EventsTrimmed as trimmed:
            return self._reset(trimmed.earliest)
        if not events:
            return self._reset(max(self._newest, self.channel.sequence) + 1)
        return events[-1]["sequence"], b"".join(self._hub.framed(events))

    def _reset(self, earliest: int) -> tuple[int, bytes]:
        """Tells that what was asked for is no longer kept; goes on with what comes."""
        sequence = max(self._newest, self.channel.sequence)
        return sequence, self._hub.form("reset", sequence, {"earliest": earliest, "sequence": sequence})

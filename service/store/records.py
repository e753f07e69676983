"""What the store is asked to keep and what it gives back.

Records only; the keys are in `keys.py`, the bytes in `codec.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from service.rules.model import Audience, Crawl, Encounter, Play
from service.rules.submission import Declaration

Role = Literal["gm", "player"]
StepKind = Literal["round", "alert", "encounter_check", "timer", "encounter"]


@dataclass(frozen=True, slots=True)
class Token:
    """Who holds a crawl's token; `character` binds a player's token to one character.

    `created_at` is "" for those that the crawl was started with.
    """

    role: Role
    character: str | None = None
    label: str = ""
    reads_only: bool = False
    created_at: str = ""


@dataclass(frozen=True, slots=True)
class Idempotency:
    """One Idempotency-Key as the store needs it: never the key itself.

    `scope` is the hex SHA-256 of token, method, path and key; `fingerprint` that of body and query. `seal` is the 32
    bytes, derived from the key, that lock an answer which holds secrets.
    """

    scope: str
    fingerprint: str
    seal: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    """What a request is answered with, before HTTP: kept with its idempotency key, and given again.

    `location` is a path from the base path on ("/v1/…"). `secret` answers are kept sealed, for ten minutes only.
    """

    status: int
    body: Mapping[str, Any] | None
    etag: str | None = None
    location: str | None = None
    secret: bool = False
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened. `public` is what players are told of it, None when it is the GM's alone.

    The store gives it its sequence, and a second one over those that players may see.
    """

    id: str
    type: str
    timestamp: str
    data: Mapping[str, Any]
    public: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One change that undo can step back over (U1), with all that it replaced.

    `encounters` holds each encounter it touched as it was before, None where it did not exist; `declarations` those it
    consumed, by character id. `public` says whether players were told of it. `commitment` is that of the seed which
    rolled its dice, where that was another than the crawl's: the one it had before it was imported.
    """

    what: StepKind
    public: bool
    play: Play
    round: int | None = None
    encounters: Mapping[str, Encounter | None] = field(default_factory=dict)
    declarations: Mapping[str, Declaration] = field(default_factory=dict)
    commitment: str | None = None


@dataclass(frozen=True, slots=True)
class Undone:
    """A step taken back, with what redo needs: the play, encounters and round record that it had made."""

    step: Step
    play: Play
    encounters: Mapping[str, Encounter | None] = field(default_factory=dict)
    record: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Loaded:
    """A crawl as one read found it, with who asked and what that asker's idempotency key already brought."""

    crawl: Crawl
    token: Token | None
    declarations: Mapping[str, Declaration]
    declarations_revision: int
    sequence: int
    public_sequence: int
    undo_depth: int
    redo_depth: int
    owner: str = ""
    pending: tuple[Encounter, ...] = ()
    pending_count: int = 0
    last_step: Step | None = None
    last_undone: Undone | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """One commit: all of it is kept, or none.

    `crawl` is the crawl as it will be, its version one above `expected_version`; None leaves state and version alone
    (declarations ahead). `records` and `encounters` map to None what is to be forgotten. `declarations`, when given,
    replaces all declarations ahead. At most one of `step` (clears redo), `undone` and `redone` is set.

    With a `crawl` but without `expected_version` the change starts the crawl, and `owner` is the id of the instance key
    that did. `tokens` go by their SHA-256; None revokes one.
    """

    crawl_id: str
    events: tuple[Event, ...]
    crawl: Crawl | None = None
    expected_version: int | None = None
    expected_revision: int | None = None
    step: Step | None = None
    undone: Undone | None = None
    redone: Step | None = None
    records: Mapping[int, Mapping[str, Any] | None] = field(default_factory=dict)
    encounters: Mapping[str, Encounter | None] = field(default_factory=dict)
    declarations: Mapping[str, Declaration] | None = None
    idempotency: Idempotency | None = None
    answer: Answer | None = None
    tokens: Mapping[str, Token | None] = field(default_factory=dict)
    owner: str = ""

    @property
    def starts(self) -> bool:
        """Whether this is the crawl's first commit."""
        return self.crawl is not None and self.expected_version is None


@dataclass(frozen=True, slots=True)
class Past:
    """An event with the sequences that it was told under; `public_sequence` is None when it is the GM's alone."""

    event: Event
    sequence: int
    public_sequence: int | None = None


@dataclass(frozen=True, slots=True)
class Whole:
    """All that is kept of a crawl, but for its tokens, its webhooks and who started it.

    `records` are the rounds in force from the first, `history` and `redo` have the newest last. The newest `events`
    end with the sequences, as far back as they are at hand.
    """

    crawl: Crawl
    declarations: Mapping[str, Declaration]
    encounters: tuple[Encounter, ...]
    records: tuple[Mapping[str, Any], ...]
    history: tuple[Step, ...]
    redo: tuple[Undone, ...]
    sequence: int
    public_sequence: int
    events: tuple[Past, ...]


@dataclass(frozen=True, slots=True)
class Delivery:
    """One event on its way to one webhook, or as it ended there.

    Its id is the same over all tries, and for no other event or webhook. `sequence` is the event's among those that
    `audience` may see; `status` is "waiting", "sending", "delivered" or "failed". `made` and `tried` are when it was
    queued and what came of its last try (`result`) was kept; `next_at` is when it is tried next. All in ms since 1970.
    """

    id: str
    webhook: str
    event: str
    type: str
    audience: Audience
    sequence: int
    status: str = "waiting"
    tries: int = 0
    made: int = 0
    tried: int | None = None
    next_at: int | None = None
    result: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Health:
    """How a webhook fares: deliveries that wait, failures in a row, since when, the last success, closed until when.

    Moments are in ms since 1970.
    """

    waiting: int = 0
    failures: int = 0
    since: int | None = None
    arrived: int | None = None
    closed_until: int | None = None


@dataclass(frozen=True, slots=True)
class EventPage:
    """Some of a crawl's events in order, each with its `sequence`; `more` when others follow."""

    events: tuple[Mapping[str, Any], ...]
    more: bool


@dataclass(frozen=True, slots=True)
class CrawlPage:
    """Some of an owner's crawls, newest first; `next` is what to ask the following page with, None on the last."""

    crawls: tuple[Crawl, ...]
    next: str | None


@dataclass(frozen=True, slots=True)
class InstanceKey:
    """A key that may start and list crawls. `id` is what owns them; the key itself is not kept, only its SHA-256.

    `crawls` is how many it may have, `rounds_per_minute` how many rounds all of them may have; None is no limit.
    """

    id: str
    hashed: str
    label: str
    created_at: str
    crawls: int | None = None
    rounds_per_minute: int | None = None
    used_at: str | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about the store's settings that puts commits at risk, or loses at most a second (`grave` False)."""

    grave: bool
    detail: str

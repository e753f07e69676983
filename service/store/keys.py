"""Every key there is, its type and how long it lives.

All keys of one crawl carry the hash tag of its partition, so that one script may touch them on Redis Cluster, and the
partition's outbox with them. The partition is the byte that the crawl's id begins with.

| key                                 | type   | lives  | holds                                                     |
|-------------------------------------|--------|--------|-----------------------------------------------------------|
| alarum:{pNNN}:crawl:ID              | hash   | ever   | `STATE_FIELDS`, and `line`: see line.lua                  |
| alarum:{pNNN}:tokens:ID             | hash   | ever   | SHA-256 of a token → who holds it                         |
| alarum:{pNNN}:declarations:ID       | hash   | ever   | character id → what is declared ahead                     |
| alarum:{pNNN}:encounters:ID         | hash   | ever   | encounter id → encounter                                  |
| alarum:{pNNN}:encounter_order:ID    | zset   | ever   | every encounter id by ordinal                             |
| alarum:{pNNN}:encounters_pending:ID | zset   | ever   | the pending ones alone, by ordinal                        |
| alarum:{pNNN}:records:ID            | hash   | ever   | round number → the outcome as answered to the GM          |
| alarum:{pNNN}:history:ID            | list   | ever   | the steps that undo takes back, the newest last           |
| alarum:{pNNN}:redo:ID               | list   | ever   | the steps taken back, the newest last                     |
| alarum:{pNNN}:events:ID             | stream | ever   | `SEQUENCE-0` → `e`; trimmed from the front                |
| alarum:{pNNN}:public_events:ID      | stream | ever   | `PUBLIC_SEQUENCE-0` → `e`, as players see it; trimmed     |
| alarum:{pNNN}:webhooks:ID           | hash   | ever   | webhook id → its document                                 |
| alarum:{pNNN}:outbox                | stream | read   | `crawl`, `event` (id), `type`, `seq`, `pseq` (""): to do  |
| alarum:{pNNN}:ended                 | zset   | ever   | crawl → when it ended, in ms                              |
| alarum:{pNNN}:due                   | zset   | ever   | `CRAWL WEBHOOK` → when it can next be served, in ms       |
| alarum:{pNNN}:queue:WEBHOOK         | zset   | 8 days | delivery id → when it is due, in ms                       |
| alarum:{pNNN}:flight:WEBHOOK        | zset   | sent   | delivery id → when its lease ends, in ms                  |
| alarum:{pNNN}:log:WEBHOOK           | zset   | 8 days | the newest 200 delivery ids → when they were queued, in ms |
| alarum:{pNNN}:health:WEBHOOK        | hash   | ever   | `failures`, `since`, `arrived`, `open_at`, and so on      |
| alarum:{pNNN}:delivery:DELIVERY     | hash   | 7 days | `DELIVERY_FIELDS`                                         |
| alarum:{pNNN}:idempotency:SCOPE     | hash   | 7 days | `fp`, `status`, `etag`, `location`, `body`, `secret`      |
| alarum:{pNNN}:sealed:SCOPE          | string | 10 min | the body of a secret answer, under AES-GCM                |
| alarum:{pNNN}:ticket:ID:TICKET      | string | 60 s   | SHA-256 of the token that asked for it                    |
| alarum:{pNNN}:pairing:SHA256        | string | 10 min | the crawl and the token that a pairing code stands for     |
| alarum:keys                         | hash   | ever   | SHA-256 of an instance key → the key's label and date     |
| alarum:keys_used                    | hash   | ever   | id of an instance key → when it was last used             |
| alarum:rounds:OWNER                 | string | minute | rounds in this minute, where a key has a quota of them    |
| alarum:owned:OWNER                  | zset   | ever   | crawls in order of their creation                         |
| alarum:failures:ADDRESS             | string | window | failed authentications from that address (hashed)         |

An event in a crawl's streams is JSON without its sequence, which the entry's id gives: `{id, type, timestamp, crawl,
data}`. The outbox only names events, and is never trimmed: its reader deletes what it has made deliveries of.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Literal

from service.store.errors import CrawlNotFound

PARTITIONS = 256

IDEMPOTENCY_SECONDS = 7 * 24 * 3600
SEALED_SECONDS = 600
MAX_WEBHOOKS = 20

INSTANCE_KEYS = "alarum:keys"
KEYS_USED = "alarum:keys_used"

WAKE = "alarum:wake"
"""The channel on which a commit that wrote to an outbox says its partition's number, so that a worker looks at once."""

TOLD = "alarum:told:"
"""Before a crawl's id: the channel on which each of its commits that brought events says so, for streams."""

_CRAWL_ID = re.compile(r"crl_([0-9a-f]{2})[0-9a-z]{20}")

STATE_FIELDS = (
    "version",
    "status",
    "card",
    "play",
    "seed",
    "created_at",
    "owner",
    "sequence",
    "public_sequence",
    "revision",
)


DELIVERY_FIELDS = (
    "crawl",
    "webhook",
    "event",
    "type",
    "audience",
    "sequence",
    "status",
    "tries",
    "made",
    "tried",
    "result",
)
"""Of a delivery: what is sent where, `status` (waiting, delivered, failed), tries begun, moments in ms, its result.
`base` stands beside them: the tries that it had when it was queued (again)."""


def partition_of(crawl_id: str) -> int:
    """0–255, from the two hex digits behind `crl_`; CrawlNotFound for what cannot be a crawl's id."""
    match = _CRAWL_ID.fullmatch(crawl_id)
    if match is None:
        raise CrawlNotFound
    return int(match[1], 16)


def partition_of_scope(scope: str) -> int:
    """0–255: the partition of an idempotency key on a route without a crawl, and of the crawl that it starts."""
    return int(scope[:2], 16)


def tag(partition: int) -> str:
    return f"alarum:{{p{partition:03d}}}"


def outbox(partition: int) -> str:
    """The stream of all that this partition's webhooks must still be told."""
    return f"{tag(partition)}:outbox"


def due(partition: int) -> str:
    """Which webhooks of the partition have deliveries, by when they can next be served."""
    return f"{tag(partition)}:due"


def ended(partition: int) -> str:
    """Which crawls of the partition have ended, and when."""
    return f"{tag(partition)}:ended"


def of_webhook(partition: int, what: Literal["queue", "flight", "log", "health"], webhook_id: str) -> str:
    return f"{tag(partition)}:{what}:{webhook_id}"


def delivery(partition: int, delivery_id: str) -> str:
    return f"{tag(partition)}:delivery:{delivery_id}"


def pairing(hashed: str) -> str:
    return f"{tag(int(hashed[:2], 16))}:pairing:{hashed}"


def idempotency(partition: int, scope: str) -> str:
    return f"{tag(partition)}:idempotency:{scope}"


def sealed(partition: int, scope: str) -> str:
    return f"{tag(partition)}:sealed:{scope}"


def ticket(crawl_id: str, hashed: str) -> str:
    """A ticket to the crawl's stream; CrawlNotFound for what cannot be a crawl's id."""
    return f"{tag(partition_of(crawl_id))}:ticket:{crawl_id}:{hashed}"


def owned(owner: str) -> str:
    """The crawls that an instance key started."""
    return f"alarum:owned:{owner}"


def rounds_of(owner: str) -> str:
    """How many rounds the crawls of an instance key with a quota had in this minute."""
    return f"alarum:rounds:{owner}"


def failures(address: str) -> str:
    """Hashed, since an address is whatever the network says it is."""
    return f"alarum:failures:{sha256(address.encode()).hexdigest()[:32]}"


@dataclass(frozen=True, slots=True)
class CrawlKeys:
    """The keys of one crawl; all share a slot."""

    partition: int
    crawl: str
    tokens: str
    declarations: str
    encounters: str
    encounter_order: str
    encounters_pending: str
    records: str
    history: str
    redo: str
    events: str
    public_events: str
    webhooks: str
    outbox: str
    due: str
    ended: str

    def live(self) -> tuple[str, ...]:
        """Those that say how the crawl stands now, without what it has been through."""
        return (
            self.crawl,
            self.tokens,
            self.declarations,
            self.encounters,
            self.encounter_order,
            self.encounters_pending,
            self.webhooks,
        )

    def own(self) -> tuple[str, ...]:
        """All that go with the crawl when it is deleted."""
        return (*self.live(), self.records, self.history, self.redo, self.events, self.public_events)


@lru_cache(maxsize=1024)  # every request on a crawl asks twice
def keys_of(crawl_id: str) -> CrawlKeys:
    """The keys of a crawl; CrawlNotFound for what cannot be a crawl's id."""
    partition = partition_of(crawl_id)
    start = tag(partition)
    return CrawlKeys(
        partition=partition,
        crawl=f"{start}:crawl:{crawl_id}",
        tokens=f"{start}:tokens:{crawl_id}",
        declarations=f"{start}:declarations:{crawl_id}",
        encounters=f"{start}:encounters:{crawl_id}",
        encounter_order=f"{start}:encounter_order:{crawl_id}",
        encounters_pending=f"{start}:encounters_pending:{crawl_id}",
        records=f"{start}:records:{crawl_id}",
        history=f"{start}:history:{crawl_id}",
        redo=f"{start}:redo:{crawl_id}",
        events=f"{start}:events:{crawl_id}",
        public_events=f"{start}:public_events:{crawl_id}",
        webhooks=f"{start}:webhooks:{crawl_id}",
        outbox=outbox(partition),
        due=due(partition),
        ended=ended(partition),
    )

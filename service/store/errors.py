"""What the store may answer instead; each says in a sentence what to do."""

from __future__ import annotations


class StoreError(Exception):
    """Nothing was kept, unless the error says otherwise."""


class StoreUnavailable(StoreError):
    """The store did not answer. A commit may still have been made: the same Idempotency-Key finds out."""

    def __init__(
        self, detail: str = "The store does not answer; try again shortly with the same Idempotency-Key."
    ) -> None:
        super().__init__(detail)


class StoreFull(StoreError):
    """The store has no room left; nothing has changed."""

    def __init__(self) -> None:
        super().__init__("The store is full and nothing was changed; whoever runs this service must give it more room.")


class NewerFormat(StoreError):
    """What is stored was written by a newer version of this service."""

    def __init__(self, kind: str, found: int, known: int) -> None:
        super().__init__(
            f"The store holds a {kind} in format {found}, and this version reads up to {known}; run the newer version."
        )


class CrawlNotFound(StoreError):
    """There is no such crawl."""

    def __init__(self) -> None:
        super().__init__("There is no such crawl.")


class CrawlExists(StoreError):
    """A crawl of that id is already there."""

    def __init__(self) -> None:
        super().__init__("A crawl of this id exists already; draw another one.")


class StaleCrawl(StoreError):
    """Somebody was faster: the crawl, or what was declared ahead, is no longer as it was read."""

    def __init__(self) -> None:
        super().__init__("The crawl has changed since it was read; read it again.")


class IdempotencyKeyReused(StoreError):
    """The same Idempotency-Key came with another request before."""

    def __init__(self) -> None:
        super().__init__("This Idempotency-Key was used for a different request; send a new key.")


class AnswerSealed(StoreError):
    """The request was carried out, but its answer held secrets and is no longer kept."""

    def __init__(self) -> None:
        super().__init__(
            "This was carried out more than ten minutes ago, and an answer with secrets is not kept longer; "
            "replace what you did not receive."
        )


class EventsTrimmed(StoreError):
    """Events asked for are no longer kept; `earliest` is the first sequence that is."""

    def __init__(self, earliest: int) -> None:
        super().__init__(f"Events before {earliest} are no longer kept; read the crawl and go on from there.")
        self.earliest = earliest


class CrawlTooLarge(StoreError):
    """The crawl cannot be read as one document of the size asked for."""

    def __init__(self) -> None:
        super().__init__(
            "This crawl's rounds no longer fit into one document; whoever runs this service can back up all of it."
        )


class WebhookNotFound(StoreError):
    """The crawl has no such webhook."""

    def __init__(self) -> None:
        super().__init__("There is no such webhook.")


class TooManyCrawls(StoreError):
    """The instance key has started as many as it may."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"This key can have {limit} crawls; delete one first.")


class TooManyRounds(StoreError):
    """The crawls of an instance key had as many rounds in this minute as they may."""

    def __init__(self, limit: int, seconds: int) -> None:
        super().__init__(f"The crawls of this key can have {limit} rounds a minute; wait {seconds} s.")
        self.seconds = seconds


class WebhookInactive(StoreError):
    """Nothing is sent to this webhook now."""

    def __init__(self) -> None:
        super().__init__('This webhook is paused or disabled; change its status to "active" first.')


class TooManyWebhooks(StoreError):
    """A crawl holds twenty."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"A crawl can have {limit} webhooks; remove one first.")


class BadCursor(StoreError):
    """`after` is not a cursor that a list gave out."""

    def __init__(self) -> None:
        super().__init__("`after` must be the `next` of the page before.")

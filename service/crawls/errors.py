"""Refusals of the use cases. Those of rules and store (`CrawlNotFound`, `StaleCrawl`, …) pass through as they are."""

from __future__ import annotations

from typing import Literal

Kind = Literal["round", "encounter", "timer", "declaration", "character", "ruleset", "webhook", "delivery", "token"]


class CrawlsError(Exception):
    """A refusal; nothing has changed."""

    code = "refused"

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


class Unauthorized(CrawlsError):
    """No token, or one that nobody here knows."""

    code = "unauthorized"

    def __init__(self, detail: str = "Send one of this crawl's tokens: Authorization: Bearer TOKEN.") -> None:
        super().__init__(detail)


class Forbidden(CrawlsError):
    """A token that is known, but may not do this."""

    code = "forbidden"


class NotFound(CrawlsError):
    """The crawl has nothing of that kind under the name in the path, or not for who asks."""

    def __init__(self, kind: Kind) -> None:
        super().__init__(f"There is no such {kind}.")
        self.kind = kind

    @property
    def code(self) -> str:  # type: ignore[override]
        return f"{self.kind}_not_found"


class IllegalToken(CrawlsError):
    """A token that may not be made, or not be taken away, as things are."""

    code = "illegal_token"


class Contention(CrawlsError):
    """Others changed the crawl again and again while this was being decided."""

    code = "contention"

    def __init__(self) -> None:
        super().__init__("Too many changes to this crawl at once. Nothing was changed; try again.")


class TooManyStreams(CrawlsError):
    """No room for another stream here, or of this crawl."""

    code = "too_many_streams"

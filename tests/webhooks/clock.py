"""A clock that stands until it is moved, for the store, the signatures and the schedule alike."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class Clock:
    def __init__(self) -> None:
        self.at = datetime(2026, 12, 1, 20, 0, tzinfo=UTC)

    def milliseconds(self) -> int:
        return round(self.at.timestamp() * 1000)

    def now(self) -> datetime:
        return self.at

    def move(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)

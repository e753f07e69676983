"""The log: a line for each event, for people or in JSON. Those of a request carry its id."""

from __future__ import annotations

import json
import logging
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple

LogFormat = Literal["text", "json"]


class Request(NamedTuple):
    """What the log says of a request in each of its lines."""

    request_id: str
    method: str
    route: str


REQUEST: ContextVar[Request | None] = ContextVar("request", default=None)
"""The one that is being answered."""


def configuration(level: str, form: LogFormat, *, access: bool) -> dict[str, Any]:
    """For `dictConfig`: everything to standard error, gunicorn's words included."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": _Json if form == "json" else _Text}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"level": level, "handlers": ["stderr"]},
        "loggers": {
            "alarum.access": {"level": "INFO" if access else "WARNING"},
            "gunicorn.error": {"handlers": []},
        },
    }


class _Text(logging.Formatter):
    def __init__(self) -> None:
        super().__init__("%(asctime)s %(name)s %(levelname)s %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        request = REQUEST.get()
        return super().formatMessage(record) + (f" [{request.request_id}]" if request else "")


class _Json(logging.Formatter):
    """One JSON object a line; `extra={"more": {…}}` of a log call adds to it."""

    def format(self, record: logging.LogRecord) -> str:
        request = REQUEST.get()
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **(request._asdict() if request else {}),
            **getattr(record, "more", {}),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line)

"""The bytes of a body, as far as they may be read at all.

werkzeug's own limit cuts a streamed body off at the limit instead of refusing it, and takes one that ends too early for
a whole one; both would be read as something that nobody has sent.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

from flask import Request

from service.api.errors import BodyTooLarge, MalformedJson, UnsupportedMediaType

MOST_BYTES: Final = 64 * 1024
READ_AWAY: Final = 1024 * 1024


def raw_of(request: Request, most: int = MOST_BYTES) -> bytes:
    """All of the body. BodyTooLarge beyond `most` bytes, MalformedJson when it ends before it should."""
    length = request.content_length
    if length is not None and length > most:
        raise _too_large(request, most)
    if length is None and not request.environ.get("wsgi.input_terminated"):
        return b""
    wanted = most + 1 if length is None else length
    raw = b"".join(_pieces(request.environ["wsgi.input"], wanted))
    if len(raw) > most:
        raise _too_large(request, most)
    if length is not None and len(raw) < length:
        raise MalformedJson("The body is shorter than its Content-Length says; send all of it.")
    return raw


def verify_media_type(request: Request, accepted: tuple[str, ...]) -> None:
    """UnsupportedMediaType unless the body is said to be JSON in UTF-8, as it is."""
    if request.headers.get("Content-Encoding", "identity").strip().lower() != "identity":
        raise UnsupportedMediaType("Send the body as it is, without Content-Encoding.", accepted)
    if request.mimetype not in accepted or "," in (request.content_type or ""):
        raise UnsupportedMediaType(f"Send the body with Content-Type: {' or '.join(accepted)}.", accepted)
    if request.mimetype_params.get("charset", "utf-8").lower() not in ("utf-8", "utf8"):
        raise UnsupportedMediaType("Send the body in UTF-8.", accepted)


def _pieces(stream: Any, wanted: int) -> Iterator[bytes]:
    while wanted > 0:
        try:
            piece = stream.read(min(wanted, MOST_BYTES + 1))
        except Exception:  # noqa: BLE001  (what a server raises over a broken body is its own affair)
            raise MalformedJson("The body broke off or was not sent as HTTP wants it; send it again.") from None
        if not piece:
            return
        wanted -= len(piece)
        yield piece


def _too_large(request: Request, most: int) -> BodyTooLarge:
    # Whoever is still sending when the connection is closed never sees the answer; so somewhat more is read away.
    with suppress(MalformedJson):
        for _ in _pieces(request.environ["wsgi.input"], READ_AWAY):
            pass
    return BodyTooLarge(f"A body may have {most} bytes here; send less.")

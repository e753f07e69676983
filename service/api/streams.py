"""Live events as HTTP says them: server-sent events, which browsers read with EventSource."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping
from typing import Any

import orjson
from flask import Request, Response

from service.crawls.streaming import Stream

MEDIA_TYPE = "text/event-stream"

EXAMPLE = """\
retry: 3000
: these events are live

id: 42
event: crawl.changed
data: {"id":"evt_5f0c1d2e3a4b5c6d7e8f9a0b","type":"crawl.changed","timestamp":"2026-11-30T20:15:00.000Z",\
"crawl":"crl_4255thrmmhvg4zcjixoo2q","sequence":42,"data":{"changed":["name"]}}

"""

_BEGINNING = b"retry: 3000\n: these events are live\n\n"
"""Milliseconds after which EventSource comes back; and something to send, so that proxies pass the answer on."""

_SIGN_OF_LIFE = b":\n\n"

PIECE = 16 * 1024
"""Bytes written at a time, each within a reader's patience: one on a slow line takes something, if not all at once."""

SEND_BUFFER = 64 * 1024
"""Bytes that the system keeps for one slow reader, in place of megabytes."""


def frame(kind: str, sequence: int, data: Mapping[str, Any]) -> bytes:
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (sequence, kind.encode(), orjson.dumps(data))


def take_ticket(request: Request) -> str | None:
    """The query's ticket. From then on it is in nothing that a server could write to a log."""
    ticket = request.args.get("ticket")
    if ticket is not None:
        request.environ["RAW_URI"] = request.path
        request.environ["QUERY_STRING"] = ""
    return ticket


def streamed(stream: Stream, request: Request) -> Response:
    """The stream as the answer to a GET; to a HEAD, what goes before it."""
    if request.method == "HEAD":
        stream.close()
    response = Response(_sent(stream), content_type=MEDIA_TYPE)
    response.call_on_close(stream.close)
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"
    client = request.environ.get("gunicorn.socket")
    if client is not None:
        _bound(client, stream, response)
    return response


def _sent(stream: Stream) -> Iterator[bytes]:
    yield _BEGINNING
    for frames in stream:
        sent = frames or _SIGN_OF_LIFE
        for at in range(0, len(sent), PIECE):
            yield sent[at : at + PIECE]


def _bound(client: socket.socket, stream: Stream, response: Response) -> None:
    """Whoever takes nothing for too long is hung up on, by an error of the write; and little is kept for them."""
    before = client.gettimeout()
    client.settimeout(stream.patience)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
    response.call_on_close(lambda: client.settimeout(before))

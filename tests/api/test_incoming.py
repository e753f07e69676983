"""Bodies as they come over the wire: streamed, too long, too short, broken."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest
from werkzeug.test import TestResponse

from tests.api.talking import Crawl, problem

ROUND = b'{"kind": "explore"}'


class Broken(BytesIO):
    """A body that a server cannot read to its end."""

    def read(self, size: int | None = -1) -> bytes:
        raise ValueError("invalid chunk size")


class InPieces(BytesIO):
    """A body that comes a few bytes at a time."""

    def read(self, size: int | None = -1) -> bytes:
        return super().read(min(size or 0, 7))


def streamed(crawl: Crawl, stream: BytesIO, **environ: Any) -> TestResponse:
    """Sent without a length, as in chunks: the server says where it ends."""
    return crawl.gm.post(
        f"{crawl.path}/rounds",
        headers={"Content-Type": "application/json"},
        input_stream=stream,
        environ_overrides={"wsgi.input_terminated": True, **environ},
    )


@pytest.mark.parametrize("kind", [BytesIO, InPieces])
def test_a_streamed_body_is_read_to_its_end(crawl: Crawl, kind: type[BytesIO]) -> None:
    assert streamed(crawl, kind(ROUND)).status_code == 201


def test_a_streamed_body_is_refused_beyond_the_limit_and_not_cut_off(crawl: Crawl) -> None:
    assert streamed(crawl, BytesIO(ROUND.ljust(64 * 1024))).status_code == 201
    problem(streamed(crawl, BytesIO(ROUND.ljust(64 * 1024) + b"x")), 413, "body_too_large")
    problem(streamed(crawl, BytesIO(ROUND.ljust(200_000))), 413, "body_too_large")
    assert crawl.stands()["rounds"] == 1


def test_a_body_that_ends_early_is_refused_though_it_could_be_read(crawl: Crawl) -> None:
    problem(streamed(crawl, BytesIO(ROUND), CONTENT_LENGTH="100"), 400, "malformed_json")
    assert crawl.stands()["rounds"] == 0


def test_a_body_that_breaks_is_refused(crawl: Crawl) -> None:
    problem(streamed(crawl, Broken()), 400, "malformed_json")


def test_a_host_that_is_none_is_not_repeated(crawl: Crawl) -> None:
    for host in ('a b"<c', "a/../b", "ä"):
        answer = crawl.gm.get("/nowhere", headers={"Host": host})
        told = problem(answer, 404, "route_not_found")
        assert told["type"] == "/docs/errors#route_not_found"

"""The worker class: gunicorn's for gevent, which also ends streams when it stops and refuses in our own words."""

from __future__ import annotations

import resource
import secrets
import socket
from collections.abc import Mapping
from typing import Any, Final

import gevent
from gunicorn.http import errors as broken
from gunicorn.workers.ggevent import GeventWorker

from service.settings import read_settings

PATIENCE = 20.0
"""Seconds for which whoever sends a body, or takes an answer, may stand still."""
FILES_BESIDE = 500
"""Open files besides the clients' connections: the store's, the program's own, and room to spare."""

_CODES: Final[Mapping[type[Exception], str]] = {
    broken.LimitRequestLine: "uri_too_long",
    broken.LimitRequestHeaders: "headers_too_large",
    broken.ExpectationFailed: "expectation_failed",
    broken.UnsupportedTransferCoding: "transfer_coding_unknown",
}

_OURS: Final = (broken.ConfigurationProblem, broken.InvalidResponseHeader, broken.InvalidResponseHeaderName)


class Worker(GeventWorker):  # type: ignore[misc]
    """One web process. What it imports of ours it imports late: gevent patches the standard library first."""

    def init_process(self) -> None:
        allow_files(self.cfg.worker_connections + FILES_BESIDE)
        super().init_process()

    def handle_exit(self, sig: int, frame: Any) -> None:
        """SIGTERM: streams would hold the worker until the end of its grace."""
        super().handle_exit(sig, frame)
        gevent.spawn(self._end_streams)

    def handle_request(self, listener: Any, req: Any, sock: Any, addr: Any) -> None:
        sock.settimeout(PATIENCE)
        try:
            super().handle_request(listener, req, sock, addr)
        except TimeoutError:
            raise StopIteration from None  # whoever reads took nothing for too long
        finally:
            sock.settimeout(None)  # until the next request the connection may rest, as long as gunicorn lets it
        if not self.alive:
            raise StopIteration  # or the connection would be kept for a next request

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        """What cannot be read as a request is refused as everything else is."""
        if isinstance(exc, OSError) or not isinstance(exc, Exception):
            super().handle_error(req, client, addr, exc)
            return
        try:
            client.sendall(_refusal(exc))
            client.shutdown(socket.SHUT_WR)
            # Whoever is still sending when the connection is closed never sees the answer.
            with gevent.Timeout(1, False):
                while client.recv(65_536):
                    pass
        except OSError:
            self.log.debug("Whoever was refused has hung up.")

    def _end_streams(self) -> None:
        from service.api.assembly import STREAMS

        hub = getattr(self.wsgi, "extensions", {}).get(STREAMS)
        if hub is not None:
            hub.end()


def allow_files(wanted: int) -> None:
    """Raises how many files this process may have open to what is wanted, or as near as it may be."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def _refusal(error: Exception) -> bytes:
    """The whole answer, as bytes. What was sent is not repeated: it may hold a token."""
    from service.api.problems import KINDS, Problem, problem_of
    from service.api.responses import finish, refusal

    if isinstance(error, _OURS) or not isinstance(error, broken.ParseException):
        problem = problem_of(error)
    elif code := _CODES.get(type(error)):
        problem = Problem(code, KINDS[code].advice)
    else:
        problem = Problem("bad_request", "This is no HTTP that can be read; mend the request line, headers or framing.")
    request_id = secrets.token_hex(12)
    response = finish(refusal(problem, read_settings().public_url or "", request_id), request_id)
    response.headers["Connection"] = "close"
    return f"HTTP/1.1 {response.status}\r\n{response.headers}".encode() + response.get_data()

"""The parent of everything that `alarum serve` runs: it starts it, starts again what dies, and stops it in order."""

from __future__ import annotations

import os
import select
import signal
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from service.serving.announcement import announcement, say
from service.serving.child import Child
from service.serving.embedding import Store, store_for
from service.serving.errors import CannotServe
from service.serving.listening import listen, reached_at
from service.settings import Settings
from service.store.embedded import EmbeddedError

READY_WITHIN = 60.0
"""Seconds in which the web must answer for the first time."""
STOP_WITHIN = 10.0
"""Seconds that web and worker have to stop, before they are killed and the store is stopped."""
GLANCE = 0.2
"""Seconds between two looks at the children."""


def serve(settings: Settings, environ: Mapping[str, str]) -> None:
    """Serves until SIGTERM or SIGINT, then stops everything. Raises CannotServe when it cannot begin."""
    with _stop_signals() as stopping, listen(settings) as listener:
        host, port = listener.getsockname()[:2]
        with store_for(settings) as store:
            settings = replace(settings, port=port, redis=store.url)
            environ = {**environ, "ALARUM_PORT": str(port), "ALARUM_REDIS": store.url}
            with _children(listener, environ) as children:
                if _answers(reached_at(host, port), children[0], stopping):
                    print(announcement(settings, store.place), flush=True)  # noqa: T201
                    _tend(children, store, stopping)


@contextmanager
def _stop_signals() -> Iterator[threading.Event]:
    stopping = threading.Event()
    before = {number: signal.signal(number, lambda *_: stopping.set()) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield stopping
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _children(listener: socket.socket, environ: Mapping[str, str]) -> Iterator[tuple[Child, Child]]:
    """The web and the delivery worker, running; stopped together on the way out."""
    lifeline, held = os.pipe()
    web = Child(
        "web",
        ["web", f"--listener={listener.fileno()}", f"--lifeline={lifeline}"],
        environ,
        (listener.fileno(), lifeline),
    )
    worker = Child("webhook sender", ["worker", f"--lifeline={lifeline}"], environ, (lifeline,))
    try:
        web.start()
        worker.start()
        yield web, worker
    finally:
        for child in (web, worker):
            child.ask_to_stop()
        deadline = time.monotonic() + STOP_WITHIN
        for child in (web, worker):
            child.stop_by(deadline)
        os.close(held)
        os.close(lifeline)


def _tend(children: tuple[Child, ...], store: Store, stopping: threading.Event) -> None:
    while not stopping.wait(GLANCE):
        _tend_store(store)
        for child in children:
            if child.tend() == "died":
                say(f"the {child.name} has died; starting it again")


def _tend_store(store: Store) -> None:
    try:
        if store.tend():
            say("the store had died and was started again; what was acknowledged is kept")
    except EmbeddedError as error:
        say(f"the store has died and cannot be started again yet: {error}")


def _answers(address: tuple[str, int], web: Child, stopping: threading.Event) -> bool:
    """Waits until the web answers. False when told to stop meanwhile; CannotServe when it has ended, or never does."""
    until = time.monotonic() + READY_WITHIN
    with socket.create_connection(address, timeout=READY_WITHIN) as connection:
        connection.sendall(b"GET /alive HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        while time.monotonic() < until:
            if stopping.is_set():
                return False
            if select.select([connection], [], [], 0.05)[0]:
                return True
            if web.ended() is not None:
                raise CannotServe("The web process could not start; the lines above say why.")
    raise CannotServe(f"The web process gave no answer within {READY_WITHIN:.0f} seconds.")

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
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from service.serving.announcement import announce, say
from service.serving.child import Child
from service.serving.errors import CannotServe
from service.serving.listening import listen, reached_at
from service.settings import Settings
from service.store.folder import EmbeddedError, Folder
from service.watching import FOLDER

if TYPE_CHECKING:
    from service.serving.embedding import Store

READY_WITHIN = 60.0
"""Seconds in which the web must answer for the first time."""
STOP_WITHIN = 10.0
"""Seconds that web and worker have to stop, before they are killed and the store is stopped."""
GLANCE = 0.1
"""Seconds between two looks at the children."""
STORE_PAUSE = 5.0
"""Seconds after which a store that could not be started again is tried again."""


def serve(settings: Settings, environ: Mapping[str, str]) -> None:
    """Serves until SIGTERM or SIGINT, then stops everything. Raises CannotServe when it cannot begin."""
    with (
        _stop_signals() as stopping,
        listen(settings) as listener,
        _lifeline() as lifeline,
        TemporaryDirectory(prefix="alarum-figures-", ignore_cleanup_errors=True) as figures,
    ):
        host, port = listener.getsockname()[:2]
        store_url = settings.redis or Folder(settings.data_dir).url
        environ = {**environ, "ALARUM_PORT": str(port), "ALARUM_REDIS": store_url, FOLDER: figures}
        files = (listener.fileno(), lifeline)
        web = Child("web", ["web", f"--listener={files[0]}", f"--lifeline={lifeline}"], environ, files)
        worker = Child("webhook sender", ["worker", f"--lifeline={lifeline}"], environ, (lifeline,))
        # The web takes longest to be ready, and asks for the store only then: it goes first.
        web.start()
        with _stopped(web, within=0):  # nothing was served yet when this one has something to stop
            from service.serving.embedding import store_for  # Redis's client takes long to import, too

            with store_for(settings) as store, _stopped(web, worker, within=STOP_WITHIN):
                if _answers((reached_at(host), port), web, stopping):
                    announce(replace(settings, port=port), store.place)
                    _tend((web, worker), store, stopping)


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
def _lifeline() -> Iterator[int]:
    """The end of a pipe that children watch; the other end is held here alone."""
    watched, held = os.pipe()
    try:
        yield watched
    finally:
        os.close(held)
        os.close(watched)


@contextmanager
def _stopped(*children: Child, within: float) -> Iterator[None]:
    """On the way out, all of them are stopped together, and killed after so many seconds."""
    try:
        yield
    finally:
        for child in children:
            child.ask_to_stop()
        deadline = time.monotonic() + within
        for child in children:
            child.stop_by(deadline)


def _tend(children: tuple[Child, ...], store: Store, stopping: threading.Event) -> None:
    """Until told to stop: starts what does not run (the webhook sender, the first time) and what runs no more."""
    while not stopping.wait(GLANCE):
        try:
            if store.tend():
                say("the store had died and was started again; what was acknowledged is kept")
        except EmbeddedError as error:
            say(f"the store has died and cannot be started again yet: {error}")
            stopping.wait(STORE_PAUSE)
        for child in children:
            if child.tend() == "died":
                say(f"the {child.name} has died; starting it again")


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

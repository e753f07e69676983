"""A Valkey server of our own: started on a data folder, watched, and stopped with whoever started it.

It listens on a Unix socket alone and answers a commit only when that is on the disk. Two locks hold the folder: `lock`
belongs to the process that starts servers, `server.lock` goes on to the server itself and to whatever it forks, so a
server that outlived its parent is always noticed and never joined by a second one.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from pathlib import Path
from typing import IO

from redis import Redis
from redis.exceptions import RedisError

from service.store.folder import EmbeddedError, Folder, locked
from service.store.opening import open_redis
from service.store.server_process import die_with_parent, end_orphan, server_binary

_READY_SECONDS = 60.0
_STOP_SECONDS = 5.0
_ASK_AGAIN_SECONDS = 0.25
_POLL_SECONDS = 0.01


class EmbeddedStore:
    """One server on one folder. Start it from the main thread: on Linux it ends with the thread that started it.

    `max_memory` in bytes makes a full store refuse commits (StoreFull) rather than grow; 0 sets no bound.
    Every failure is an EmbeddedError whose sentence can be shown.
    """

    def __init__(self, folder: Path, *, binary: Path | None = None, max_memory: int = 0) -> None:
        self._folder = Folder(folder)
        self._binary = binary
        self._max_memory = max_memory
        self._server: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """What `open_store` takes."""
        return self._folder.url

    @property
    def pid(self) -> int | None:
        return self._server.pid if self._server else None

    def start(self) -> None:
        """Takes the folder, ends what was left on it, and returns when the server answers."""
        binary = self._binary or server_binary()
        self._folder.take()
        try:
            self._launch(binary)
        except BaseException:
            self.stop()
            raise

    def restart(self) -> None:
        """A server again, when the one before has died; nothing when it lives."""
        if not self.alive():
            self._launch(self._binary or server_binary())

    def alive(self) -> bool:
        return self._server is not None and self._server.poll() is None

    def stop(self) -> None:
        """Asks the server to end, then insists; gives the folder back."""
        if self._server is not None:
            _end(self._server)
            self._server = None
        self._folder.give_back()

    def _launch(self, binary: Path) -> None:
        with self._folder.open_server_lock() as lock, self._folder.open_log() as log:
            if not locked(lock):
                end_orphan(self._folder, lock)
            self._server = self._spawn(binary, lock, log)
        self._wait_ready()

    def _spawn(self, binary: Path, lock: IO[bytes], log: IO[bytes]) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(  # noqa: S603
                [binary, *self._options()],
                cwd=self._folder.path,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=(lock.fileno(),),
                start_new_session=True,  # a Ctrl-C at the terminal is the parent's to handle
                preexec_fn=die_with_parent(os.getpid()),
            )
        except OSError as error:
            raise EmbeddedError(f"The store's server at {binary} cannot be started: {error.strerror}.") from None

    def _options(self) -> list[str]:
        settings = {
            "port": "0",
            "unixsocket": str(self._folder.socket),
            "unixsocketperm": "700",
            "dir": str(self._folder.path),
            "pidfile": str(self._folder.pid_file),
            "daemonize": "no",
            "databases": "1",
            "appendonly": "yes",
            "appendfsync": "always",
            "save": "",
            "maxmemory": str(self._max_memory),
            "maxmemory-policy": "noeviction",
        }
        return [part for name, value in settings.items() for part in (f"--{name}", value)]

    def _wait_ready(self) -> None:
        deadline = time.monotonic() + _READY_SECONDS
        with contextlib.closing(open_redis(self.url, connections=1)) as redis:
            while not _answers(redis):
                if not self.alive():
                    raise EmbeddedError(
                        f"The store's server ended at once; its last words: {self._folder.last_words()}"
                    )
                if time.monotonic() > deadline:
                    raise EmbeddedError(f"The store's server is not ready after {_READY_SECONDS:.0f} seconds.")
                time.sleep(_POLL_SECONDS)


def _answers(redis: Redis) -> bool:
    try:
        return bool(redis.ping())
    except RedisError:
        return False


def _end(server: subprocess.Popen[bytes]) -> None:
    """SIGTERM makes a server write everything out and go, or refuse while it is rewriting its file: so again and again.

    SIGKILL in the end loses nothing that was acknowledged.
    """
    deadline = time.monotonic() + _STOP_SECONDS
    while server.poll() is None and time.monotonic() < deadline:
        server.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(_ASK_AGAIN_SECONDS)
    server.kill()
    server.wait()

"""The data folder of an embedded store: who holds it, which format it is in, where its socket lies."""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import IO

FORMAT = 1

# A Unix socket's path may have 107 bytes on Linux, 103 on macOS.
_LONGEST_SOCKET = 100
_LARGEST_LOG = 1_000_000


class EmbeddedError(Exception):
    """The embedded store cannot run; the sentence says why, and what to do."""


class Folder:
    """A data folder. Nothing is touched before `take`."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self.pid_file = self.path / "server.pid"
        self._lock: IO[bytes] | None = None
        self._has_socket_elsewhere = False

    @property
    def socket(self) -> Path:
        """In the folder, or where that path is too long, in a folder of the user's own among the temporary files."""
        inside = self.path / "store.sock"
        if len(os.fsencode(inside)) <= _LONGEST_SOCKET:
            return inside
        name = sha256(os.fsencode(self.path)).hexdigest()[:16]
        return Path(tempfile.gettempdir()) / f"alarum-{os.getuid()}-{name}" / "store.sock"

    @property
    def url(self) -> str:
        """What `open_store` takes."""
        return f"unix://{self.socket}"

    def take(self) -> None:
        """Makes the folder ours alone; EmbeddedError when another has it, or it cannot be written, or read."""
        if self._lock is not None:
            return
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = (self.path / "lock").open("ab")
        except OSError as error:
            raise self._cannot_be_written(error) from None
        if not locked(lock):
            lock.close()
            raise EmbeddedError(
                f"Another Alarum is running on {self.path}: stop that one, or give this one a folder of its own: "
                "--data-dir DIR"
            )
        self._lock = lock
        try:
            self._check_format()
            if self.socket.parent != self.path:
                _make_private(self.socket.parent)
                self._has_socket_elsewhere = True
        except EmbeddedError:
            self.give_back()
            raise

    def give_back(self) -> None:
        """For others to take; leaves nothing among the temporary files."""
        if self._lock is not None:
            if self._has_socket_elsewhere:
                with contextlib.suppress(OSError):
                    self.socket.parent.rmdir()
            self._lock.close()
            self._lock = None

    def open_server_lock(self) -> IO[bytes]:
        """The lock that a server inherits; not taken yet, since a server from before may still hold it."""
        return (self.path / "server.lock").open("ab")

    def open_log(self) -> IO[bytes]:
        """What the server prints; begun anew when it has grown long."""
        log = self.path / "server.log"
        grown = log.exists() and log.stat().st_size > _LARGEST_LOG
        return log.open("wb" if grown else "ab")

    def last_words(self) -> str:
        lines = (self.path / "server.log").read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return lines[-1] if lines else "(none)"

    def _cannot_be_written(self, error: OSError) -> EmbeddedError:
        return EmbeddedError(
            f"The data folder {self.path} cannot be written: {error.strerror}. Give another: --data-dir DIR"
        )

    def _check_format(self) -> None:
        written = self.path / "format"
        try:
            text = written.read_text(encoding="ascii").strip() if written.exists() else ""
            if not text:
                written.write_text(f"{FORMAT}\n", encoding="ascii")
                return
            found = int(text)
        except OSError as error:
            raise self._cannot_be_written(error) from None
        except ValueError:
            raise EmbeddedError(
                f"{written} does not hold a number: {self.path} is no data folder of Alarum's."
            ) from None
        if found > FORMAT:
            raise EmbeddedError(
                f"The data folder {self.path} was written by a newer Alarum (format {found}, this one knows {FORMAT}): "
                "run that version."
            )


def locked(lock: IO[bytes]) -> bool:
    """Whether the lock is ours now. It is the open file's: whoever inherits that holds it too."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _make_private(folder: Path) -> None:
    """A folder among the temporary files, which nobody else may have laid there before us."""
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise EmbeddedError(f"{folder} belongs to somebody else; remove it, or use a data folder with a shorter path.")

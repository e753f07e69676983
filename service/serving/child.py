"""A child process that is started again when it dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import Literal

PAUSES = (0.0, 0.5, 1.0, 2.0, 5.0)  # seconds before the 1st, 2nd, … start after a death; the last one from then on
STEADY = 30.0  # who has run for so many seconds counts as healthy again


class Child:
    """One `alarum` process under the supervisor, in a session of its own: Ctrl-C reaches the supervisor only, which
    then stops its children in the right order."""

    def __init__(self, name: str, arguments: list[str], environ: Mapping[str, str], files: tuple[int, ...]) -> None:
        self.name = name
        # -P: a folder called "service" where the command is given must not be taken for ours.
        self._command = [sys.executable, "-P", "-m", "service", *arguments]
        self._environ = environ
        self._files = files
        self._deaths = 0
        self._due = 0.0
        self._process: subprocess.Popen[bytes] | None = None
        self._started = 0.0

    def start(self) -> None:
        self._process = subprocess.Popen(  # noqa: S603
            self._command,
            env=dict(self._environ),
            pass_fds=self._files,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._started = time.monotonic()

    def ended(self) -> int | None:
        """The exit status, or None while it runs."""
        return self._process.poll() if self._process else None

    def tend(self) -> Literal["died", "started"] | None:
        """Starts it again if it has died, after a pause that grows with every death in short order."""
        now = time.monotonic()
        if self._process is None:
            if now < self._due:
                return None
            self.start()
            return "started"
        if self._process.poll() is None:
            return None
        if now - self._started > STEADY:
            self._deaths = 0
        self._due = now + PAUSES[min(self._deaths, len(PAUSES) - 1)]
        self._deaths += 1
        self._process = None
        return "died"

    def ask_to_stop(self) -> None:
        if self._process and self._process.poll() is None:
            self._process.terminate()

    def stop_by(self, deadline: float) -> None:
        """Waits until `deadline` (monotonic seconds) for it to stop, then kills it and what it has started."""
        if self._process is None:
            return
        try:
            self._process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

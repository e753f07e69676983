"""A pipe whose far end only the supervisor holds: when it closes, the supervisor is gone, and its children end too.

It works whatever ended the supervisor (`kill -9` included) and on every POSIX system.
"""

from __future__ import annotations

import os
import signal
import threading


def end_without_supervisor(lifeline: int) -> None:
    """Sends this process SIGTERM once the supervisor is gone. For a process whose main thread may block."""

    def watch() -> None:
        os.read(lifeline, 1)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="lifeline", daemon=True).start()


def end_parent_without_supervisor(lifeline: int, parent: int) -> None:
    """Sends SIGTERM to the gunicorn master `parent` once the supervisor is gone. For a gevent worker.

    The master itself forks, so it should have no threads; its workers watch in its stead.
    """
    import gevent
    from gevent.socket import wait_read

    def watch() -> None:
        wait_read(lifeline)
        if os.getppid() == parent:
            os.kill(parent, signal.SIGTERM)

    gevent.spawn(watch)

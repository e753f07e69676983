"""The web workers: gunicorn with gevent, set up here and nowhere else (deploy/gunicorn.conf.py takes it from here)."""

from __future__ import annotations

import os
import shutil
import tempfile
from typing import Any

from gunicorn.app.base import BaseApplication

from service.crawls.limits import MAX_STREAMS
from service.serving.lifeline import end_parent_without_supervisor
from service.settings import Settings
from service.watching import FOLDER

BESIDE_STREAMS = 1_000
"""Connections of one web process that are no streams: gunicorn's own default."""


def gunicorn_settings(settings: Settings) -> dict[str, Any]:
    """Gunicorn's settings for a web process of ours, by gunicorn's own names."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return {
        "bind": f"{host}:{settings.port}",
        "worker_class": "service.serving.gevent_worker.Worker",
        "workers": settings.workers,
        "worker_connections": MAX_STREAMS + BESIDE_STREAMS,
        # Streams are ended by the worker when it stops; whoever is left then has this long.
        "graceful_timeout": 5,
        # Longer than the proxies in front keep a connection, so that it is never closed under a request.
        "keepalive": 75,
        # Proxies are believed as ALARUM_PROXIES says, and no peer may name the path that it asks for in a header.
        "forwarded_allow_ips": "",
        "loglevel": "warning",
        "logconfig_dict": settings.logging,
        "on_starting": _count_together,
        "on_exit": _count_no_more,
        # By default it lies at one path for each user, so that two instances would share it.
        "control_socket_disable": True,
    }


def _count_together(server: Any) -> None:
    """The workers' figures go into one folder, which `alarum serve` may have made already."""
    if FOLDER not in os.environ:
        server.figures = os.environ[FOLDER] = tempfile.mkdtemp(prefix="alarum-figures-")


def _count_no_more(server: Any) -> None:
    if folder := getattr(server, "figures", None):
        shutil.rmtree(folder, ignore_errors=True)


class Web(BaseApplication):  # type: ignore[misc]
    """Gunicorn on a socket that the supervisor has bound, ending when the supervisor is gone."""

    def __init__(self, settings: Settings, listener: int, lifeline: int) -> None:
        self._chosen = {
            **gunicorn_settings(settings),
            "bind": f"fd://{listener}",
            "proc_name": "alarum-web",
            "post_worker_init": lambda worker: end_parent_without_supervisor(lifeline, worker.ppid),
        }
        super().__init__()

    def load_config(self) -> None:
        for name, value in self._chosen.items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        from service.wsgi import app  # only in a worker, once gevent has patched the standard library

        return app

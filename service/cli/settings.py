"""What a command's options and the environment ask for, together."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from service.settings import Settings

DATA_DIR = click.option(
    "--data-dir",
    metavar="DIR",
    help="Where the service's own store keeps its data. Default: $ALARUM_DATA_DIR, else a folder of yours.",
)
REDIS = click.option(
    "--redis",
    metavar="URL",
    help="A running Redis or Valkey instead of a store of its own. Default: $ALARUM_REDIS, else none.",
)


def settings_from(**options: str | int | None) -> tuple[Settings, dict[str, str]]:
    """Settings by their variables' names laid over the environment, and the environment that says the same.

    The second is for processes that this one starts.
    """
    from service.settings import SettingsError, read_settings

    environ = {**os.environ, **{name: str(value) for name, value in options.items() if value is not None}}
    for name, default in (("ALARUM_DATA_DIR", own_folder), ("ALARUM_WORKERS", one_a_core)):
        if not environ.get(name, "").strip():
            environ[name] = default()
    try:
        return read_settings(environ), environ
    except SettingsError as error:
        raise click.UsageError(str(error)) from None


def one_a_core() -> str:
    """How many web processes there are when nobody says: one a core, at most 4."""
    return str(min(4, os.cpu_count() or 1))


def own_folder() -> str:
    """Where this system keeps what a program of one user's writes."""
    if sys.platform == "darwin":
        return str(Path.home() / "Library" / "Application Support" / "alarum")
    return str(Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "alarum")

"""What a command's options and the environment ask for, together."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from service.settings import Settings

_USUAL = "~/Library/Application Support/alarum" if sys.platform == "darwin" else "~/.local/share/alarum"

DATA_DIR = click.option(
    "--data-dir",
    metavar="DIR",
    help=f"Where the service's own store keeps its data. Default: $ALARUM_DATA_DIR, else {_USUAL}.",
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
    if not environ.get("ALARUM_DATA_DIR", "").strip():
        environ["ALARUM_DATA_DIR"] = own_folder()
    try:
        return read_settings(environ), environ
    except SettingsError as error:
        raise click.UsageError(str(error)) from None


def own_folder() -> str:
    """Where this system keeps what a program of one user's writes."""
    if sys.platform == "darwin":
        return str(Path.home() / "Library" / "Application Support" / "alarum")
    return str(Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "alarum")

"""alarum backup and restore: the data folder in one file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import click

from service.cli.settings import DATA_DIR, REDIS, settings_from

FORCE = click.option("--force", is_flag=True, help="Replace what is there.")


@click.command(
    epilog="""\b
Examples:
  alarum backup /mnt/backups          into a file named after the moment
  alarum backup crawls.tar.gz --data-dir ~/crawls

Every round that was answered before the command began is in it. Keep it safe: it holds seeds and secrets."""
)
@click.argument("target", type=click.Path(path_type=Path), metavar="DIR|FILE")
@DATA_DIR
@REDIS
@FORCE
def backup(target: Path, data_dir: str | None, redis: str | None, force: bool) -> None:
    """Copy all crawls into one file, while the service runs or not."""
    from service.store.backup import back_up, said

    if target.is_dir():
        target /= f"alarum-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.tar.gz"
    with _folder(data_dir, redis) as folder:
        held = back_up(folder, target, _say, force=force)
    click.echo(f"{target}: {said(held)} of data in {said(target.stat().st_size)}")


@click.command(
    epilog="""\b
Examples:
  alarum restore alarum-20261201T200000Z.tar.gz
  alarum restore crawls.tar.gz --data-dir ~/crawls --force"""
)
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@DATA_DIR
@REDIS
@FORCE
def restore(file: Path, data_dir: str | None, redis: str | None, force: bool) -> None:
    """Put a backup back, where no service runs. What cannot be read replaces nothing."""
    from service.store.backup import restore as put_back

    with _folder(data_dir, redis) as folder:
        put_back(file, folder, _say, force=force)
    click.echo(f"{folder} holds what {file} held; start the service again.")


@contextmanager
def _folder(data_dir: str | None, redis: str | None) -> Iterator[Path]:
    """The service's own data folder, and its errors as this command's."""
    from service.store.folder import EmbeddedError

    settings, _ = settings_from(ALARUM_DATA_DIR=data_dir, ALARUM_REDIS=redis)
    if settings.redis is not None:
        raise click.UsageError(
            "This service keeps its crawls in a Redis of yours: back that up by its own means, by its snapshots "
            "(BGSAVE) or its append-only files. Without ALARUM_REDIS and --redis, this is for the service's own store."
        )
    try:
        yield settings.data_dir.resolve()
    except (EmbeddedError, OSError) as error:
        raise click.ClickException(str(error)) from None


def _say(line: str) -> None:
    click.echo(line, err=True)

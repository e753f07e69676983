"""alarum keys: instance keys, made and revoked by whoever runs the service."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from service.cli.settings import DATA_DIR, REDIS, settings_from

if TYPE_CHECKING:
    from service.store.keyring import Keyring
    from service.store.records import InstanceKey


@click.group(
    epilog="""\b
Examples:
  alarum keys create --name "Friday table"
  alarum keys create --name "open evening" --crawls 5 --rounds-per-minute 60
  alarum keys list
  alarum keys revoke key_0123456789abcdef0123

They work on the store of `alarum serve` with the same --data-dir or --redis, whether it runs or not."""
)
def keys() -> None:
    """Make, list and revoke instance keys. Who has one may start crawls, and list those started with it."""


@keys.command()
@click.option("--name", default="", help="Whose key it is, or what for.")
@click.option("--crawls", type=click.IntRange(1), help="How many crawls it may have at once.  [default: no limit]")
@click.option(
    "--rounds-per-minute", type=click.IntRange(1), help="How many rounds all of them may have.  [default: no limit]"
)
@DATA_DIR
@REDIS
def create(
    name: str, crawls: int | None, rounds_per_minute: int | None, data_dir: str | None, redis: str | None
) -> None:
    """Make a key and show it, this once."""
    from service.crawls.naming import hashed, new_instance_key

    key = new_instance_key()
    with _keyring(data_dir, redis) as keyring:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        made = keyring.create(hashed(key), name, now, crawls=crawls, rounds_per_minute=rounds_per_minute)
    click.echo(f"Made {made.id}. The key is shown this once:", err=True)
    click.echo(key)


@keys.command("list")
@DATA_DIR
@REDIS
def list_(data_dir: str | None, redis: str | None) -> None:
    """Show which keys there are; never the keys themselves."""
    with _keyring(data_dir, redis) as keyring:
        made = keyring.list()
    for key in made:
        click.echo("  ".join([key.id, key.created_at, _used(key), *_quotas(key), key.label]).rstrip())
    if not made:
        click.echo("There are no keys.", err=True)


@keys.command()
@click.argument("key_id", metavar="ID")
@DATA_DIR
@REDIS
def revoke(key_id: str, data_dir: str | None, redis: str | None) -> None:
    """Take a key out of force, by the id that `list` shows. Crawls started with it stay."""
    with _keyring(data_dir, redis) as keyring:
        if not keyring.revoke(key_id):
            raise click.ClickException(f"There is no key {key_id}; `alarum keys list` shows those there are.")
    click.echo(f"Revoked {key_id}.", err=True)


def _used(key: InstanceKey) -> str:
    return f"used {key.used_at}" if key.used_at else "never used"


def _quotas(key: InstanceKey) -> Iterator[str]:
    if key.crawls is not None:
        yield f"{key.crawls} crawls"
    if key.rounds_per_minute is not None:
        yield f"{key.rounds_per_minute} rounds a minute"


@contextmanager
def _keyring(data_dir: str | None, redis: str | None) -> Iterator[Keyring]:
    settings, _ = settings_from(ALARUM_DATA_DIR=data_dir, ALARUM_REDIS=redis)
    from service.serving.embedding import visit
    from service.serving.errors import CannotServe
    from service.store.errors import StoreError
    from service.store.opening import open_store

    try:
        with visit(settings) as url:
            yield open_store(url).keyring
    except (CannotServe, StoreError, ValueError) as error:
        raise click.ClickException(str(error)) from None

"""alarum serve, and the processes it is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from service.cli.settings import DATA_DIR, REDIS, settings_from

if TYPE_CHECKING:
    from service.settings import Settings

LIFELINE = click.option("--lifeline", type=int, hidden=True)


@click.command(
    epilog="""\b
Examples:
  alarum serve
  alarum serve --port 8080 --data-dir ~/crawls
  alarum serve --redis redis://localhost:6379/0 --strict

Settings can be environment variables, too; the README lists them all."""
)
@click.option("--host", help="Address to listen on; others than this machine's own need keys. Default: 127.0.0.1.")
@click.option("--port", type=click.IntRange(0, 65535), help="Port to listen on; 0 takes a free one. Default: 8000.")
@DATA_DIR
@REDIS
@click.option("--workers", type=click.IntRange(1, 64), help="Web processes. Default: one a core, at most 4.")
@click.option("--strict", is_flag=True, help="Refuse a Redis that is not set up to keep every acknowledged round.")
def serve(
    host: str | None, port: int | None, data_dir: str | None, redis: str | None, workers: int | None, strict: bool
) -> None:
    """Run the service: the web, the sender of webhooks and, without --redis, a store of its own."""
    settings, environ = settings_from(
        ALARUM_HOST=host,
        ALARUM_PORT=port,
        ALARUM_DATA_DIR=data_dir,
        ALARUM_REDIS=redis,
        ALARUM_WORKERS=workers,
        ALARUM_STRICT="1" if strict else None,
    )
    from logging.config import dictConfig

    from service.serving.errors import CannotServe
    from service.serving.supervisor import serve as run

    dictConfig(settings.logging)
    try:
        run(settings, environ)
    except CannotServe as error:
        raise click.ClickException(str(error)) from None


@click.command(
    epilog="""\b
Example:
  alarum worker --redis redis://store:6379/0"""
)
@click.option("--redis", metavar="URL", help="The one that the web processes use. Default: $ALARUM_REDIS.")
@LIFELINE
def worker(redis: str | None, lifeline: int | None) -> None:
    """Run a sender of webhooks alone, beside web processes on the same Redis."""
    settings, _ = settings_from(ALARUM_REDIS=redis)
    if settings.redis is None:
        raise click.UsageError("A worker alone needs the Redis that the web processes use: --redis URL")
    from logging.config import dictConfig

    from service.worker import run

    dictConfig(settings.logging)
    if lifeline is not None:
        from service.serving.lifeline import end_without_supervisor

        end_without_supervisor(lifeline)
    else:
        _look_over(settings)
    run(settings.redis, settings)


def _look_over(settings: Settings) -> None:
    from service.serving.embedding import look_over
    from service.serving.errors import CannotServe

    try:
        look_over(settings)
    except CannotServe as error:
        raise click.ClickException(str(error)) from None


@click.command(hidden=True)
@click.option("--listener", type=int, required=True)
@LIFELINE
def web(listener: int, lifeline: int) -> None:
    """The web processes, as the supervisor starts them on its socket."""
    settings, _ = settings_from()
    from service.serving.web import Web

    Web(settings, listener, lifeline).run()

"""The command `alarum`. What a command needs is imported when it runs, so that --help comes at once."""

from __future__ import annotations

import click

from service import __version__
from service.cli.backup import backup, restore
from service.cli.keys import keys
from service.cli.odds import odds
from service.cli.openapi import openapi
from service.cli.serve import serve, web, worker
from service.cli.verify import verify


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="""\b
Examples:
  alarum serve                              on http://127.0.0.1:8000
  alarum serve --host 0.0.0.0 --port 8080   for others to reach, with keys
  alarum keys create --name "Friday table"
  alarum odds --ruleset derelict --level 3 --hours 8""",
)
@click.version_option(__version__, message="%(prog)s %(version)s")
def cli() -> None:
    """Alarum keeps the time, the alarm and the dice of a dungeon crawl, over HTTP."""


for command in (serve, worker, web, keys, backup, restore, verify, odds, openapi):
    cli.add_command(command)


def main() -> None:
    """Exits with 0, with 1 when something failed, with 2 when the command was not understood."""
    cli(prog_name="alarum")

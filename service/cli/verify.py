"""alarum verify: the dice of an exported crawl, counted off again."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from service.crawls.verifying import Verified


@click.command(
    epilog="""\b
Examples:
  alarum verify persephone.json
  curl … /v1/crawls/$CRAWL/export | alarum verify -

Exits with 0 when every die of the service's is as its seed has it, with 1 when one differs, and with 2 when that cannot
be said: the crawl has not ended, or was imported, and its rounds before that were rolled from another seed."""
)
@click.argument("file", type=click.File("rb"))
@click.option(
    "--seed", "more", multiple=True, metavar="HEX", help="A seed from before an import; may stand repeatedly."
)
def verify(file: IO[bytes], more: tuple[str, ...]) -> None:
    """Verify the dice of an ended crawl by its export: FILE, or - for what is piped in."""
    from service.crawls.verifying import verify_rounds
    from service.rules.dice import commitment

    document = _read(file)
    dice = document["dice"]
    if not dice.get("seed") and not more:
        raise click.UsageError("There is no seed in it yet: end the crawl, and export it again.")
    try:
        seeds = {commitment(seed): seed for seed in (*more, *filter(None, [dice.get("seed")]))}
    except ValueError:
        raise click.UsageError("A seed is 64 hexadecimal digits.") from None
    if dice.get("seed") and dice["commitment"] not in seeds:
        click.echo("The seed is not the one that was committed to: this proves nothing.")
        raise click.exceptions.Exit(1)
    raise click.exceptions.Exit(_tell(list(verify_rounds(document, seeds))))


def _read(file: IO[bytes]) -> dict[str, Any]:
    from service.api import body
    from service.api.errors import ApiError
    from service.api.schemas.kept import KEPT
    from service.api.schemas.shape import read

    try:
        return dict(read(KEPT, body.parse(file.read(), longest=body.LONGEST_TEXT * 16)))
    except ApiError as error:
        faults = [f"{fault.pointer or '/'}: {fault.detail}" for fault in error.faults[:5]]
        raise click.UsageError("\n  ".join([f"{file.name} is no export of a crawl.", *faults])) from None


def _tell(rounds: list[Verified]) -> int:
    """Says it round by round, then all in all; gives the exit code."""
    click.echo("round  service's  caller's")
    for each in rounds:
        shown = "?" if each.commitment else each.service
        click.echo(f"{each.number:>5}  {shown:>9}  {each.caller:>8}")
        for difference in each.differing:
            click.echo(f"       {difference}")
    differing = sum(len(each.differing) for each in rounds)
    click.echo(
        f"{sum(each.service for each in rounds)} dice verified, {differing} differ, "
        f"{sum(each.caller for each in rounds)} were the caller's."
    )
    unknown = {each.commitment: each.number for each in rounds if each.commitment}
    for commitment, last in unknown.items():
        click.echo(f"Rounds up to {last} were rolled from another seed; give it with --seed. Its SHA-256: {commitment}")
    return 1 if differing else 2 if unknown else 0

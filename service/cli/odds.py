"""alarum odds."""

from __future__ import annotations

from fractions import Fraction

import click

LONGEST = 28
"""Characters up to which a chance is also written as a fraction."""


@click.command(
    epilog="""\b
Examples:
  alarum odds --ruleset derelict                       level 1, eight hours
  alarum odds --ruleset derelict --level 4 --hours 3
  alarum odds --ruleset stretch --every 2 --hours 4"""
)
@click.option("--ruleset", required=True, metavar="R", help="derelict or stretch.")
@click.option("--every", type=click.IntRange(1, 24), metavar="N", help="A check every N rounds (stretch). Default: 1.")
@click.option("--level", type=click.IntRange(1, 4), metavar="L", help="The alert level, held (derelict). Default: 1.")
@click.option("--hours", type=click.IntRange(1, 168), default=8, show_default=True, metavar="H", help="Up to how long.")
def odds(ruleset: str, every: int | None, level: int | None, hours: int) -> None:
    """Say how likely an encounter is within 1, 2, … H hours in which nothing else happens. Exact, not simulated."""
    from service.rules.errors import Invalid
    from service.rules.odds import chance_of_encounter, expected_encounters
    from service.rules.ruleset import ruleset_of

    try:
        rules = ruleset_of(ruleset)
        rows = [
            (
                hour,
                chance_of_encounter(rules, hours=hour, level=level, every_rounds=every),
                expected_encounters(rules, hours=hour, level=level, every_rounds=every),
            )
            for hour in range(1, hours + 1)
        ]
    except Invalid as error:
        raise click.UsageError(" ".join(fault.detail for fault in error.faults)) from None
    click.echo("hours  at least one  on average  exactly")
    for hour, chance, expected in rows:
        click.echo(f"{hour:>5}  {_percent(chance):>12}  {float(expected):>10.2f}  {_written(chance)}".rstrip())


def _percent(chance: Fraction) -> str:
    """What is not certain is not called so."""
    shown = f"{float(chance):.2%}"
    return "> 99.99%" if shown == "100.00%" and chance < 1 else shown


def _written(chance: Fraction) -> str:
    return str(chance) if len(str(chance)) <= LONGEST else ""

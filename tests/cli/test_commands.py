"""The commands that end: help, version, keys, odds; and what a mistake is answered."""

from __future__ import annotations

from pathlib import Path

import pytest

from service import __version__
from tests.cli.serving import alarum

WITH_EXAMPLES = [
    (),
    ("serve",),
    ("worker",),
    ("openapi",),
    ("keys",),
    ("backup",),
    ("restore",),
    ("verify",),
    ("odds",),
]
COMMANDS = [*WITH_EXAMPLES, ("keys", "create"), ("keys", "list"), ("keys", "revoke")]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_explains_itself(command: tuple[str, ...]) -> None:
    shown = alarum(*command, "--help")
    assert shown.returncode == 0
    assert shown.stdout.startswith("Usage: alarum")


@pytest.mark.parametrize("command", WITH_EXAMPLES, ids=" ".join)
def test_help_has_examples(command: tuple[str, ...]) -> None:
    assert "Example" in alarum(*command, "--help").stdout


def test_version_is_the_packages() -> None:
    assert alarum("--version").stdout == f"alarum {__version__}\n"


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (("sing",), "No such command 'sing'"),
        (("serve", "--port", "70000"), "70000 is not in the range"),
        (("serve", "--redis", "http://example"), "ALARUM_REDIS: give a URL that begins with one of redis://"),
        (("worker",), "needs the Redis that the web processes use"),
        (("odds",), "Missing option '--ruleset'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_mistake_is_exit_code_2_and_a_sentence(command: tuple[str, ...], says: str) -> None:
    refused = alarum(*command)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert says in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_key_is_shown_once_listed_without_itself_and_revoked(tmp_path: Path) -> None:
    folder = ("--data-dir", str(tmp_path / "data"))
    made = alarum("keys", "create", "--name", "Friday table", "--crawls", "5", "--rounds-per-minute", "60", *folder)
    key = made.stdout.strip()
    assert (made.returncode, key[:3], len(key)) == (0, "ik_", 46)
    listed = alarum("keys", "list", *folder).stdout
    assert listed.rstrip().endswith("Friday table")
    assert key not in listed
    key_id = listed.split()[0]
    assert alarum("keys", "revoke", key_id, *folder).returncode == 0
    assert alarum("keys", "list", *folder).stdout == ""
    again = alarum("keys", "revoke", key_id, *folder)
    assert (again.returncode, again.stderr) == (
        1,
        f"Error: There is no key {key_id}; `alarum keys list` shows those there are.\n",
    )


def test_odds_at_level_4_are_two_checks_an_hour_on_5_and_6() -> None:
    """A2: every 1800 s, encounter on 5–6."""
    shown = alarum("odds", "--ruleset", "derelict", "--level", "4", "--hours", "2")
    assert shown.stdout.splitlines() == [
        "hours  at least one  on average  exactly",
        "    1        55.56%        0.67  5/9",
        "    2        80.25%        1.33  65/81",
    ]


def test_odds_of_a_stretch_with_a_check_every_second_round() -> None:
    """T8, S1: six Stretches are an hour; a check after each second one, encounter on 5–6."""
    shown = alarum("odds", "--ruleset", "stretch", "--every", "2", "--hours", "1")
    assert shown.stdout.splitlines()[1:] == ["    1        70.37%        1.00  19/27"]


def test_odds_call_nothing_certain_that_is_not() -> None:
    shown = alarum("odds", "--ruleset", "stretch", "--hours", "5")
    assert shown.stdout.splitlines()[-1] == "    5      > 99.99%       10.00"


def test_odds_refuse_what_the_ruleset_does_not_have() -> None:
    refused = alarum("odds", "--ruleset", "dungeon")
    assert refused.returncode == 2
    assert "There is no ruleset 'dungeon'" in refused.stderr

"""What the README shows is what happens; what it and deploy/.env.example list is what there is."""

from __future__ import annotations

import json
import re
import shlex
import string
import subprocess
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from service.api.problems import KINDS
from tests.cli.serving import Served, alarum, served
from tests.faults.tables import Table
from tests.streams.listening import Listener

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text()
ADDRESS = "http://127.0.0.1:8000"

# What is drawn anew each time: ids and tokens, digests, moments of the real world.
DRAWN = (
    r"(crl|chr|enc|tmr|evt|whk|gm|pl)_[\w-]+",
    r"whsec_\S+",
    r"[0-9a-f]{64}",
    r"\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)",
)


@dataclass(frozen=True)
class Example:
    """A shell block of the README, and the JSON block after it, which shows what it answers."""

    shell: str
    answer: Any


def examples() -> Iterator[Example]:
    for shell, answer in re.findall(r"```sh\n(curl [^`]*)```\n[^`]*```json\n([^`]*)```", README, re.DOTALL):
        yield Example(shell, json.loads(answer))


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("docs") / "data") as running:
        yield running


def test_the_readmes_examples_answer_what_it_shows(service: Served) -> None:
    names: dict[str, str] = {}
    shown = list(examples())
    assert len(shown) >= 2
    for example in shown:
        answer = curl(example.shell, service.url, names)
        assert_shows(example.answer, answer, "")
        if "tokens" in answer:
            names = {"CRAWL": answer["id"], "GM": answer["tokens"]["gm"], "PLAYER": answer["tokens"]["player"]}


def test_the_readmes_streams_show_what_happens(service: Served) -> None:
    section = README.partition("\n## Live\n")[2].partition("\n## ")[0]
    table = Table(service)
    crawl = table.path.rpartition("/")[2]
    (shell,) = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)
    path, headers = asked(shell, service.url, {"CRAWL": crawl, "GM": table.token})
    with closing(Listener(service.url, path, headers).begin()) as listener:
        (script,) = re.findall(r"```js\n(.*?)```", section, re.DOTALL)
        given = f'const url = "{service.url}", crawl = "{crawl}", token = "{table.token}";'
        show = "const show = (event) => { console.log(event.type); process.exit(); };"
        node = ["node", "--input-type=module", "--eval", f"{given}\n{show}\n{script}"]
        with subprocess.Popen(node, stdout=subprocess.PIPE, text=True) as process:
            # It may not have begun yet: whatever is played until it says something is as good as any other.
            while process.poll() is None:
                table.play()
            assert process.stdout
            assert process.stdout.read() == "round.resolved\n"
        assert listener.wait_for(1)[0].event == "round.resolved"


def test_the_readmes_odds_are_what_the_command_says() -> None:
    found = re.findall(r"```\n\$ (?:alarum|\./run alarum) (odds .*?)\n(.*?)```", README, re.DOTALL)
    assert found
    for arguments, table in found:
        assert alarum(*arguments.split()).stdout == table


def test_every_setting_is_in_the_readme_and_in_the_example_file() -> None:
    read = set(re.findall(r'"(ALARUM_[A-Z_]+)"', (ROOT / "service" / "settings.py").read_text()))
    assert read
    assert set(re.findall(r"^\| `(ALARUM_[A-Z_]+)`", README, re.MULTILINE)) == read
    example = (ROOT / "deploy" / ".env.example").read_text()
    assert set(re.findall(r"^#?(ALARUM_[A-Z_]+)=", example, re.MULTILINE)) == read


def test_the_example_file_as_it_stands_changes_nothing() -> None:
    lines = (ROOT / "deploy" / ".env.example").read_text().splitlines()
    assert [line for line in lines if line and not line.startswith("#")] == []


def test_relative_links_lead_somewhere() -> None:
    for page in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "deploy/README.md"):
        for target in re.findall(r"\]\((?!https?://|#)([^)#]+)", (ROOT / page).read_text()):
            assert (ROOT / page).parent.joinpath(target).exists(), f"{page} leads to {target}"


def test_every_error_code_is_in_the_readme() -> None:
    """Written by hand nowhere else: status, code and advice are those of service/api/problems.py, in its order."""
    rows = [f"| {kind.status} | `{code}` | {kind.advice} |" for code, kind in KINDS.items()]
    table = README.partition("| status | `code` | what to do |\n|---|---|---|\n")[2].partition("\n\n")[0]
    assert table.splitlines() == rows


def asked(shell: str, url: str, names: dict[str, str]) -> tuple[str, dict[str, str]]:
    """The path and the headers of a curl line that only reads."""
    request = requested(shell, url, names)
    return request.selector, dict(request.header_items())


def curl(shell: str, url: str, names: dict[str, str]) -> Any:
    """What a curl line of the README is answered, asked of the service at `url`, with shell variables filled in."""
    with urlopen(requested(shell, url, names), timeout=10) as answer:
        return json.load(answer)


def requested(shell: str, url: str, names: dict[str, str]) -> Request:
    parts = shlex.split(string.Template(shell.replace(ADDRESS, url).replace("\\\n", " ")).safe_substitute(names))
    target, headers, body, method = "", {}, None, None
    arguments = iter(parts[1:])
    for part in arguments:
        if part == "-H":
            name, _, value = next(arguments).partition(": ")
            headers[name] = value
        elif part == "-d":
            body = next(arguments).encode()
        elif part == "-X":
            method = next(arguments)
        elif not part.startswith("-"):
            target = part
    return Request(target, data=body, headers=headers, method=method)


def assert_shows(shown: Any, real: Any, at: str) -> None:
    """An object may show some of its keys; lists and values are shown whole; what is drawn anew only looks alike."""
    if isinstance(shown, dict):
        assert isinstance(real, dict), at
        for key, value in shown.items():
            assert key in real, f"{at}/{key}"
            assert_shows(value, real[key], f"{at}/{key}")
    elif isinstance(shown, list):
        assert isinstance(real, list), at
        assert len(real) == len(shown), at
        for number, value in enumerate(shown):
            assert_shows(value, real[number], f"{at}/{number}")
    elif isinstance(shown, str) and isinstance(real, str) and any(re.fullmatch(drawn, shown) for drawn in DRAWN):
        pattern = next(drawn for drawn in DRAWN if re.fullmatch(drawn, shown))
        assert re.fullmatch(pattern, real), at
    else:
        assert real == shown, at

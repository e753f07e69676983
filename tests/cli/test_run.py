"""The script `./run`, on machines that lack something."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.serving import ROOT

TOOLS = ("sh", "dirname", "cksum", "tr", "grep", "cat", "rm", "mv")


def run(*arguments: str, tools: Path | None = None, venv: Path | None = None) -> subprocess.CompletedProcess[str]:
    environ = {"PATH": str(tools) if tools else "/usr/bin:/bin"}
    if venv:
        environ["ALARUM_VENV"] = str(venv)
    command = [str(ROOT / "run"), *arguments]
    return subprocess.run(command, env=environ, cwd="/", capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A PATH with the system's small tools and neither Python nor uv."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in TOOLS:
        found = shutil.which(name)
        assert found
        (folder / name).symlink_to(found)
    return folder


def python_that(folder: Path, script: str) -> None:
    program = folder / "python3"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


@pytest.mark.parametrize("asked", [(), ("--help",), ("help",)])
def test_it_explains_itself_from_any_folder(asked: tuple[str, ...]) -> None:
    shown = run(*asked)
    assert shown.returncode == 0
    assert shown.stdout.startswith("Usage: ./run COMMAND")


def test_a_command_that_is_not_there_is_a_usage_error() -> None:
    refused = run("sing")
    assert refused.returncode == 2
    assert "there is no command 'sing'" in refused.stderr


@pytest.mark.parametrize("python", [None, "exit 1"], ids=["none", "too old"])
def test_without_a_python_that_is_new_enough_it_says_what_to_install(
    tools: Path, tmp_path: Path, python: str | None
) -> None:
    if python:
        python_that(tools, python)
    refused = run("serve", tools=tools, venv=tmp_path / "venv")
    assert refused.returncode == 1
    assert "needs Python 3.11 or newer" in refused.stderr
    assert not (tmp_path / "venv").exists()


def test_without_venv_it_says_the_one_apt_line(tools: Path, tmp_path: Path) -> None:
    python_that(
        tools,
        'case "$2" in *ensurepip*) exit 1 ;; *"%d.%d"*) echo 3.13 ;; *) exit 0 ;; esac',
    )
    refused = run("serve", tools=tools, venv=tmp_path / "venv")
    assert refused.returncode == 1
    assert "apt install python3.13-venv" in refused.stderr


def installed(venv: Path, script: str) -> Path:
    """A virtual environment where everything is installed, and whose Python is this shell script."""
    (venv / "bin").mkdir(parents=True)
    program = venv / "bin" / "python"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    lock = (ROOT / "requirements.lock").read_bytes()
    stamp = subprocess.run(["cksum"], input=lock, capture_output=True, check=True).stdout.decode().strip()
    (venv / "installed-locks").write_text(stamp.replace(" ", "-") + "\n")
    return venv


def test_what_is_installed_is_not_installed_again(tools: Path, tmp_path: Path) -> None:
    """Nothing but the stamp is looked at: this virtual environment's Python has no pip at all."""
    venv = installed(tmp_path / "venv", 'echo "called with: $*"')
    assert run("alarum", "--version", tools=tools, venv=venv).stdout == "called with: -m service --version\n"


@pytest.mark.parametrize("command", [("serve",), ("alarum", "keys", "create")], ids=" ".join)
def test_keys_are_made_in_the_store_that_is_served(tools: Path, tmp_path: Path, command: tuple[str, ...]) -> None:
    venv = installed(tmp_path / "venv", 'echo "$ALARUM_DATA_DIR"')
    assert run(*command, tools=tools, venv=venv).stdout == f"{ROOT}/data\n"

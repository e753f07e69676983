"""Imports go down only, and libraries stay where they belong: the contracts in pyproject.toml are kept."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_the_layers_are_kept() -> None:
    command = Path(sys.executable).with_name("lint-imports")
    checked = subprocess.run([command, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_no_library_is_needed_that_no_layer_is_named_for() -> None:
    """A library that is added must be forbidden to the rules by name, since they are pure."""
    document = tomllib.loads((ROOT / "pyproject.toml").read_text())
    needed = {re.split(r"[\[>=<;! ]", line)[0] for line in document["project"]["dependencies"]}
    pure = next(c for c in document["tool"]["importlinter"]["contracts"] if c["id"] == "pure-rules")
    forbidden = set(pure["forbidden_modules"])
    assert {{"pyyaml": "yaml"}.get(name, name.replace("-", "_")) for name in needed} <= forbidden


def test_locks_name_no_address_and_no_place_on_anybodys_disk() -> None:
    for name in ("requirements.lock", "requirements-dev.lock"):
        lock = (ROOT / name).read_text()
        assert "://" not in lock
        assert not re.search(r"^\s*(-|/)(?!-hash)", lock, re.MULTILINE)

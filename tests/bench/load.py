"""Load on a server for some seconds, by wrk or by the driver beside this file."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.bench.driver import CONNECTIONS
from tests.bench.running import ROOT
from tests.bench.table import said

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True)
class Load:
    """One path under load: its letter, what it is, where, and the file of requests."""

    letter: str
    title: str
    port: int
    requests: Path


@dataclass(frozen=True, slots=True)
class Measured:
    """Answers a second, milliseconds to the median and the 99th percentile, and what went wrong."""

    rate: float
    median_ms: float
    late_ms: float
    refused: int
    broken: int


def written(file: Path, requests: Sequence[tuple[str, str, str | None, object]]) -> Path:
    """A file of requests (method, path, token, body) as load.lua and driver.py read it."""
    lines: list[str] = []
    for method, path, token, body in requests:
        lines += [method, path, f"Bearer {token}" if token else "", said(body).decode() if body is not None else ""]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def wrk() -> str | None:
    """wrk, where there is one."""
    return shutil.which("wrk")


def put(load: Load, seconds: float, with_wrk: str | None, rate: float = 0.0) -> Measured:
    """The load, for so many seconds; wrk takes whole ones. With a `rate`, so many requests a second, by our driver."""
    if with_wrk and not rate:
        url = f"http://127.0.0.1:{load.port}"
        options = ["-t1", f"-c{CONNECTIONS}", f"-d{max(1, round(seconds))}s", "--timeout=5s"]
        command = [with_wrk, *options, f"--script={HERE / 'load.lua'}", url, "--", str(load.requests)]
    else:
        told = (load.port, seconds, load.requests, rate)
        command = [sys.executable, "-m", "tests.bench.driver", *map(str, told)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=seconds + 60, check=True)
    figures = json.loads(run.stdout.strip().rpartition("\n")[2])
    return Measured(
        rate=figures["answers"] / figures["seconds"],
        median_ms=figures["median_ms"],
        late_ms=figures["late_ms"],
        refused=figures["refused"],
        broken=figures["broken"],
    )

"""The bench runs, and a server that refuses does not pass for a fast one. Nothing here looks at how long it takes."""

from __future__ import annotations

import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.bench.driver import drive, requests_in
from tests.bench.load import written
from tests.bench.running import ROOT


class Refusing(BaseHTTPRequestHandler):
    """Answers every second request with 503, over kept connections."""

    protocol_version = "HTTP/1.1"
    bodies: list[bytes] = []  # noqa: RUF012

    def do_POST(self) -> None:
        self.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(503 if len(self.bodies) % 2 else 201)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: object) -> None:
        """Quiet."""


def test_answers_other_than_2xx_are_counted_as_refused(tmp_path: Path) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Refusing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.server_address[1]
        file = written(tmp_path / "requests", [("POST", "/rounds", "token", {"kind": "travel"})])
        told = drive(port, 0.3, requests_in(file, port))
        server.shutdown()
    assert set(Refusing.bodies) == {b'{"kind":"travel"}'}
    assert told["broken"] == 0
    assert 0 < told["refused"] < told["answers"]


def test_at_an_even_rate_no_more_is_asked_than_it_says(tmp_path: Path) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Refusing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.server_address[1]
        file = written(tmp_path / "requests", [("POST", "/rounds", "token", {"kind": "travel"})])
        told = drive(port, 0.5, requests_in(file, port), rate=20)
        server.shutdown()
    assert 0 < told["answers"] <= 10


@pytest.mark.slow
def test_the_bench_of_deliveries_loses_none() -> None:
    command = [sys.executable, "-m", "tests.bench", "deliveries", "--quick"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "0 deliveries were lost, 0 rounds failed" in run.stdout
    words = ("from commit to arrival", "an idle worker", "all that the machine can", "at 100 a second")
    assert [word for word in words if word not in run.stdout] == []


@pytest.mark.slow
def test_the_bench_prints_its_ratios_and_no_request_fails() -> None:
    command = [sys.executable, "-m", "tests.bench", "--driver=python", "--repeats=1", "--seconds=0.2"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    words = ("c/b", "d/b", "engine alone", "live state after 50 rounds", "the rest")
    assert [word for word in words if word not in run.stdout] == []

"""The proxies of deploy/ in front of a real service: the files as they lie there, on ports of the test's own."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass

import pytest

from service.settings import REQUESTS_PER_MINUTE
from tests.cli.serving import ROOT, eventually, served
from tests.faults.tables import Table, ask
from tests.streams.listening import Listener

NGINX = """daemon off; pid {folder}/pid; error_log stderr;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    server {{ listen 127.0.0.1:{port}; include {folder}/alarum.conf; }}
}}
"""


@dataclass(frozen=True, slots=True)
class Proxied:
    """Where others reach a service behind a proxy."""

    url: str


@pytest.fixture(scope="module", params=["nginx", "caddy below a path", "caddy of compose.yaml"])
def proxied(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxied]:
    program, _, where = request.param.partition(" ")
    if not runs_here(program):
        pytest.skip(f"there is no {program} here" + (" of version 2.7 or newer" if program == "caddy" else ""))
    folder, port = tmp_path_factory.mktemp("proxy"), free_port()
    url = f"http://127.0.0.1:{port}" + ("" if "compose" in where else "/alarum")
    more = {"ALARUM_PUBLIC_URL": url, "ALARUM_PROXIES": "1", "ALARUM_REGISTRATION": "open"}
    with served(folder / "data", **more) as service:
        address = f"127.0.0.1:{service.port}"
        if program == "nginx":
            (folder / "alarum.conf").write_text(deployed("nginx.conf", "127.0.0.1:8000", address))
            (folder / "nginx.conf").write_text(NGINX.format(folder=folder, port=port))
            command = ["nginx", "-e", "stderr", "-p", str(folder), "-c", str(folder / "nginx.conf")]
        else:
            text = deployed("Caddyfile", "web:8000", address)
            if not where.endswith("yaml"):
                text = "{\n\tadmin off\n}\n" + deployed("Caddyfile.foundry", "127.0.0.1:8000", address)
                text = text.replace("gm.example {", f"http://127.0.0.1:{port} {{")
            (folder / "Caddyfile").write_text(text)
            command = ["caddy", "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]
        environ = {**os.environ, "ALARUM_PUBLIC_URL": url, "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
        with running(command, environ, port):
            yield Proxied(url)


def test_a_table_plays_and_is_sent_to_where_it_came_from(proxied: Proxied) -> None:
    table = Table(proxied)
    round_one = table.play()
    assert round_one.status == 201
    assert round_one.headers["Location"] == f"{proxied.url}{table.path}/rounds/1"
    assert ask(round_one.headers["Location"], "GET", "", Authorization=f"Bearer {table.token}").body["number"] == 1


def test_the_reference_names_the_address_that_players_use(proxied: Proxied) -> None:
    described = ask(proxied.url, "GET", "/openapi.json").body
    assert [server["url"] for server in described["servers"]] == [proxied.url]


def test_events_come_the_moment_they_happen(proxied: Proxied) -> None:
    table = Table(proxied)
    prefix = "/" + proxied.url.partition("://")[2].partition("/")[2]
    path = f"{prefix.rstrip('/')}{table.path}/events/stream"
    with closing(Listener(proxied.url, path, {"Authorization": f"Bearer {table.token}"}).begin()) as listener:
        table.play()
        assert "round.resolved" in [told.event for told in listener.wait_for(1)]
        assert not listener.ended.is_set()


def test_an_address_that_a_client_makes_up_is_not_believed(proxied: Proxied) -> None:
    """Or whoever names a new one each time would never meet a limit."""
    answers = [ask(proxied.url, "GET", "/v1/rulesets", X_Forwarded_For=f"192.0.2.{last}") for last in range(3)]
    left = re.findall(r"'RateLimit': '\"requests\";r=(\d+)", str([answer.headers for answer in answers]), re.IGNORECASE)
    assert min(map(int, left)) < REQUESTS_PER_MINUTE - 1  # a minute may end between two of them, not twice


def runs_here(program: str) -> bool:
    if not shutil.which(program):
        return False
    if program != "caddy":
        return True
    version = subprocess.run(["caddy", "version"], capture_output=True, text=True, check=True).stdout
    major, minor = re.findall(r"\d+", version)[:2]
    return (int(major), int(minor)) >= (2, 7)


def deployed(name: str, address: str, ours: str) -> str:
    """A file of deploy/ with the service's address replaced."""
    text = (ROOT / "deploy" / name).read_text()
    assert address in text
    return text.replace(address, ours)


@contextmanager
def running(command: list[str], environ: dict[str, str], port: int) -> Iterator[None]:
    with subprocess.Popen(command, env=environ, stderr=subprocess.DEVNULL) as process:
        try:
            assert eventually(lambda: process.poll() is not None or listens(port))
            assert process.poll() is None, f"{command[0]} has ended"
            yield
        finally:
            process.terminate()


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])

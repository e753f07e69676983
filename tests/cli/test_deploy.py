"""What lies in deploy/ fits the service that it deploys."""

from __future__ import annotations

import re
import subprocess
import sys

import yaml

from tests.cli.serving import ROOT, environ


def test_gunicorn_alone_takes_the_settings_that_serve_uses() -> None:
    command = [sys.executable, "-m", "gunicorn", "-c", str(ROOT / "deploy" / "gunicorn.conf.py"), "--print-config"]
    more = {"ALARUM_REDIS": "redis://127.0.0.1:1/0", "ALARUM_PORT": "8123", "ALARUM_WORKERS": "3"}
    shown = subprocess.run(
        [*command, "service.wsgi:app"],
        env={**environ(), **more},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert shown.returncode == 0, shown.stderr
    config = dict(re.findall(r"^(\w+)\s+= (.*)$", shown.stdout, re.MULTILINE))
    assert config["bind"] == "['127.0.0.1:8123']"
    assert (config["workers"], config["worker_class"]) == ("3", "service.serving.gevent_worker.Worker")
    assert (config["graceful_timeout"], config["control_socket_disable"]) == ("5", "True")


def test_compose_sets_only_what_is_a_setting_and_a_store_that_keeps_all() -> None:
    compose = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text())
    settings = (ROOT / "service" / "settings.py").read_text()
    for service in ("web", "worker"):
        assert all(f'"{name}"' in settings for name in compose["services"][service]["environment"])
    store = compose["services"]["store"]["command"]
    assert store[store.index("--appendonly") + 1] == "yes"
    assert store[store.index("--appendfsync") + 1] == "always"
    assert store[store.index("--maxmemory-policy") + 1] == "noeviction"

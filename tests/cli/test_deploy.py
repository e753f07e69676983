"""What lies in deploy/ fits the service that it deploys."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from service.api.contract import ROUTES
from service.settings import read_settings
from service.store.crawls import CrawlStore
from service.store.durability import durability
from service.store.opening import open_redis
from service.store.server_process import server_binary
from tests.cli.serving import PATIENCE, ROOT, environ, eventually
from tests.store.everywhere import config_set

DEPLOY = ROOT / "deploy"
DOCKERFILE = (ROOT / "Dockerfile").read_text()
SETTINGS = set(re.findall(r'"(ALARUM_[A-Z_]+)"', (ROOT / "service" / "settings.py").read_text()))
WEB = ["gunicorn", "-c", "/etc/alarum/gunicorn.conf.py", "service.wsgi:app"]
WORKER = ["alarum", "worker"]


def test_nothing_names_a_setting_that_there_is_not() -> None:
    for file in (ROOT / "Dockerfile", *(path for path in DEPLOY.rglob("*") if path.is_file())):
        assert set(re.findall(r"\bALARUM_[A-Z_]+", file.read_text())) <= SETTINGS, file.name


def test_gunicorn_alone_takes_the_settings_that_serve_uses() -> None:
    command = [sys.executable, "-m", "gunicorn", "-c", str(DEPLOY / "gunicorn.conf.py"), "--print-config"]
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


@pytest.fixture(scope="module", params=[str(server_binary()), "redis-server"], ids=["valkey", "redis"])
def own_redis(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if not shutil.which(request.param):
        pytest.skip(f"there is no {request.param} here")
    folder = tmp_path_factory.mktemp("redis")
    place = ["--dir", str(folder), "--port", "0", "--unixsocket", str(folder / "sock")]
    command = [request.param, str(DEPLOY / "redis.conf"), *place]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        assert eventually(lambda: (folder / "sock").exists())
        yield f"unix://{folder}/sock"
        process.terminate()


def test_nothing_is_wrong_with_a_redis_after_our_settings(own_redis: str) -> None:
    redis = open_redis(own_redis, connections=1)
    assert durability(redis) == ()
    redis.close()


def test_compose_runs_the_image_as_it_is_made() -> None:
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    assert (services["web"]["command"], services["worker"]["command"]) == (WEB, WORKER)
    assert services["web"]["ports"] == [f"127.0.0.1:{port()}:{port()}"]
    assert f"reverse_proxy web:{port()} " in (DEPLOY / "Caddyfile").read_text()
    assert all(service["read_only"] and service["cap_drop"] == ["ALL"] for service in services.values())
    assert "./redis.conf:/etc/valkey/redis.conf:ro" in services["store"]["volumes"]
    assert services["store"]["command"][-1] == "/etc/valkey/redis.conf"


def test_kubernetes_runs_the_image_as_it_is_made() -> None:
    web, worker = (pod["containers"][0] for pod in pods())
    assert (web["args"], worker["args"]) == (WEB, WORKER)
    assert [named["containerPort"] for named in web["ports"]] == [port()]
    paths = {route.path for route in ROUTES}
    assert {web[probe]["httpGet"]["path"] for probe in ("livenessProbe", "readinessProbe")} <= paths
    user = int(re.findall(r"^USER (\d+)", DOCKERFILE, re.MULTILINE)[0])
    for pod in pods():
        assert (pod["securityContext"]["runAsNonRoot"], pod["securityContext"]["runAsUser"]) == (True, user)
        assert pod["containers"][0]["securityContext"]["readOnlyRootFilesystem"]


def test_kubernetes_sets_what_the_service_reads() -> None:
    (kustomization,) = manifests("kustomization.yaml")
    (names,) = kustomization["images"]
    assert {pod["containers"][0]["image"] for pod in pods()} == {names["name"]}
    generated = [*kustomization["configMapGenerator"], *kustomization["secretGenerator"]]
    given = dict(literal.split("=", 1) for each in generated for literal in each["literals"])
    settings = read_settings({"ALARUM_HOST": "0.0.0.0", **given})
    assert (settings.proxies, settings.strict, settings.registration) == (1, True, "key")


def test_kubernetes_selects_what_it_labels() -> None:
    (kustomization,) = manifests("kustomization.yaml")
    everywhere = kustomization["labels"][0]["pairs"]
    found = [each for name in kustomization["resources"] for each in manifests(name)]
    labels = [
        {**everywhere, **each["spec"]["template"]["metadata"]["labels"]}
        for each in found
        if each["kind"] == "Deployment"
    ]
    for each in found:
        if "spec" in each:
            chosen = each["spec"].get("podSelector") or each["spec"]["selector"]
            wanted = (chosen if each["kind"] == "Service" else chosen["matchLabels"]).items()
            assert any(wanted <= given.items() for given in labels), json.dumps(each)


def port() -> int:
    """Where the image listens."""
    return int(re.findall(r"^EXPOSE (\d+)$", DOCKERFILE, re.MULTILINE)[0])


def manifests(name: str) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(Path(DEPLOY, "kubernetes", name).read_text()))


def pods() -> list[dict[str, Any]]:
    """Those of web and worker."""
    return [manifests(name)[0]["spec"]["template"]["spec"] for name in ("web.yaml", "worker.yaml")]


@pytest.mark.parametrize(
    "command",
    [
        ("-m", "service", "worker"),
        ("-m", "gunicorn", "-c", str(ROOT / "deploy" / "gunicorn.conf.py"), "service.wsgi:app"),
    ],
)
def test_a_strict_process_does_not_begin_on_a_store_that_may_lose_rounds(
    store: CrawlStore, store_url: str, command: tuple[str, ...]
) -> None:
    config_set(store.redis, "maxmemory-policy", "allkeys-lru")
    try:
        refused = subprocess.run(
            [sys.executable, *command],
            env={**environ(), "ALARUM_REDIS": store_url, "ALARUM_STRICT": "1", "ALARUM_PORT": "0"},
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    finally:
        config_set(store.redis, "maxmemory-policy", "noeviction")
    assert refused.returncode == 1
    assert "set `maxmemory-policy noeviction`" in refused.stderr
    assert "Traceback" not in refused.stderr

"""The store at every kind of address, each with a real server behind it; and what may not stand in one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from redis import Redis

from service.store.address import shown, verify
from service.store.errors import StoreUnavailable
from service.store.opening import open_redis, open_store
from tests.store.changes import CRAWL, a_crawl, a_round, started
from tests.store.clusters import cluster, free_port, server
from tests.store.playing import play_a_round, read

WORD = "p@ss/w#rd"
RIGHTS = ("on", f">{WORD}", "~alarum:*", "&alarum:*", "+@all", "-@dangerous", "+info")


def play(url: str) -> int:
    store = open_store(url)
    try:
        store.commit(started(a_crawl()))
        store.commit(a_round(read(store)))
        return read(store).crawl.play.rounds
    finally:
        store.redis.close()


@contextmanager
def running(folder: Path, client: dict[str, Any], **settings: str) -> Iterator[Redis]:
    with Redis(protocol=2, **client) as redis, server(folder, settings, lambda: redis):
        yield redis


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`ca.pem`, and `server.pem` with `server.key`, which it signed for 127.0.0.1."""
    folder = tmp_path_factory.mktemp("certificates")
    authority = ec.generate_private_key(ec.SECP256R1())
    key = ec.generate_private_key(ec.SECP256R1())
    for name, own, subject, is_ca in (("ca", authority, "Table CA", True), ("server", key, "127.0.0.1", False)):
        now = datetime.now(UTC)
        made = (
            x509.CertificateBuilder()
            .subject_name(x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, subject)]))
            .issuer_name(x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Table CA")]))
            .public_key(own.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=1))
            .add_extension(x509.BasicConstraints(ca=is_ca, path_length=None), critical=True)
            .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
            .sign(authority, hashes.SHA256())
        )
        (folder / f"{name}.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
        (folder / f"{name}.key").write_bytes(
            own.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
    return folder


@pytest.fixture
def speaks_tls(monkeypatch: pytest.MonkeyPatch) -> None:
    """The wheel's Valkey is built without TLS."""
    if "ALARUM_TEST_SERVER" not in os.environ:
        system = shutil.which("redis-server") or shutil.which("valkey-server")
        if system is None:
            pytest.skip("no redis-server with TLS on PATH (Debian: apt install redis-server)")
        monkeypatch.setenv("ALARUM_TEST_SERVER", system)


def tls_settings(certificates: Path) -> dict[str, str]:
    return {
        "tls-cert-file": str(certificates / "server.pem"),
        "tls-key-file": str(certificates / "server.key"),
        "tls-ca-cert-file": str(certificates / "ca.pem"),
        "tls-auth-clients": "no",
    }


def test_a_plain_address_with_and_without_a_database(tmp_path: Path) -> None:
    port = free_port()
    with running(tmp_path / "server", {"port": port}, port=str(port), databases="2"):
        assert play(f"redis://127.0.0.1:{port}") == 1
        assert play(f"redis://127.0.0.1:{port}/1") == 1
        with pytest.raises(StoreUnavailable):
            play(f"redis://127.0.0.1:{port}/2")


@pytest.mark.parametrize(("appendonly", "counts_on"), [("yes", True), ("no", False)])
def test_a_server_that_was_killed_and_started_again_counts_on_where_it_kept_all(
    tmp_path: Path, appendonly: str, counts_on: bool
) -> None:
    port = free_port()
    settings = {"port": str(port), "appendonly": appendonly, "appendfsync": "always"}
    with running(tmp_path / "server", {"port": port}, **settings) as redis:
        assert play(f"redis://127.0.0.1:{port}") == 1
        if appendonly == "no":
            redis.save()
    with running(tmp_path / "server", {"port": port}, **settings):
        store = open_store(f"redis://127.0.0.1:{port}")
        before = read(store)
        play_a_round(store, "after")
        after = read(store)
        store.redis.close()
    assert after.crawl.play.rounds == 2
    assert (after.sequence == before.sequence + 2) == counts_on
    assert (after.crawl.version == before.crawl.version + 1) == counts_on


def test_a_password_and_a_user_with_few_rights(tmp_path: Path) -> None:
    port = free_port()
    told = {"port": str(port), "requirepass": WORD}
    with running(tmp_path / "server", {"port": port, "password": WORD}, **told) as redis:
        redis.execute_command("ACL", "SETUSER", "table", *RIGHTS)
        assert play(f"redis://table:p%40ss%2Fw%23rd@127.0.0.1:{port}") == 1
        for nobody in ("", ":wrong@", "table:wrong@", "nobody:p%40ss%2Fw%23rd@"):
            with pytest.raises(StoreUnavailable):
                open_store(f"redis://{nobody}127.0.0.1:{port}").load(CRAWL, None)


def test_a_unix_socket(tmp_path: Path) -> None:
    socket = tmp_path / "s"
    told = {"port": "0", "unixsocket": str(socket), "requirepass": WORD}
    with running(tmp_path / "server", {"unix_socket_path": str(socket), "password": WORD}, **told):
        assert play(f"unix://:p%40ss%2Fw%23rd@{socket}") == 1


@pytest.mark.usefixtures("speaks_tls")
def test_tls_with_a_certificate_of_ones_own_authority(tmp_path: Path, certificates: Path) -> None:
    port = free_port()
    authority = str(certificates / "ca.pem")
    client = {"port": port, "ssl": True, "ssl_ca_certs": authority, "host": "127.0.0.1"}
    told = {"port": "0", "tls-port": str(port), **tls_settings(certificates)}
    with running(tmp_path / "server", client, **told):
        assert play(f"rediss://127.0.0.1:{port}?ssl_ca_certs={authority}") == 1
        for url in (f"rediss://127.0.0.1:{port}", f"redis://127.0.0.1:{port}"):
            with pytest.raises(StoreUnavailable):
                open_store(url).load(CRAWL, None)


@pytest.mark.usefixtures("speaks_tls")
def test_a_cluster_with_tls_and_a_password(tmp_path: Path, certificates: Path) -> None:
    authority = str(certificates / "ca.pem")
    told = {"tls-cluster": "yes", "requirepass": WORD, "masterauth": WORD, **tls_settings(certificates)}
    client = {"ssl": True, "ssl_ca_certs": authority, "host": "127.0.0.1", "password": WORD}
    with cluster(tmp_path, client=client, **told) as nodes:
        places = nodes.url.rpartition("/")[2]
        assert play(f"rediss+cluster://:p%40ss%2Fw%23rd@{places}?ssl_ca_certs={authority}") == 1
        with pytest.raises(StoreUnavailable):
            open_store(f"rediss+cluster://{places}?ssl_ca_certs={authority}").load(CRAWL, None)


@pytest.mark.parametrize(
    ("url", "word"),
    [
        ("http://:hunter2@store", "redis+cluster://"),
        ("redis://:hunter2@store?socket_timeout=60", "only these parameters"),
        ("redis://:hunter2@store?retry_on_timeout=yes", "only these parameters"),
        ("redis://:hunter2@store?protocol=3", "only these parameters"),
        ("redis://:hunter2@store?decode_responses=1", "only these parameters"),
        ("redis://:hunter2@store?max_connections=1", "only these parameters"),
        ("redis://:hunter2@store?=", "only these parameters"),
        ("redis://:hunter2@store?ssl_ca_certs=x", "belongs to rediss"),
        ("rediss://:hunter2@store?ssl_cert_reqs=maybe", "none, optional, required"),
        ("redis://:hunter2@store?db=one", "number of a database"),
        ("redis://:hunter2@store/one", "number of a database"),
        ("redis://:hunter2/@store", "a port is a number"),
        ("redis://:hunter2#@store", "%23"),
        ("redis://:hunter2@store:65536", "a port is a number"),
        ("redis://:hunter2@[::1", "brackets"),
        ("redis://:hunter2@one,two", "redis+cluster://"),
        ("redis+cluster://:hunter2@one:1,two:2/1", "database 0"),
        ("redis+cluster://:hunter2@one:1,two:x", "a port is a number"),
        ("unix://", "path of the socket"),
    ],
)
def test_what_no_address_may_hold_is_refused_without_its_password(url: str, word: str) -> None:
    with pytest.raises(ValueError, match=r".") as refused:
        verify(url)
    assert word in str(refused.value)
    assert "hunter2" not in str(refused.value)
    assert "\n" not in str(refused.value)


def test_an_address_is_shown_without_what_is_secret_in_it() -> None:
    assert shown("rediss+cluster://gm:hunter2@one:1,[::1]:2?ssl_password=x") == "rediss+cluster://one:1,[::1]:2"


def test_time_limits_and_retries_are_ours() -> None:
    told = open_redis("redis://gm:word@store:7/3?client_name=alarum").connection_pool.connection_kwargs
    assert (told["socket_timeout"], told["socket_connect_timeout"], told["protocol"]) == (1.0, 0.3, 2)
    assert told["retry"].get_retries() == 0
    assert (told["username"], told["password"], told["db"], told["client_name"]) == ("gm", "word", 3, "alarum")

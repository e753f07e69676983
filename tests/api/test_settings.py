"""Settings: read once from the environment, and refused by name."""

from __future__ import annotations

from ipaddress import ip_network
from pathlib import Path

import pytest

from service.settings import REQUESTS_PER_MINUTE, Settings, SettingsError, read_settings


def test_without_any_the_service_is_for_this_machine_alone() -> None:
    assert read_settings({}) == Settings()
    assert read_settings({}).loopback_only
    assert read_settings({}).registration == "open"
    assert read_settings({"ALARUM_PORT": "", "ALARUM_REDIS": " "}) == Settings()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "gm.example"])
def test_listening_for_others_asks_for_keys(host: str) -> None:
    settings = read_settings({"ALARUM_HOST": host})
    assert not settings.loopback_only
    assert settings.registration == "key"
    assert read_settings({"ALARUM_HOST": host, "ALARUM_REGISTRATION": "open"}).registration == "open"


def test_so_does_a_proxy_that_lets_others_in() -> None:
    settings = read_settings({"ALARUM_PROXIES": "1"})
    assert not settings.loopback_only
    assert (settings.registration, settings.requests_per_minute) == ("key", REQUESTS_PER_MINUTE)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "[::1]", "localhost"])
def test_these_are_this_machine_alone(host: str) -> None:
    assert read_settings({"ALARUM_HOST": host}).loopback_only


def test_all_of_them_are_read() -> None:
    settings = read_settings(
        {
            "ALARUM_HOST": "0.0.0.0",
            "ALARUM_PORT": "9000",
            "ALARUM_REDIS": "redis://store:6379/0",
            "ALARUM_REGISTRATION": "key",
            "ALARUM_PUBLIC_URL": "https://gm.example/alarum/",
            "ALARUM_WEBHOOK_ALLOW": "127.0.0.0/8, fd12::/16",
            "ALARUM_DATA_DIR": "/srv/alarum",
            "ALARUM_WORKERS": "4",
            "ALARUM_EXPIRE_ENDED_DAYS": "90",
            "ALARUM_LOG_LEVEL": "debug",
            "ALARUM_LOG_FORMAT": "json",
            "ALARUM_ACCESS_LOG": "1",
            "ALARUM_METRICS_TOKEN": "a-token-for-prometheus",
            "ALARUM_METRICS_PORT": "9464",
            "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318",
            "ALARUM_PROXIES": "1",
            "ALARUM_STRICT": "yes",
            "ALARUM_REQUESTS_PER_MINUTE": "60",
        }
    )
    assert settings == Settings(
        host="0.0.0.0",
        port=9000,
        redis="redis://store:6379/0",
        registration="key",
        public_url="https://gm.example/alarum",
        webhook_allow=(ip_network("127.0.0.0/8"), ip_network("fd12::/16")),
        data_dir=Path("/srv/alarum"),
        workers=4,
        expire_ended_days=90,
        log_level="DEBUG",
        log_format="json",
        access_log=True,
        metrics_token="a-token-for-prometheus",
        metrics_port=9464,
        traces=True,
        proxies=1,
        strict=True,
        requests_per_minute=60,
    )
    assert settings.prefix == "/alarum"


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("ALARUM_HOST", "http://x"),
        ("ALARUM_PORT", "65536"),
        ("ALARUM_PORT", "-1"),
        ("ALARUM_PORT", "٣"),
        ("ALARUM_REDIS", "localhost:6379"),
        ("ALARUM_REGISTRATION", "closed"),
        ("ALARUM_PUBLIC_URL", "gm.example"),
        ("ALARUM_PUBLIC_URL", "https://gm:secret@gm.example"),
        ("ALARUM_PUBLIC_URL", "https://gm.example/?x"),
        ("ALARUM_WEBHOOK_ALLOW", "127.0.0.1/8"),
        ("ALARUM_WORKERS", "0"),
        ("ALARUM_EXPIRE_ENDED_DAYS", "0"),
        ("ALARUM_LOG_LEVEL", "loud"),
        ("ALARUM_LOG_FORMAT", "xml"),
        ("ALARUM_METRICS_TOKEN", "short"),
        ("ALARUM_METRICS_TOKEN", "with a space in it"),
        ("ALARUM_METRICS_PORT", "0"),
        ("ALARUM_PROXIES", "many"),
        ("ALARUM_STRICT", "maybe"),
    ],
)
def test_a_value_that_will_not_do_is_refused_by_its_variables_name(variable: str, value: str) -> None:
    with pytest.raises(SettingsError, match=f"^{variable}: ") as refusal:
        read_settings({variable: value})
    assert refusal.value.variable == variable


def test_a_store_address_is_never_repeated_since_it_may_hold_a_password() -> None:
    with pytest.raises(SettingsError) as refusal:
        read_settings({"ALARUM_REDIS": "http://user:hunter2@store"})
    assert "hunter2" not in str(refusal.value)

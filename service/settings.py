"""What the operator has decided, read once from the environment. Nothing else in the service reads it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Literal, TypeVar
from urllib.parse import urlsplit

from service.store.address import verify
from service.watching.logs import LogFormat, configuration
from service.webhooks.addresses import Networks, networks

Registration = Literal["open", "key"]
LogLevel = Literal["DEBUG", "INFO", "WARNING", "ERROR"]
Read = TypeVar("Read")

LOG_LEVELS: tuple[LogLevel, ...] = ("DEBUG", "INFO", "WARNING", "ERROR")


REQUESTS_PER_MINUTE = 1200
"""Of one token: many times what a table sends, and little beside what a process can do."""


class SettingsError(Exception):
    """A setting that cannot be used; the message names the variable and says what to do."""

    def __init__(self, variable: str, what_to_do: str) -> None:
        super().__init__(f"{variable}: {what_to_do}")
        self.variable = variable


def one_a_core() -> int:
    """How many web processes there are when nobody says: one a core, at most 4."""
    return min(4, os.cpu_count() or 1)


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything an operator can decide.

    `redis` is None where the service is to run a store of its own in `data_dir`. `host` has no brackets around an IPv6
    address, `public_url` no slash at its end. `proxies` counts the reverse proxies whose X-Forwarded-… headers are
    believed. `requests_per_minute` is of one token, 0 without end. `metrics_token` opens the figures to whoever sends
    it; without one they are open on loopback and shut elsewhere. `metrics_port` is where a worker shows them, too.
    `traces` says that there is a collector of OpenTelemetry.
    """

    redis: str | None = None
    host: str = "127.0.0.1"
    port: int = 8000
    registration: Registration = "open"
    public_url: str | None = None
    webhook_allow: Networks = ()
    data_dir: Path = Path("data")
    workers: int = field(default_factory=one_a_core)
    expire_ended_days: int | None = None
    log_level: LogLevel = "INFO"
    log_format: LogFormat = "text"
    access_log: bool = False
    metrics_token: str | None = None
    metrics_port: int | None = None
    traces: bool = False
    proxies: int = 0
    strict: bool = False
    requests_per_minute: int = 0

    @property
    def loopback_only(self) -> bool:
        """Whether only this machine can reach the service: no other address, and no proxy that lets others in."""
        return is_loopback(self.host) and not self.proxies

    @property
    def logging(self) -> dict[str, Any]:
        """How every process logs, for `logging.config.dictConfig`."""
        return configuration(self.log_level, self.log_format, access=self.access_log)

    @property
    def prefix(self) -> str:
        """The path under which the public URL lies, without a slash at its end: "" or "/gm"."""
        return urlsplit(self.public_url).path if self.public_url else ""


def read_settings(environ: Mapping[str, str] | None = None) -> Settings:
    """The settings that the environment asks for. An empty variable counts as unset."""
    given = {name: value.strip() for name, value in (os.environ if environ is None else environ).items()}

    def read(variable: str, parse: Callable[[str, str], Read], default: Read) -> Read:
        value = given.get(variable, "")
        return parse(variable, value) if value else default

    host = read("ALARUM_HOST", _host, "127.0.0.1")
    proxies = read("ALARUM_PROXIES", _number(0, 8), 0)
    alone = Settings(host=host, proxies=proxies).loopback_only
    return Settings(
        redis=read("ALARUM_REDIS", _redis, None),
        host=host,
        port=read("ALARUM_PORT", _number(0, 65535), 8000),
        registration=read("ALARUM_REGISTRATION", _registration, "open" if alone else "key"),
        public_url=read("ALARUM_PUBLIC_URL", _public_url, None),
        webhook_allow=read("ALARUM_WEBHOOK_ALLOW", _networks, ()),
        data_dir=read("ALARUM_DATA_DIR", lambda _, value: Path(value), Path("data")),
        workers=read("ALARUM_WORKERS", _number(1, 64), one_a_core()),
        expire_ended_days=read("ALARUM_EXPIRE_ENDED_DAYS", _number(1, 36500), None),
        log_level=read("ALARUM_LOG_LEVEL", _log_level, "INFO"),
        log_format=read("ALARUM_LOG_FORMAT", _log_format, "text"),
        access_log=read("ALARUM_ACCESS_LOG", _flag, False),
        metrics_token=read("ALARUM_METRICS_TOKEN", _token, None),
        traces=bool(given.get("OTEL_EXPORTER_OTLP_ENDPOINT")),
        metrics_port=read("ALARUM_METRICS_PORT", _number(1, 65535), None),
        proxies=proxies,
        strict=read("ALARUM_STRICT", _flag, False),
        requests_per_minute=read(
            "ALARUM_REQUESTS_PER_MINUTE", _number(0, 1_000_000), 0 if alone else REQUESTS_PER_MINUTE
        ),
    )


def is_loopback(host: str) -> bool:
    """Whether `host` is an address of this machine alone."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _host(variable: str, value: str) -> str:
    if any(sign in value for sign in "/ @"):
        raise SettingsError(variable, f"{value!r} is no address to listen on; give one such as 127.0.0.1 or 0.0.0.0")
    return value.strip("[]")


def _redis(variable: str, value: str) -> str:
    try:
        verify(value)
    except ValueError as error:  # the value may hold a password, and is not repeated
        raise SettingsError(variable, str(error)) from None
    return value


def _number(low: int, high: int) -> Callable[[str, str], int]:
    def parse(variable: str, value: str) -> int:
        if not (value.isascii() and value.isdigit() and low <= int(value) <= high):
            raise SettingsError(variable, f"{value!r} will not do; give a whole number from {low} to {high}")
        return int(value)

    return parse


def _registration(variable: str, value: str) -> Registration:
    if value == "open":
        return "open"
    if value == "key":
        return "key"
    raise SettingsError(variable, f"{value!r} will not do; give open (anyone may start a crawl) or key")


def _public_url(variable: str, value: str) -> str:
    parts = urlsplit(value)
    if (
        parts.scheme not in ("http", "https")
        or not parts.hostname
        or parts.query
        or parts.fragment
        or "@" in parts.netloc
    ):
        raise SettingsError(
            variable, f"{value!r} will not do; give the address players use, such as https://gm.example/alarum"
        )
    return value.rstrip("/")


def _networks(variable: str, value: str) -> Networks:
    try:
        return networks(value)
    except ValueError as error:
        raise SettingsError(variable, f"{error}; give networks such as 127.0.0.0/8,192.168.1.0/24") from None


def _log_level(variable: str, value: str) -> LogLevel:
    for level in LOG_LEVELS:
        if value.upper() == level:
            return level
    raise SettingsError(variable, f"{value!r} will not do; give one of {', '.join(LOG_LEVELS)}")


def _log_format(variable: str, value: str) -> LogFormat:
    if value == "text":
        return "text"
    if value == "json":
        return "json"
    raise SettingsError(variable, f"{value!r} will not do; give text or json")


def _token(variable: str, value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9._~+/=-]{16,200}", value):
        raise SettingsError(
            variable, "give 16 to 200 letters, digits and signs of ._~+/=-, as `openssl rand -hex 32` does"
        )
    return value


def _flag(variable: str, value: str) -> bool:
    if value.lower() in ("1", "true", "yes", "on"):
        return True
    if value.lower() in ("0", "false", "no", "off"):
        return False
    raise SettingsError(variable, f"{value!r} will not do; give 1 or 0")

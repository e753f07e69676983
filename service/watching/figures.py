"""What is counted, and how the processes of an instance count together.

Where the environment names a folder (`FOLDER`), each process keeps its figures in files there, and whichever is asked
sums them up: those of dead processes stay, but for what they had open. Without it a process counts for itself. No label
holds what a table or a caller has chosen.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from service.watching import FOLDER

MEDIA_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"

ROOM: Final = 1 << 19
"""Bytes of each file, more than a process fills. They are taken at the start: a mapped file that finds the disk full
later ends its process."""

_KINDS: Final = ("counter", "histogram", "gauge_livesum")


def _take_room() -> None:
    folder = os.environ.get(FOLDER)
    if folder is None:
        return
    try:
        for kind in _KINDS:
            with Path(folder, f"{kind}_{os.getpid()}.db").open("ab") as file:
                if hasattr(os, "posix_fallocate"):
                    os.posix_fallocate(file.fileno(), 0, ROOM)
    except OSError:
        del os.environ[FOLDER]  # better to count alone than not to run


_take_room()  # before the first figure is made, which opens them

_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
_LAGS: Final = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 15.0, 60.0, 600.0, 3600.0, 21600.0, 86400.0)

_registry = CollectorRegistry()
_requests = Counter("alarum_http_requests", "Requests answered.", ("operation", "method", "status"), registry=_registry)
_durations = Histogram(
    "alarum_http_request_duration_seconds",
    "From a request's headers to the beginning of its answer.",
    ("operation",),
    buckets=_SECONDS,
    registry=_registry,
)
ROUNDS = Counter("alarum_rounds", "Rounds kept.", ("kind",), registry=_registry)
CONFLICTS = Counter("alarum_commit_conflicts", "Commits that came too late and were decided again.", registry=_registry)
CONTENTIONS = Counter("alarum_commit_contentions", "Changes given up after too many conflicts.", registry=_registry)
STREAMS = Gauge("alarum_streams_open", "Streams of events open.", multiprocess_mode="livesum", registry=_registry)
ATTEMPTS = Counter(
    "alarum_delivery_attempts",
    "Tries to deliver to a webhook: delivered, waiting (for another try) or failed (given up).",
    ("outcome",),
    registry=_registry,
)
LAG = Histogram(
    "alarum_delivery_lag_seconds",
    "From an event's commit to its arrival at a webhook, those sent again by hand left out.",
    buckets=_LAGS,
    registry=_registry,
)
PROCESSES = Gauge(
    "alarum_processes", "Processes that run.", ("process",), multiprocess_mode="livesum", registry=_registry
)


def count_request(operation: str, method: str, status: int, seconds: float) -> None:
    _requests_of(operation, method, status).inc()
    _durations_of(operation).observe(seconds)


def exposition(more: Iterable[Metric] = ()) -> bytes:
    """All figures of the instance in Prometheus's text format, `more` behind them."""
    return generate_latest(_All(more))


def collected() -> CollectorRegistry:
    """All figures of the instance, for a server of prometheus_client's own."""
    registry = CollectorRegistry()
    registry.register(_All())
    return registry


class _All(Collector):
    def __init__(self, more: Iterable[Metric] = ()) -> None:
        self._more = more

    def collect(self) -> Iterator[Metric]:
        folder = Path(os.environ.get(FOLDER, "/nowhere"))
        if folder.is_dir():
            processes = list(_alive(folder))
            yield from MultiProcessCollector(None, str(folder)).collect()  # type: ignore[no-untyped-call]
        else:
            processes = [os.getpid()]
            yield from _registry.collect()
        yield from _process_figures(processes)
        yield from self._more


@lru_cache(maxsize=4096)  # looking a figure up by its labels takes longer than counting
def _requests_of(operation: str, method: str, status: int) -> Counter:
    return _requests.labels(operation, method, status)


@lru_cache(maxsize=1024)
def _durations_of(operation: str) -> Histogram:
    return _durations.labels(operation)


def _alive(folder: Path) -> Iterator[int]:
    """The processes that count there and still run; what the others had open is forgotten."""
    for file in folder.glob("gauge_livesum_*.db"):
        process = int(file.stem.rpartition("_")[2])
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            file.unlink(missing_ok=True)
        else:
            yield process


def _process_figures(processes: Iterable[int]) -> Iterable[Metric]:
    """Memory, processor time and files of each process."""
    families: dict[str, Metric] = {}
    for process in processes:
        for of_one in ProcessCollector(pid=partial(str, process), registry=None).collect():
            family = families.setdefault(of_one.name, Metric(of_one.name, of_one.documentation, of_one.type))
            for sample in of_one.samples:
                family.add_sample(sample.name, {"pid": str(process)}, sample.value)
    return families.values()

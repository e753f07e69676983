"""What whoever runs the service can watch: figures, logs and traces. Knows nothing of crawls."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from service.watching.tracing import Traces

FOLDER: Final = "PROMETHEUS_MULTIPROC_DIR"
"""The variable by which prometheus_client knows the folder where the processes of an instance count together."""


def traces_of(process: str) -> Traces | None:
    """What this process makes spans with, None where OpenTelemetry is not installed."""
    try:
        from service.watching.tracing import Traces
    except ImportError:
        logging.getLogger("alarum").warning("There is a collector for traces, but not what alarum[otel] installs.")
        return None
    return Traces(process)

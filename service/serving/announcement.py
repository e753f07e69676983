"""What stands on the terminal once the service is up."""

from __future__ import annotations

import logging
import shlex

from service import __version__
from service.serving.listening import reached_at
from service.settings import Settings


def announce(settings: Settings, place: str) -> None:
    """For people on standard output; where the log is for programs, as a line of it."""
    if settings.log_format == "json":
        logging.getLogger("alarum.serve").info("serving on %s, port %d", settings.host, settings.port)
    else:
        print(announcement(settings, place), flush=True)  # noqa: T201


def announcement(settings: Settings, place: str) -> str:
    """Where the service is, where its data is (`place`), and a line that starts a crawl."""
    host = reached_at(settings.host)
    url = f"http://[{host}]:{settings.port}" if ":" in host else f"http://{host}:{settings.port}"
    needs_key = settings.registration == "key"
    makes_key = "alarum keys create" if settings.redis else f"alarum keys create --data-dir {shlex.quote(place)}"
    key = ["    -H 'Authorization: Bearer KEY' \\"] if needs_key else []
    return "\n".join(
        [
            f"Alarum {__version__} is at {url}",
            f"Its data: {place}",
            f"Its reference: {url}/docs",
            "",
            f"Start a crawl, with a KEY from `{makes_key}`:" if needs_key else "Start a crawl:",
            f"  curl {url}/v1/crawls -H 'Content-Type: application/json' \\",
            *key,
            """    -d '{"ruleset": "derelict", "party": [{"name": "Kara"}, {"name": "Bram"}]}'""",
            "",
            "Stop with Ctrl-C.",
        ]
    )


def say(sentence: str) -> None:
    """One line for whoever watches the terminal or the log."""
    logging.getLogger("alarum.serve").warning("%s", sentence)

"""Pages for those who write programs around a crawl, and the programs that they show."""

from __future__ import annotations

from importlib.resources import files


def read(name: str) -> str:
    """One of the files that lie here."""
    return files("service.api.guides").joinpath(name).read_text("utf-8")

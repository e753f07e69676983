"""How a stretch of time is said: "1 h", "45 min", "1 h 30 min", "2 min 30 s"."""

from __future__ import annotations


def said(seconds: int) -> str:
    """Whole seconds in hours, minutes and seconds, what is nothing left out; "0 min" for none at all."""
    hours, rest = divmod(seconds, 3600)
    minutes, rest = divmod(rest, 60)
    parts = ((hours, "h"), (minutes, "min"), (rest, "s"))
    return " ".join(f"{number} {unit}" for number, unit in parts if number) or "0 min"

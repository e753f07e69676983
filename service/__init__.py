"""Alarum keeps the time, the alarm and the dice of a dungeon crawl."""

__version__ = "0.1.0"

"""How many streams there may be. In a file apart, since gunicorn reads it before there is a worker."""

from __future__ import annotations

MAX_STREAMS = 4_000
"""In one process: with some 20 KB each (`./run bench streams`) they take about as much memory as the process itself,
and a core tells all of them of an event within a second."""


MAX_STREAMS_A_CRAWL = 100
"""In one process: many times a table with its screens, and no crawl can take the place of all others."""

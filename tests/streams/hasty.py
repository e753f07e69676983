"""The application as gunicorn loads it, but in a hurry: what takes minutes takes moments."""

from __future__ import annotations

from service.app import create_app
from service.crawls.streaming import Pace
from service.settings import read_settings

app = create_app(read_settings(), pace=Pace(heartbeat=0.2, look=0.4, patience=1.0))

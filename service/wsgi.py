"""The application for a WSGI server such as gunicorn: `gunicorn service.wsgi:app`."""

from __future__ import annotations

import logging

from service.app import create_app
from service.settings import read_settings

settings = read_settings()
logging.basicConfig(level=settings.log_level, format="%(asctime)s %(name)s %(levelname)s %(message)s")
app = create_app(settings)

"""The application for a WSGI server such as gunicorn: `gunicorn service.wsgi:app`."""

from __future__ import annotations

from logging.config import dictConfig

from service.app import create_app
from service.settings import read_settings

settings = read_settings()
dictConfig(settings.logging)
app = create_app(settings)

"""The application for a WSGI server such as gunicorn: `gunicorn service.wsgi:app`."""

from __future__ import annotations

from service.app import create_app
from service.settings import read_settings

app = create_app(read_settings())

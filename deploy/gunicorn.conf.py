"""For those who run gunicorn themselves: gunicorn -c gunicorn.conf.py service.wsgi:app

The settings are the ones that `alarum serve` uses, after the same ALARUM_… variables; what you write below wins.
Run `alarum worker` beside it, which sends the webhooks.
"""

import sys

from service.serving.embedding import look_over
from service.serving.errors import CannotServe
from service.serving.web import gunicorn_settings
from service.settings import read_settings

globals().update(gunicorn_settings(read_settings()))


def on_starting(server: object) -> None:
    """Says what is weak in the store's settings; with ALARUM_STRICT=1 nothing is served on such a one."""
    try:
        look_over(read_settings())
    except CannotServe as error:
        sys.exit(f"alarum: {error}")

"""For those who run gunicorn themselves: gunicorn -c gunicorn.conf.py service.wsgi:app

The settings are the ones that `alarum serve` uses, after the same ALARUM_… variables; what you write below wins.
Run `alarum worker` beside it, which sends the webhooks.
"""

from service.serving.web import gunicorn_settings
from service.settings import read_settings

globals().update(gunicorn_settings(read_settings()))

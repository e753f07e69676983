"""What is asked of webhooks."""

from __future__ import annotations

from typing import get_args

from service.api.schemas.fields import Choice, Each, Moment, Text, Whole
from service.api.schemas.shape import Shape
from service.api.schemas.submissions import NOTE
from service.crawls.webhooks import EVENT_TYPES, GRACE_SECONDS
from service.rules.model import Audience
from service.webhooks.formats import FORMATS
from service.webhooks.guard import MAX_URL


class WebhookStart(Shape):
    """Where events are to be sent; without `events`, all of them."""

    url = Text(MAX_URL, required=True)
    events = Each(Choice(*EVENT_TYPES), len(EVENT_TYPES), least=1)
    format = Choice(*FORMATS)
    audience = Choice(*get_args(Audience))
    description = Text(NOTE, least=0, optional=True)


class WebhookChange(Shape):
    """A JSON merge patch over a webhook. "active" wakes one that was paused or disabled."""

    url = Text(MAX_URL)
    events = Each(Choice(*EVENT_TYPES), len(EVENT_TYPES), least=1)
    format = Choice(*FORMATS)
    audience = Choice(*get_args(Audience))
    description = Text(NOTE, least=0, optional=True)
    status = Choice("active", "paused")


class Rotation(Shape):
    """How long the old secret stays valid beside the new one; a day when nobody says, and with 0 not at all."""

    grace_seconds = Whole(0, 7 * 24 * 3600, metadata={"default": GRACE_SECONDS})


class Recovery(Shape):
    """From when on, and until when, what did not arrive is to be sent again."""

    since = Moment(required=True)
    until = Moment(optional=True)

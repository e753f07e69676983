"""What is asked of tokens."""

from __future__ import annotations

from typing import get_args

from service.api.schemas.fields import Choice, Text, Truth
from service.api.schemas.shape import Shape
from service.api.schemas.submissions import NAME
from service.store.records import Role


class TokenWanted(Shape):
    """Who is to enter: a GM or a player, bound to one character or to none, or only to read."""

    role = Choice(*get_args(Role), required=True)
    character = Text(NAME, optional=True)
    label = Text(NAME, least=0, optional=True)
    reads_only = Truth(optional=True)


class PairingCode(Shape):
    """The code as the GM was shown it; its case, and what parts it, do not matter."""

    code = Text(NAME, required=True)

"""Why the service cannot begin."""


class CannotServe(Exception):
    """The service cannot begin; the message says why and what to do, in one line."""

"""Schemas of what comes in and what goes out, as instances built once: building one costs more than a whole request."""

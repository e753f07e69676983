"""alarum openapi."""

from __future__ import annotations

import sys

import click


@click.command(
    epilog="""\b
Example:
  alarum openapi > openapi.yaml"""
)
def openapi() -> None:
    """Print the API's description (OpenAPI 3.1 in YAML)."""
    from service.api.openapi import document_yaml

    sys.stdout.write(document_yaml())

"""A scrape, read as Prometheus reads it."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.request import urlopen

from prometheus_client.parser import text_string_to_metric_families


class Scraped:
    """Figures by name and labels."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.samples: Mapping[tuple[str, frozenset[tuple[str, str]]], float] = {
            (sample.name, frozenset(sample.labels.items())): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        }

    def names(self) -> set[str]:
        return {name for name, _ in self.samples}

    def of(self, name: str, **labels: str) -> float:
        """The sum over what has these labels; 0 where there is none."""
        wanted = set(labels.items())
        return sum(value for (each, found), value in self.samples.items() if each == name and wanted <= found)


def scrape(url: str) -> Scraped:
    with urlopen(f"{url}/metrics", timeout=5) as answer:
        return Scraped(answer.read().decode())

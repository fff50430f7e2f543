"""The documents that pages are made of."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lab.docs_pages.tools import ROOT


@dataclass(frozen=True, slots=True)
class Document:
    """A document.

    Attributes:
        name: its name on the page.
        path: its file in this repository, or in the corpus.
        title: its title, which a page shows when it is ready.
        about: its size in words.
    """

    name: str
    path: Path
    title: str
    about: str

    def file(self, corpus: Path) -> Path:
        return ROOT / self.path if (ROOT / self.path).exists() else corpus / self.path


PARTNER = Document(
    "partner-esim",
    Path("spec", "openapi.json"),
    "Partner eSIM Service API",
    "the contract of the reference service, with 16 operations and 9 webhooks",
)
ORDINARY = Document(
    "Lago",
    Path("specs", "lago.yaml"),
    "Lago API documentation",
    "202 operations and 61 webhooks",
)
LARGEST = Document(
    "GitHub",
    Path("specs", "github-2022-07.json"),
    "GitHub's official OpenAPI spec + Octokit extension",
    "874 operations, the most in the corpus",
)
DOCUMENTS = (PARTNER, ORDINARY, LARGEST)
# One of each thing that a reader looks for.
POINTS = Document("points", Path("lab", "docs_pages", "points.yaml"), "The aviary", "4 operations")

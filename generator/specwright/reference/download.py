"""The document as readers can download it."""

from __future__ import annotations

import json
from dataclasses import dataclass

from specwright.document.model import Document
from specwright.document.sources.load import is_json


@dataclass(frozen=True, slots=True)
class DocumentFile:
    """A file with the document."""

    name: str
    text: str


def download(document: Document) -> DocumentFile:
    """Return the file of a document as it was read, or one with all of its files.

    The latter is JSON, as comments and the style of YAML belong to files.
    """
    source = document.source
    if len(document.sources) > 1:
        data = document.original.data
        return DocumentFile("openapi.json", json.dumps(data, indent=2, ensure_ascii=False) + "\n")
    suffix = "json" if is_json(source.file, source.text) else "yaml"
    return DocumentFile(f"openapi.{suffix}", source.text)

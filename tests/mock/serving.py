"""Documents that `specwright mock` serves in a process of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from tests.generate_cli.running import Running, running


@dataclass
class MockedDocument:
    """A served document.

    Attributes:
        url: the base URL that the command names.
        before: the lines before that.
        command: the command, which ends with the test.
    """

    url: str
    before: list[str]
    command: Running

    def request(
        self, path: str, method: str = "GET", headers: Mapping[str, str] | None = None
    ) -> httpx2.Response:
        return httpx2.request(method, f"{self.url}{path}", headers=headers)


@contextmanager
def mocked(directory: Path, document: Mapping[str, Any]) -> Iterator[MockedDocument]:
    """Serve a document until the end of the block."""
    content = {"openapi": "3.1.1", "info": {"title": "Mocked", "version": "1"}, **document}
    (directory / "openapi.json").write_text(json.dumps(content, indent=1), "utf-8")
    with running(directory, "mock", "openapi.json") as command:
        before = []
        while " serves openapi.json until " not in (line := command.line()):
            before.append(line)
        yield MockedDocument(line.split()[0], before, command)


def responses(**declared: Any) -> dict[str, Any]:
    """Responses by status, with the content of JSON that each of them has."""
    return {
        status.removeprefix("_"): {
            "description": "A response.",
            **({} if content is None else {"content": {"application/json": content}}),
        }
        for status, content in declared.items()
    }


def success(content: Any) -> dict[str, Any]:
    """An operation with one response."""
    return {"responses": responses(_200=content)}

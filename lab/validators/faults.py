"""Broken documents: each has one fault, and is right once a text in it is replaced."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

BROKEN = Path(__file__).with_name("broken")
# The chapters of the page.
KINDS = (
    *("structure", "paths", "parameters", "responses and bodies", "schemas", "discriminators"),
    *("references", "security", "servers", "operations and tags", "links, callbacks and webhooks"),
    *("components", "text"),
)
# The file of a fault is read as bytes with a letter each: one of the faults is no UTF-8.
_BYTES = "latin-1"
DOCUMENT = "openapi.yaml"


@dataclass(frozen=True, slots=True)
class Fault:
    """A document with a fault.

    Attributes:
        name: the name of its folder.
        about: what is wrong, in a sentence.
        kind: the part of the specification that it is about, one of `KINDS`.
        section: the section of OpenAPI, or of YAML, that it breaks.
        line: the line where a reader has to look.
        wrong: the text with the fault, which occurs once.
        right: the text that would be right there.
        unrelated: per tool, rules with messages that the fault causes and that are not about it.
        missed: why Specwright does not find it; empty if it does.
    """

    name: str
    about: str
    kind: str
    section: str
    line: int
    wrong: str
    right: str
    unrelated: dict[str, list[str]] = field(default_factory=dict)
    missed: str = ""

    @property
    def broken(self) -> bytes:
        """The document with the fault."""
        return (BROKEN / self.name / DOCUMENT).read_bytes()

    @property
    def control(self) -> bytes:
        """The document without the fault."""
        text = self.broken.decode(_BYTES)
        return text.replace(self.wrong, self.right, 1).encode(_BYTES)


def faults() -> list[Fault]:
    """Return all faults, by kind and name."""
    return sorted(_load(), key=lambda fault: (KINDS.index(fault.kind), fault.name))


def _load() -> Iterator[Fault]:
    for folder in BROKEN.iterdir():
        fields: dict[str, Any] = tomllib.loads((folder / "fault.toml").read_text("utf-8"))
        yield Fault(folder.name, **fields)

"""A document of OpenAPI 3.0 in the making, from one of Swagger 2.0."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from specwright.document.model import Document, Remark
from specwright.document.moves import Moves
from specwright.document.sources.swagger.media_types import MediaTypePlaces, MediaTypes
from specwright.json_values import JsonObject, JsonValue, mapping, sequence
from specwright.pointer import Pointer, join

_IN_BODY = frozenset(("body", "formData"))


@dataclass(frozen=True, slots=True)
class Draft:
    """A conversion in progress.

    Attributes:
        document: the document as it is written.
        moves: the parts that are elsewhere in the new document.
        remarks: the parts that cannot be kept.
    """

    document: Document
    media_types: MediaTypes
    moves: Moves = field(default_factory=Moves)
    remarks: list[Remark] = field(default_factory=list)

    @classmethod
    def of(cls, document: Document) -> Draft:
        return cls(document, MediaTypes(document))

    def remark(self, rule: str, pointer: Pointer, message: str) -> None:
        """Record a part that cannot be kept."""
        self.remarks.append(Remark(rule, pointer, message))

    def move_contents(self, new: Pointer, old: Pointer, places: MediaTypePlaces) -> None:
        """Record that the content of a body was made, from the places of its media types."""
        self.moves.add_inner(new + join("content"), old)
        for name, place in places.items():
            self.moves.add_inner(new + join("content", name), place)


@dataclass(frozen=True, slots=True)
class SentParameter:
    """A parameter in a list.

    Attributes:
        listed: its place in the list.
        pointer: the place of its definition, which may be elsewhere.
    """

    listed: Pointer
    pointer: Pointer
    value: JsonObject

    @classmethod
    def of(cls, document: Document, value: JsonValue, at: Pointer) -> SentParameter:
        """Return the parameter at a place, or that it refers to."""
        pointer, target = document.end(at, value)
        return cls(at, pointer, mapping(target))

    @property
    def key(self) -> tuple[JsonValue, JsonValue]:
        """Its place and name, which identify it in its operation."""
        return self.value.get("in"), self.value.get("name")

    @property
    def place(self) -> JsonValue:
        """Where it is sent, such as `query` or `body`."""
        return self.value.get("in")

    @property
    def is_in_body(self) -> bool:
        return self.place in _IN_BODY


def sent(document: Document, listed: JsonValue, at: Pointer) -> Iterator[SentParameter]:
    """Yield the parameters in the list of an operation or a path item, references followed."""
    for index, value in enumerate(sequence(listed)):
        yield SentParameter.of(document, value, at + join("parameters", index))

"""A key of the vocabulary: its places and its value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, Literal, TypeVar, cast

from specwright.json_values import JsonValue
from specwright.pointer import ROOT
from specwright.vocabulary.policy import ChangePolicy
from specwright.vocabulary.reference import Reference
from specwright.vocabulary.shape import Path, Schema, shape

PREFIX = "x-contract-"

T_co = TypeVar("T_co", covariant=True)


class Place(StrEnum):
    """The kinds of objects that may carry a declaration."""

    DOCUMENT = "document"
    OPERATION = "operation"
    WEBHOOK = "webhook"
    PARAMETER = "parameter"
    SCHEMA = "schema"
    PROPERTY = "property"


class KeywordReader(StrEnum):
    """The parts of the toolkit that act on declarations."""

    CLIENT = "the client"
    STUB = "the server stub"
    TESTS = "the contract tests"
    REVIEW = "the review of changes"


# For duties of a server, which a caller only meets; for behaviour that is only seen from outside.
SERVED = (KeywordReader.STUB, KeywordReader.TESTS, KeywordReader.REVIEW)
OBSERVED = (KeywordReader.TESTS, KeywordReader.REVIEW)


# Without slots: Python 3.11 cannot create `Keyword[Capacity](…)` from a frozen class with slots.
@dataclass(frozen=True, eq=False)
class Keyword(Generic[T_co]):
    """One key.

    Attributes:
        hint: the type of its value, annotated with limits and descriptions.
        example: an example value, for people.
        readers: the parts that act on the declaration; a test holds each of them to it.
        methods: the methods of the operations that may declare it; all if empty.
    """

    name: str
    places: tuple[Place, ...]
    hint: object
    example: JsonValue
    readers: tuple[KeywordReader, ...] = tuple(KeywordReader)
    methods: tuple[Literal["GET", "POST", "PUT", "PATCH", "DELETE"], ...] = ()

    @property
    def attribute(self) -> str:
        """The name of the declaration in templates."""
        return self.name.removeprefix(PREFIX).replace("-", "_")

    def schema(self) -> Schema:
        """Return the JSON Schema of the value, complete in itself."""
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            **shape(self.hint).schema(),
        }

    def read(self, holder: Mapping[str, object]) -> T_co | None:
        """Return an object's declaration, in the shape of `schema`; None if it is missing."""
        if self.name not in holder:
            return None
        return cast("T_co", shape(self.hint).read(holder[self.name]))

    def references(self, declared: object) -> tuple[Reference, ...]:
        """Return the references in a value that has the shape of `schema`."""
        return tuple(shape(self.hint).references(declared, ROOT, {}))

    def policies(self) -> tuple[tuple[Path, ChangePolicy], ...]:
        """Return the policies of the parts that are judged, by their paths in the value."""
        return tuple(shape(self.hint).policies())

"""A key of the vocabulary: where it may stand, and what its value is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, TypeVar, cast

from specwright.pointer import ROOT
from specwright.vocabulary.reference import Reference
from specwright.vocabulary.shape import Schema, shape

PREFIX = "x-contract-"

T = TypeVar("T")


class Place(StrEnum):
    """The kinds of objects that may carry a declaration."""

    DOCUMENT = "document"
    OPERATION = "operation"
    WEBHOOK = "webhook"
    PARAMETER = "parameter"
    SCHEMA = "schema"
    PROPERTY = "property"


class Reader(StrEnum):
    """The parts of the toolkit that act on declarations."""

    CLIENT = "the client"
    STUB = "the server stub"
    TESTS = "the contract tests"
    REVIEW = "the review of changes"


# Of what a server does, and a caller only meets; of what is seen from outside alone.
SERVED = (Reader.STUB, Reader.TESTS, Reader.REVIEW)
OBSERVED = (Reader.TESTS, Reader.REVIEW)


# Without slots: Python 3.11 cannot make `Keyword[Capacity](…)` of a frozen class that has them.
@dataclass(frozen=True, eq=False)
class Keyword(Generic[T]):
    """One key.

    Attributes:
        hint: the type of its value, with what is to be said of it.
        example: a value, for people.
        readers: those that act on the declaration; a test holds each of them to it.
        methods: of the operations that may declare it; all if empty.
    """

    name: str
    places: tuple[Place, ...]
    hint: object
    example: object
    readers: tuple[Reader, ...] = tuple(Reader)
    methods: tuple[str, ...] = ()

    @property
    def attribute(self) -> str:
        """The name by which templates know the declaration."""
        return self.name.removeprefix(PREFIX).replace("-", "_")

    def schema(self) -> Schema:
        """Return the JSON Schema of the value, complete in itself."""
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            **shape(self.hint).schema(),
        }

    def read(self, holder: Mapping[str, Any]) -> T | None:
        """Return what an object declares, in the shape of `schema`; None when it does not."""
        if self.name not in holder:
            return None
        return cast("T", shape(self.hint).read(holder[self.name]))

    def references(self, declared: Any) -> tuple[Reference, ...]:
        """Return what a value, which has the shape of `schema`, refers to."""
        return tuple(shape(self.hint).references(declared, ROOT, {}))

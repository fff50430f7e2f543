"""The parts of a document that this program fails on, so that it can do without them.

An error of this program, or of a library below it, in one schema or operation must not cost all
others. The part is found by trials: of all schemas, then of all operations, halves are tried until
one is left that fails alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from typing import TypeVar

from jsonschema_rs.canonical.schema import clone

from specwright.check.repair.edits import Edit, apply
from specwright.document.model import Document
from specwright.document.operations.usage import OperationUsage
from specwright.errors import SpecwrightError
from specwright.json_values import mapping
from specwright.models.generate import ModelsError
from specwright.pointer import Pointer, join, split

T = TypeVar("T")
Attempt = Callable[[Document], T]

# A document with more of them has a cause that is not in its parts.
_MOST = 20
# Processor time for all trials: they have no limits of their own, as a process for models has.
_SECONDS = 120.0


class _OutOfTimeError(Exception):
    """No part was found in the time for trials."""


@dataclass(frozen=True, slots=True)
class Culprit:
    """A part of a document, and the error that it causes.

    Attributes:
        pointer: that of a component schema, an operation or a webhook.
    """

    pointer: Pointer
    error: Exception

    @property
    def is_schema(self) -> bool:
        return split(self.pointer)[:2] == ("components", "schemas")

    @property
    def message(self) -> str:
        """The error and its cost."""
        cost = "models allow any value here" if self.is_schema else "it is left out"
        if isinstance(self.error, ModelsError):
            return f"{self.error.reason}; {cost}"
        return f"specwright fails on this, which is a bug ({type(self.error).__name__}); {cost}"


def is_failure(error: Exception) -> bool:
    """Return whether an error is one of this program, and not a message to its user."""
    if isinstance(error, ModelsError):
        return True
    return not isinstance(error, SpecwrightError | MemoryError | RecursionError | OSError)


def without_culprits(
    document: Document, error: Exception, attempt: Attempt[T]
) -> tuple[T, Document, Sequence[Culprit]]:
    """Return the result for a document without the parts that fail, that document, and the parts.

    A schema that fails is replaced by one that allows any value; an operation is removed.

    Args:
        error: that of the whole document.
        attempt: makes something of a document.

    Raises:
        Exception: the error, if no part of the document causes it alone, or none is found in time.
    """
    culprits: list[Culprit] = []
    end = time.process_time() + _SECONDS
    while len(culprits) < _MOST:
        try:
            culprit = _culprit(document, attempt, end)
        except _OutOfTimeError:
            break
        if culprit is None:
            break
        culprits.append(culprit)
        document = _without(document, culprit)
        try:
            return attempt(document), document, culprits
        except Exception as another:
            if not is_failure(another):
                raise
            error = another
    raise error


def _culprit(document: Document, attempt: Attempt[object], end: float) -> Culprit | None:
    """Return the smallest part that fails alone: a schema, or else an operation.

    Args:
        end: the processor time at which no further trial begins.
    """
    trial = _Trial(document, OperationUsage(document), attempt, end)
    schemas = mapping(mapping(document.data.get("components")).get("schemas"))
    parts = [join("components", "schemas", name) for name in schemas]
    culprit = trial.first(parts)
    tried = set[Pointer]()
    # A schema also fails because of those that it refers to.
    while culprit is not None and culprit.pointer not in tried:
        tried.add(culprit.pointer)
        needed = trial.usage.needed_by([culprit.pointer]) - tried
        culprit = trial.first([part for part in parts if part in needed]) or culprit
    return culprit or trial.first(trial.usage.holders)


@dataclass(frozen=True, slots=True)
class _Trial:
    document: Document
    usage: OperationUsage
    attempt: Attempt[object]
    end: float

    def first(self, parts: Sequence[Pointer]) -> Culprit | None:
        """Return one of the parts that fails alone with all that it needs; None if none does."""
        error = self._error(parts)
        while error is not None and len(parts) > 1:
            half = len(parts) // 2
            first_error = self._error(parts[:half])
            # The second half is not tried: parts of it are, and the last one in any case.
            parts = parts[half:] if first_error is None else parts[:half]
            error = first_error or (self._error(parts) if len(parts) == 1 else error)
        return None if error is None else Culprit(parts[0], error)

    def _error(self, parts: Sequence[Pointer]) -> Exception | None:
        """Return the error of a document that has only these parts, and all that they need."""
        if not parts:
            return None
        if time.process_time() > self.end:
            raise _OutOfTimeError
        try:
            self.attempt(self._only(parts))
        except Exception as error:
            return error if is_failure(error) else None
        return None

    def _only(self, parts: Sequence[Pointer]) -> Document:
        needed = self.usage.needed_by(parts)
        components = mapping(self.document.data.get("components"))
        known = {
            join("components", kind, name)
            for kind, named in components.items()
            if kind != "securitySchemes"
            for name in mapping(named)
        }
        return _reduced(self.document, known.union(self.usage.holders) - needed)


def _without(document: Document, culprit: Culprit) -> Document:
    if culprit.is_schema:
        data = clone(document.data)
        return apply(document.with_data(data), [Edit(culprit.pointer, {})])
    return _reduced(document, {culprit.pointer})


def _reduced(document: Document, parts: Set[Pointer]) -> Document:
    """Return the document without some parts, and without the path items that refer to them."""
    data = clone(document.data)
    items = [
        join(field, name)
        for field in ("paths", "webhooks")
        for name, item in mapping(data.get(field)).items()
        if document.is_local(ref := mapping(item).get("$ref")) and document.target(ref) in parts
    ]
    return apply(document.with_data(data), map(Edit, [*parts, *items]))

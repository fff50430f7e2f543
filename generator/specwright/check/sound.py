"""The part of a document that is free of errors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from jsonschema_rs.canonical.schema import clone

from specwright.check.checks import check
from specwright.document.model import Document
from specwright.document.operations.sites import OperationSite, operations
from specwright.document.operations.usage import OperationUsage
from specwright.findings import Finding, Level
from specwright.json_values import mapping
from specwright.pointer import Pointer, join, resolve, split
from specwright.policy import Settings

# Parts where an error affects the operations around it, and those that refer to it; elsewhere it
# affects all of them.
_IN_PARTS = frozenset({"components", "paths", "webhooks"})


@dataclass(frozen=True, slots=True)
class Sound:
    """A document without the operations that its errors affect.

    Attributes:
        left_out: these operations, with the first error of each.
        errors: all errors.
    """

    document: Document
    left_out: tuple[tuple[OperationSite, Finding], ...]
    errors: tuple[Finding, ...]

    @property
    def is_usable(self) -> bool:
        """Whether any operation is left, and no error affects all of them."""
        everywhere = (error for error in self.errors if not _is_in_part(error))
        return next(everywhere, None) is None and any(operations(self.document))


def sound(document: Document) -> Sound:
    """Remove the operations that errors affect from an upgraded document."""
    findings = check(document, Settings()).findings
    errors = tuple(finding for finding in findings if finding.level is Level.ERROR)
    if not errors:
        return Sound(document, (), ())
    usage = OperationUsage(document)
    concerned = {
        operation: error for error in reversed(errors) for operation in usage.reaching(error.places)
    }
    sites = {operation.pointer: operation for operation in operations(document)}
    left_out = tuple((sites[each], error) for each, error in concerned.items())
    return Sound(without(document, concerned), left_out, errors)


def without(document: Document, pointers: Iterable[Pointer]) -> Document:
    """Return a document without the operations at these places."""
    data = clone(document.data)
    # Callbacks are in the operations that ask for them, so the inner ones come first.
    for pointer in sorted(pointers, key=len, reverse=True):
        *item, method = split(pointer)
        mapping(resolve(data, join(*item))).pop(method, None)
    return document.with_data(data)


def _is_in_part(error: Finding) -> bool:
    return all(split(place)[:1] in [(part,) for part in _IN_PARTS] for place in error.places)

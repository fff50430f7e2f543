"""The types of error bodies."""

from __future__ import annotations

from collections.abc import Iterable

from specwright.document.model import Document
from specwright.document.normalise import COMPONENTS
from specwright.document.operations.sites import Site, follow
from specwright.ir.kinds import kinds
from specwright.ir.model.api import ErrorTypes
from specwright.ir.model.operations import OperationDefinition
from specwright.ir.model.values import Kind, optional
from specwright.ir.pages import walk
from specwright.ir.types import Types
from specwright.pointer import join, resolve
from specwright.text import Text
from specwright.vocabulary.keywords.error import ERROR

# With more types than people read, a caller names the class that is meant.
MOST_BODIES = 8


def error_body(operations: Iterable[OperationDefinition]) -> str:
    """Return the annotation of an error body, for the failures of all operations."""
    failures = (r for operation in operations for r in operation.responses if not r.is_success)
    annotations = {failure.json.annotation for failure in failures if failure.json is not None}
    names = sorted(annotations - {"None"})
    if "object" in annotations or len(names) > MOST_BODIES:
        return "object"
    return optional(" | ".join(names)) if names else "None"


def error_types(document: Document, types: Types) -> ErrorTypes | None:
    """Return the types of the error body; None if the document does not declare one."""
    declared = ERROR.read(document.data)
    if declared is None:
        return None
    pointer = COMPONENTS + join(declared.schema.raw.rpartition("/")[2])
    body = follow(document, pointer, resolve(document.data, pointer))
    _, details = walk(document, types, body, declared.details)
    items = details.value.get("items")
    return ErrorTypes(
        code=_text(document, types, body, declared.code),
        type=_text(document, types, body, declared.type),
        detail=types.slot(details / "items", items) if isinstance(items, dict) else None,
    )


def _text(document: Document, types: Types, body: Site, place: Text | None) -> str:
    """Return the annotation of a text at a place of the body, which may get later values."""
    _, schema = walk(document, types, body, place)
    known = schema.value and kinds(document, schema.value).kind is Kind.STRING
    named = types.annotation(schema.pointer, schema.value).split(" | ") if known else []
    return " | ".join(dict.fromkeys([*named, "str", "None"]))

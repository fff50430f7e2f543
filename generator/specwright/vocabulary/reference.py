"""References of a declaration to parts of its document, which must exist."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from specwright.json_values import JsonValue
from specwright.pointer import Pointer


class Target(StrEnum):
    """The kind of part that a reference names, and so the place where lint looks for it."""

    SCHEMA = "a schema of the document"
    ERROR_BODY = "a place in the error body"
    REQUEST_BODY = "a place in the request body"
    RESPONSE_BODY = "a place in the body of the first 2XX response"
    ITEM = "a place in an item of the list"
    QUERY_PARAMETER = "a query parameter of the operation"
    PAGE_ARGUMENT = "a query parameter of the operation, or a place in its request body"
    HEADER_PARAMETER = "a header parameter of the operation"
    RESPONSE_HEADER = "a response header"
    RESPONSE_STATUS = "a response of the operation"
    ERROR_CODE = "a code of the shared error body"
    RATE_LIMIT_CLASS = "a rate limit class of the document"
    OPERATION = "an operationId"
    REQUEST_EXAMPLE = "a request body example of the operation"
    CHOOSING_PROPERTY = "a property that chooses an item"


@dataclass(frozen=True, slots=True)
class Reference:
    """A part of the document that a declaration names and that must exist.

    `at` is the pointer of the naming member inside the declaration. `status` narrows a response
    header to one response, and is the required status of an error code. `operation` is the
    operationId in which to look, if it is not that of the operation with the declaration.
    """

    target: Target
    name: str
    at: Pointer
    status: int | None = None
    operation: str | None = None


@dataclass(frozen=True, slots=True)
class Names:
    """The mark of a member that is a reference.

    `status` and `operation` are the members beside it that hold those values of `Reference`.
    """

    target: Target
    status: str = ""
    operation: str = ""

    def reference(self, name: object, at: Pointer, beside: Mapping[str, JsonValue]) -> Reference:
        """Return the reference of a member with this value."""
        status, operation = beside.get(self.status), beside.get(self.operation)
        return Reference(
            self.target,
            str(name),
            at,
            status if isinstance(status, int) else None,
            operation if isinstance(operation, str) else None,
        )

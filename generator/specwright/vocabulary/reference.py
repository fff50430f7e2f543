"""What a declaration names, and what must therefore be in its document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from specwright.pointer import Pointer


class Target(StrEnum):
    """What a reference names, and so where lint looks for it."""

    SCHEMA = "a schema of the document"
    ERROR_BODY = "a place in the error body"
    REQUEST_BODY = "a place in the request body"
    RESPONSE_BODY = "a place in the body of the first 2XX response"
    ITEM = "a place in an item of the list"
    QUERY_PARAMETER = "a query parameter of the operation"
    HEADER_PARAMETER = "a header parameter of the operation"
    RESPONSE_HEADER = "a response header"
    RESPONSE_STATUS = "a response of the operation"
    ERROR_CODE = "a code of the shared error body"
    RATE_LIMIT_CLASS = "a rate limit class of the document"
    OPERATION = "an operationId"
    REQUEST_EXAMPLE = "a request body example of the operation"


@dataclass(frozen=True, slots=True)
class Reference:
    """Something that a declaration names and that must exist.

    `at` is the pointer of the naming member inside the declaration. `status` narrows a response
    header to one response, and says which status an error code must have. `operation` is the
    operationId in which to look when that is not the operation that carries the declaration.
    """

    target: Target
    name: str
    at: Pointer
    status: int | None = None
    operation: str | None = None


@dataclass(frozen=True, slots=True)
class Names:
    """Marks a member that is a reference.

    `status` and `operation` are the members beside it that hold what `Reference` calls so.
    """

    target: Target
    status: str = ""
    operation: str = ""

    def reference(self, name: object, at: Pointer, beside: Mapping[str, Any]) -> Reference:
        """Make the reference of a member with this value."""
        return Reference(
            self.target, str(name), at, beside.get(self.status), beside.get(self.operation)
        )

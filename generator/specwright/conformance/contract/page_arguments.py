"""The arguments of a list that choose a page: query parameters, or members of a JSON body."""

from __future__ import annotations

from dataclasses import dataclass

from specwright.conformance.contract.calls import Absent, OperationCall
from specwright.conformance.contract.contract import Contract, ContractOperation
from specwright.conformance.contract.samples import number
from specwright.conformance.contract.value_parts import in_place
from specwright.conformance.recording.exchange import value_at
from specwright.json_values import JsonValue, mapping
from specwright.pointer import Pointer, join, split
from specwright.text import Text
from specwright.vocabulary.keywords.pagination import (
    PAGINATION,
    PaginationContract,
    is_in_body,
)


@dataclass(frozen=True, slots=True)
class PageArgument:
    """A query parameter, or a member of the body, that chooses a page or its size.

    Attributes:
        name: as the declaration names it.
        place: the pointer of the parameter, or of the schema of the member.
        pointer: that of its schema.
        schema: its schema, without a reference.
    """

    name: Text
    place: Pointer
    pointer: Pointer
    schema: JsonValue

    def given(self, call: OperationCall, value: JsonValue) -> OperationCall:
        """Return the same call with this value."""
        return with_value(call, self.name, value)


def page_argument(
    contract: Contract, operation: ContractOperation, name: Text | None
) -> PageArgument | None:
    """Return an argument for pages by its declared name; None if the operation does not have it."""
    if name is None:
        return None
    if not is_in_body(name):
        slot = operation.slot(f"query.{name.raw}")
        place, pointer = (None, None) if slot is None else (slot.site.pointer, slot.schema)
    else:
        pointer = contract.body_schema(operation)
        for token in split(name.raw):
            pointer = None if pointer is None else _member(contract, pointer, token)
        place = pointer
    if place is None or pointer is None:
        return None
    schema = contract.document.follow(value_at(contract.document.data, pointer))
    return PageArgument(name, place, pointer, schema)


def with_value(call: OperationCall, name: Text, value: JsonValue) -> OperationCall:
    """Return the same call with another value of an argument for pages."""
    if is_in_body(name):
        return call.with_member(name.raw, value)
    return call.with_argument(("query", name.raw), value)


def value_of(call: OperationCall, name: Text) -> JsonValue:
    """Return the value of an argument for pages in a call; None if the call does not have it."""
    if is_in_body(name):
        return None if isinstance(call.body, Absent) else value_at(call.body, name.raw)
    return call.arguments.get(("query", name.raw))


def largest(call: OperationCall, contract: Contract) -> OperationCall:
    """Return the same call for a page as large as may be requested, if that is declared."""
    page = call.operation.get(PAGINATION)
    limit = page_argument(contract, call.operation, page.limit) if page is not None else None
    most = number(mapping(limit.schema).get("maximum")) if limit is not None else None
    return call if limit is None or most is None else limit.given(call, int(most))


def from_start(call: OperationCall, page: PaginationContract) -> OperationCall:
    """Return the same call for the first page: without a cursor in its body, and from the start."""
    for name, first in ((page.page, page.first_page), (page.offset, 0)):
        if name is not None and value_of(call, name) is not None:
            call = with_value(call, name, first)
    cursor = page.cursor
    if cursor is not None and is_in_body(cursor) and value_of(call, cursor) is not None:
        holder, _, member = cursor.raw.rpartition("/")
        return call.without_member(holder, split(f"/{member}")[0])
    return call


def chooses_only_pages(body: JsonValue | Absent, page: PaginationContract) -> bool:
    """Return whether a body has no members but those that choose a page."""
    places = {
        name.raw
        for name in (page.limit, page.cursor, page.page, page.offset)
        if name is not None and is_in_body(name)
    }

    def is_known(value: JsonValue, at: Pointer) -> bool:
        if at in places:
            return True
        return isinstance(value, dict) and all(
            is_known(member, at + join(name)) for name, member in value.items()
        )

    return isinstance(body, Absent) or is_known(body, "")


def _member(contract: Contract, schema: Pointer, name: str) -> Pointer | None:
    for at, part in in_place(contract.document, schema):
        if name in mapping(part.get("properties")):
            return at + join("properties", name)
    return None

"""Members of a request body that choose an item of a list (`x-contract-chosen-from`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from specwright.conformance.contract.contract import Contract, ContractOperation
from specwright.conformance.contract.value_parts import in_place
from specwright.json_values import JsonObject, mapping
from specwright.pointer import Pointer, join
from specwright.vocabulary.keywords.chosen_from import CHOSEN_FROM, REQUIRED_WHEN, RequiredWhen
from specwright.vocabulary.keywords.pagination import PAGINATION, PaginationContract


@dataclass(frozen=True, slots=True)
class Required:
    """A member that some items require, with its place and its schema."""

    place: Pointer
    schema: JsonObject
    declared: RequiredWhen


@dataclass(frozen=True, slots=True)
class Choosing:
    """A member that chooses an item.

    Attributes:
        lister: the operation that lists the items; None if the document does not have it, or not
            with ids.
        required: the members that some of the items require, by name.
    """

    name: str
    place: Pointer
    lister: ContractOperation | None
    required: dict[str, Required]

    @property
    def page(self) -> PaginationContract | None:
        """The declaration of the pages of the list."""
        return self.lister.get(PAGINATION) if self.lister else None


def choosing(contract: Contract, operation: ContractOperation) -> Iterator[Choosing]:
    """Yield the members of an operation's body that choose items."""
    schema = contract.body_schema(operation)
    members = {} if schema is None else dict(_members(contract, schema))
    for name, (place, value) in members.items():
        declared = CHOSEN_FROM.read(value)
        if declared is None:
            continue
        lister = contract.by_id.get(declared.list.raw)
        page = lister.get(PAGINATION) if lister is not None else None
        required = {
            other: Required(at, each, rule)
            for other, (at, each) in members.items()
            if (rule := REQUIRED_WHEN.read(each)) is not None and rule.of.raw == join(name)
        }
        yield Choosing(name, place, lister if page is not None and page.id else None, required)


def _members(
    contract: Contract, schema: Pointer
) -> Iterator[tuple[str, tuple[Pointer, JsonObject]]]:
    for at, part in in_place(contract.document, schema):
        for name, each in mapping(part.get("properties")).items():
            if isinstance(each, dict):
                yield name, (at + join("properties", name), each)

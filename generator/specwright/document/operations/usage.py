"""The operations that a part of the document belongs to, directly or by references."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from specwright.document.model import Document
from specwright.document.operations.sites import OperationSite, operations
from specwright.document.schemas.applicators import Subschema
from specwright.document.schemas.discriminators import Discriminators
from specwright.document.shape import METHODS, walk
from specwright.pointer import Pointer, join, split

# A part that refers to others as a whole: an operation, a component, the shared fields of a path
# item, or a field of the document.
_Unit = Pointer
_SECURITY, _SERVERS = join("security"), join("servers")


@dataclass(frozen=True)
class OperationUsage:
    """The operations that parts of a document belong to."""

    document: Document

    def reaching(self, places: Iterable[Pointer]) -> set[Pointer]:
        """Return the pointers of the operations that contain one of the places, or refer to it."""
        reached = set(map(_unit, places))
        pending = list(reached)
        while pending:
            new = self._users.get(pending.pop(), set()) - reached
            reached |= new
            pending.extend(new)
        return {pointer for unit in reached for pointer in self._operations.get(unit, ())}

    def needed_by(self, places: Iterable[Pointer]) -> set[Pointer]:
        """Return the operations and components that some of them refer to, and these themselves."""
        needed: dict[_Unit, set[_Unit]] = defaultdict(set)
        for unit, users in self._users.items():
            for user in users:
                needed[user].add(unit)
        reached = set(map(_unit, places))
        pending = list(reached)
        while pending:
            new = needed[pending.pop()] - reached
            reached |= new
            pending.extend(new)
        return reached

    @property
    def holders(self) -> Sequence[Pointer]:
        """The operations in their order; for those of a callback, its declaration."""
        return list(self._operations)

    @cached_property
    def _operations(self) -> Mapping[_Unit, list[Pointer]]:
        by_unit: dict[_Unit, list[Pointer]] = defaultdict(list)
        for site in operations(self.document):
            by_unit[_unit(site.pointer)].append(site.pointer)
        return by_unit

    @cached_property
    def _users(self) -> Mapping[_Unit, Set[_Unit]]:
        """The parts that refer to each part."""
        return _users(self.document)


def _unit(pointer: Pointer) -> _Unit:
    tokens = split(pointer)
    match tokens[:2]:
        case ("components", "pathItems"):
            item = 3
        case ("components", _):
            return join(*tokens[:3])
        case ("paths" | "webhooks", _):
            item = 2
        case _:
            return join(*tokens[:1])
    if tokens[item : item + 1] == ("additionalOperations",):
        return join(*tokens[: item + 2])
    is_operation = len(tokens) > item and tokens[item] in METHODS
    return join(*tokens[: item + is_operation])


def _users(document: Document) -> dict[_Unit, set[_Unit]]:
    """Return the parts that refer to each part."""
    users: dict[_Unit, set[_Unit]] = defaultdict(set)
    discriminators = Discriminators(document)
    for node in walk(document.data):
        used = [document.target(node.ref)] if node.ref and document.is_local(node.ref) else []
        if node.kind == "schema":
            discriminator = discriminators.of(Subschema(node.pointer, node.value))
            used += discriminator.targets if discriminator else ()
        elif node.kind == "securityRequirement":
            used += [join("components", "securitySchemes", name) for name in node.value]
        for target in used:
            users[_unit(target)].add(_unit(node.pointer))
    for site in operations(document):
        for shared in _shared(site):
            users[shared].add(_unit(site.pointer))
    return users


def _shared(site: OperationSite) -> Iterator[_Unit]:
    """Yield the parts that an operation inherits from around it."""
    yield _unit(site.item.pointer)
    if "security" not in site.value:
        yield _SECURITY
    if "servers" not in site.value and "servers" not in site.item.value:
        yield _SERVERS

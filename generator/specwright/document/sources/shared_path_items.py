"""Path items that several paths refer to become items of their own (OAS 3.1.1, 4.8.9).

An operation is known by its place, in every command; those of a shared item have one place.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from urllib.parse import quote

from jsonschema_rs.canonical.schema import clone

from specwright.document.model import Document
from specwright.document.moves import Moves
from specwright.document.shape import METHODS, walk
from specwright.errors import InputError
from specwright.json_values import JsonObject, JsonValue, mapping
from specwright.pointer import Pointer, join, resolve

# The name of a path or a webhook, after the name of the section that has it.
_User = tuple[str, str]
# The most values to copy: a short document could otherwise ask for any amount of memory.
MOST_VALUES = 500_000


def with_own_path_items(document: Document) -> Document:
    """Return the document with a path item of its own for each path and each webhook.

    Of several that refer to one item, the first keeps its reference, and the others have copies.

    Raises:
        InputError: the copies would be too large.
    """
    shared = _shared(document)
    if not shared:
        return document
    data, moves, count = clone(document.data), Moves(), 0
    for item, users in shared.items():
        value = mapping(resolve(document.data, item))
        first = next((user for user in users if join(*user) == item), users[0])
        if join(*first) != item:
            # Its reference may lead through another path, which is no longer one.
            _put(data, first, {"$ref": f"#{quote(item)}"})
        for member in value:
            moves.add(item + join(member), item + join(member))
        for user in (user for user in users if user != first):
            count += _count(value)
            if count > MOST_VALUES:
                raise InputError(
                    f"path items that several paths refer to have more than {MOST_VALUES:,} values",
                    document.locate(join(*user)),
                    "refer to shared parameters, bodies and responses in them",
                )
            _put(data, user, clone(value))
            _record(moves, item, join(*user), value)
    return document.upgraded(data, moves)


def _shared(document: Document) -> dict[Pointer, list[_User]]:
    """Return the path items that several paths and webhooks have, with these."""
    users: defaultdict[Pointer, list[_User]] = defaultdict(list)
    for section in ("paths", "webhooks"):
        for name, item in mapping(document.data.get(section)).items():
            if not name.startswith("x-"):
                end, _ = document.end(join(section, name), item)
                users[end].append((section, name))
    shared = {item: of_item for item, of_item in users.items() if len(of_item) > 1}
    if not shared:
        return {}
    # A reference to an object of another kind is left to the rule about it.
    items = {node.pointer for node in walk(document.data) if node.kind == "pathItem"}
    return {item: of_item for item, of_item in shared.items() if item in items}


def _put(data: JsonObject, user: _User, item: JsonObject) -> None:
    section, name = user
    mapping(data[section])[name] = item


def _record(moves: Moves, item: Pointer, copy: Pointer, value: JsonObject) -> None:
    """Record the origin of the parts of a copy."""
    for member in value:
        moves.add(copy + join(member), item + join(member))
    for operation in _operations(value):
        # An id belongs to one operation: that of another one is a mistake of its path.
        moves.add_inner(f"{copy}{operation}/operationId", copy)


def _operations(item: JsonObject) -> Iterator[Pointer]:
    """Yield the places of operations in a path item."""
    yield from (join(method) for method in METHODS if method in item)
    for method in mapping(item.get("additionalOperations")):
        yield join("additionalOperations", method)


def _count(value: JsonValue) -> int:
    """Return the number of values in a value."""
    count, pending = 0, [value]
    while pending:
        inner = pending.pop()
        count += 1
        if isinstance(inner, dict):
            pending.extend(inner.values())
        elif isinstance(inner, list):
            pending.extend(inner)
    return count

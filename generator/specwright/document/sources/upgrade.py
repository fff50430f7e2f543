"""Conversion of documents to OpenAPI 3.1, in which each operation has a place of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from jsonschema_rs.canonical.schema import clone

from specwright.document.model import Document
from specwright.document.moves import Moves
from specwright.document.shape import Node, is_swagger, walk
from specwright.document.sources.shared_path_items import with_own_path_items
from specwright.document.sources.swagger.conversion import converted
from specwright.json_values import JsonObject
from specwright.pointer import Pointer

TARGET_VERSION = "3.1.1"

# Keywords that 3.0 readers honour beside `$ref`, although 3.0 says that everything there is
# ignored. Only annotations and `nullable` are kept: constraints would take effect in 3.1.
_KEPT_BESIDE_REF = frozenset(
    {"$ref", "nullable", "title", "summary", "description", "deprecated", "readOnly", "writeOnly"}
)
# Formats of 3.0 that are keywords in 3.1; authors of 3.1 documents still use them.
CONTENT_FORMATS = {
    "byte": ("contentEncoding", "base64"),
    "base64": ("contentEncoding", "base64"),
    "binary": ("contentMediaType", "application/octet-stream"),
}


def upgrade(document: Document) -> Document:
    """Return the same API in 3.1, or in 3.2, with an operation of its own for each path.

    Pointers stay the same wherever 3.1 can express the same in the same place, and have the
    original lines where it cannot.

    Raises:
        InputError: the paths that share operations are too many.
    """
    if is_swagger(document.data):
        document = converted(document)
    if document.version.startswith("3.0."):
        document = _upgraded(document)
    return with_own_path_items(document)


def _upgraded(document: Document) -> Document:
    """Return a document in 3.0 as the same API in 3.1."""
    data = clone(document.data)
    data["openapi"] = TARGET_VERSION
    nodes = [node for node in walk(data) if node.kind == "schema"]
    targets = {node.ref for node in nodes if node.ref}
    moves = Moves()
    for node in nodes:
        # Parents come first, so this is the place that the node has by now.
        place = moves.after(node.pointer)[0]
        for step in _STEPS:
            for new, old in step(node, targets):
                moves.add(place + new, node.pointer + old)
    return document.upgraded(data, moves)


# A step changes one schema in place and yields moves: (pointer inside the schema, old pointer).
_Moves = Iterator[tuple[Pointer, Pointer]]
_Step = Callable[[Node, set[str]], _Moves]


def _drop_ignored(node: Node, targets: set[str]) -> _Moves:
    if node.ref is not None:
        for name in set(node.value) - _KEPT_BESIDE_REF:
            if not name.startswith("x-"):
                del node.value[name]
    yield from ()


def _exclusive_limits(node: Node, targets: set[str]) -> _Moves:
    schema = node.value
    for exclusive, limit in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if schema.get(exclusive) is True and limit in schema:
            schema[exclusive] = schema.pop(limit)
        elif isinstance(schema.get(exclusive), bool):
            del schema[exclusive]
    yield from ()


def _example(node: Node, targets: set[str]) -> _Moves:
    schema = node.value
    if "example" in schema and "examples" not in schema:
        schema["examples"] = [schema.pop("example")]
        yield "/examples", "/example"
        yield "/examples/0", "/example"


def _content(node: Node, targets: set[str]) -> _Moves:
    # The format stays: in 3.1 it is an annotation without effect, and code generators read it.
    keyword = CONTENT_FORMATS.get(str(node.value.get("format")))
    if keyword and node.value.get("type") == "string":
        node.value.setdefault(*keyword)
    yield from ()


def _nullable(node: Node, targets: set[str]) -> _Moves:
    schema = node.value
    nullable = schema.pop("nullable", False)
    if nullable is not True:
        return
    kind = schema.get("type")
    if isinstance(kind, str):
        schema["type"] = [kind, "null"]
        yield "/type/1", "/nullable"
        values = schema.get("enum")
        if isinstance(values, list) and None not in values:
            values.append(None)
        # 3.0.3 mentions only `type`, but authors mean the whole schema.
        for choice in ("oneOf", "anyOf"):
            _add_null(schema, choice)
        return
    if isinstance(kind, list):
        return
    if any(_add_null(schema, choice) for choice in ("oneOf", "anyOf")):
        return
    for whole in ("$ref", "allOf"):
        # A reference into the list would lose its target if the list moved.
        if whole in schema and not any(t.startswith(f"#{node.pointer}/{whole}") for t in targets):
            schema["anyOf"] = [{whole: schema.pop(whole)}, {"type": "null"}]
            yield f"/anyOf/0/{whole}", f"/{whole}"
            yield "/anyOf/0", f"/{whole}"
            return


def _add_null(schema: JsonObject, choice: str) -> bool:
    """Add null to the alternatives of a schema, if it has any."""
    alternatives = schema.get(choice)
    if not isinstance(alternatives, list):
        return False
    alternatives.append({"type": "null"})
    return True


_STEPS: tuple[_Step, ...] = (_drop_ignored, _exclusive_limits, _example, _content, _nullable)

"""The check that every reference of a document has a target."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from urllib.parse import unquote

from specwright.document.model import Document
from specwright.document.shape import Node, walk
from specwright.errors import UnresolvedError
from specwright.json_values import JsonObject, JsonValue, mapping
from specwright.pointer import Pointer, resolve

MAX_CHAIN = 100


def check_references(document: Document) -> Document:
    """Remove references that lead nowhere or in a circle, and collect the anchors."""
    unresolved = dict(document.unresolved)
    nodes = list(walk(document.data))
    document = replace(document, anchors=_anchors(document.data, nodes))
    entered: set[str] = set()
    known = {node.pointer for node in nodes}
    while nodes:
        targets: list[Node] = []
        for node in nodes:
            ref = node.ref
            # Remote references that are still here are to be kept; the bundler refused the others.
            if ref is None or ref in entered or not document.is_local(ref):
                continue
            while node.ref is not None:
                try:
                    pointer, value = _follow(document, node)
                    break
                except _Nowhere as nowhere:
                    unresolved[nowhere.pointer] = nowhere.error
                    del mapping(resolve(document.data, nowhere.pointer))["$ref"]
            else:
                continue
            entered.add(ref)
            # Parts outside the places that OpenAPI knows are reached only through references.
            if pointer not in known:
                targets.extend(walk(value, node.kind, pointer))
        nodes = [node for node in targets if node.pointer not in known]
        known.update(node.pointer for node in nodes)
    return replace(document, unresolved=unresolved)


def _anchors(data: JsonObject, nodes: list[Node]) -> dict[str, Pointer]:
    anchors: dict[str, Pointer] = {}
    own = data.get("$self")
    for node in nodes:
        if node.kind == "schema":
            for keyword in ("$anchor", "$dynamicAnchor"):
                if isinstance(node.value.get(keyword), str):
                    anchors.setdefault(f"#{node.value[keyword]}", node.pointer)
            id_ = node.value.get("$id")
            if isinstance(id_, str):
                anchors.setdefault(id_, node.pointer)
        ref = node.ref
        if isinstance(own, str) and ref is not None and ref.startswith(f"{own}#"):
            anchors[ref] = unquote(ref.partition("#")[2])
    return anchors


class _Nowhere(Exception):  # noqa: N818 (it is caught where it is raised)
    """A reference without a target."""

    def __init__(self, document: Document, pointer: Pointer, message: str, hint: str) -> None:
        super().__init__(message)
        self.pointer = pointer
        self.error = UnresolvedError(message, document.locate(f"{pointer}/$ref"), hint)


def _follow(document: Document, node: Node) -> tuple[Pointer, JsonValue]:
    """Return the first target of a node's reference, after checking its last one."""
    at = node.pointer
    value: JsonValue = node.value
    chain: dict[Pointer, JsonValue] = {}
    while isinstance(value, dict) and document.is_local(ref := value.get("$ref")):
        pointer = _target(document, ref, at)
        if pointer in chain:
            raise _Nowhere(
                document,
                at,
                f"'{ref}' is circular and never reaches a definition",
                "replace one of the references in the circle with the definition",
            )
        if len(chain) > MAX_CHAIN:
            raise _Nowhere(
                document,
                at,
                f"'{ref}' is a chain of more than {MAX_CHAIN} references",
                "refer to the definition itself",
            )
        at, value = pointer, _value(document, pointer, ref, at)
        chain[pointer] = value
    return next(iter(chain.items()))


def _target(document: Document, ref: str, at: Pointer) -> Pointer:
    if ref in document.anchors or ref == "#" or ref.startswith("#/"):
        return document.target(ref)
    hint = "no schema has this $anchor" if ref.startswith("#") else "check the file and the path"
    raise _Nowhere(document, at, f"'{ref}' does not resolve", hint)


def _value(document: Document, pointer: Pointer, ref: str, at: Pointer) -> JsonValue:
    try:
        return resolve(document.data, pointer)
    except (KeyError, ValueError):
        hint = _nearest(document, pointer)
        raise _Nowhere(document, at, f"'{ref}' does not resolve", hint) from None


def _nearest(document: Document, pointer: Pointer) -> str:
    parent, _, name = pointer.rpartition("/")
    try:
        siblings = resolve(document.data, parent)
    except (KeyError, ValueError):
        return f"there is nothing at '{parent}'"
    close = get_close_matches(name, list(siblings), 1) if isinstance(siblings, dict) else []
    return f"did you mean '{parent}/{close[0]}'?" if close else f"'{parent}' has no '{name}'"

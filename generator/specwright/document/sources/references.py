"""The check that every reference of a document has a target."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from urllib.parse import quote, unquote, urldefrag

from specwright.document.model import Document
from specwright.document.shape import Node, shape_of, walk
from specwright.document.sources.base_uris import BaseUris
from specwright.errors import UnresolvedError
from specwright.json_values import JsonValue, mapping
from specwright.pointer import Pointer, resolve

MAX_CHAIN = 100


def check_references(document: Document) -> Document:
    """Remove references that lead nowhere or in a circle, and write others as pointers."""
    unresolved = dict(document.unresolved)
    shape = shape_of(document.data)
    nodes = list(walk(document.data, shape=shape))
    document = _name_by_pointers(document, nodes)
    nodes = list(walk(document.data, shape=shape))
    document = replace(document, anchors=_dynamic_anchors(nodes))
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
                targets.extend(walk(value, node.kind, pointer, shape))
        nodes = [node for node in targets if node.pointer not in known]
        known.update(node.pointer for node in nodes)
    return replace(document, unresolved=unresolved)


def _dynamic_anchors(nodes: list[Node]) -> dict[str, Pointer]:
    anchors: dict[str, Pointer] = {}
    for node in nodes:
        anchor = node.value.get("$dynamicAnchor") if node.kind == "schema" else None
        if isinstance(anchor, str):
            anchors.setdefault(f"#{anchor}", node.pointer)
    return anchors


def _name_by_pointers(document: Document, nodes: list[Node]) -> Document:
    """Return the document with pointers into it in place of names: `$anchor`, `$id`, `$self`.

    Without the identifiers, each validator resolves a pointer as we do (JSON Schema 2020-12, core,
    8.2; OAS 3.2.0, 4.2.2).
    """
    resources = _Resources(document, nodes)
    if not resources.has_names:
        return document
    # Imported here: most documents have no names, and a run without changes loads nothing heavy.
    from specwright.document.sources.dynamic_references import with_plain_references

    for node in nodes:
        ref = node.ref
        pointer = resources.target(ref, node.pointer) if ref else None
        if ref and pointer is not None and pointer != unquote(ref.removeprefix("#")):
            node.value["$ref"] = "#" + quote(pointer)
    document = with_plain_references(document, nodes, resources.target)
    for node in walk(document.data, shape=shape_of(document.data)):
        if node.kind == "schema":
            for keyword in ("$id", "$anchor"):
                if isinstance(node.value.get(keyword), str):
                    del node.value[keyword]
    return document


class _Resources:
    """The schemas of a document by the URI of their resource, and by their anchors in it."""

    def __init__(self, document: Document, nodes: list[Node]) -> None:
        own = document.data.get("$self")
        self._document = document
        self._uris = BaseUris(own if isinstance(own, str) else "", nodes)
        self._anchors: dict[str, Pointer] = {}
        for node in nodes:
            for keyword in ("$anchor", "$dynamicAnchor") if node.kind == "schema" else ():
                if isinstance(anchor := node.value.get(keyword), str):
                    uri = self._uris.absolute(f"#{anchor}", node.pointer)
                    self._anchors.setdefault(uri, node.pointer)
                    self._anchors.setdefault(f"#{anchor}", node.pointer)
        uris = [*self._uris.by_place.items()]
        self._pointers = {uri: pointer for pointer, uri in uris[::-1]}

    @property
    def has_names(self) -> bool:
        """Whether any schema has a name by which references may mean it."""
        return bool(self._anchors) or any(self._uris.by_place.values())

    def target(self, ref: str, place: Pointer) -> Pointer | None:
        """Return the place that a reference has as its target; None if it is not known here."""
        uri = self._uris.absolute(ref, place)
        resource, fragment = urldefrag(uri)
        # An anchor of another resource is not one here, but there is nothing else it could be.
        named = self._anchors.get(uri) or self._anchors.get(ref)
        if named is not None:
            return named
        if resource not in self._pointers or not (not fragment or fragment.startswith("/")):
            return None
        pointer = self._pointers[resource] + unquote(fragment)
        # Documents whose schemas have an `$id` that means nothing refer to the whole document.
        is_inner = self._document.has(pointer) or not self._pointers[resource]
        return pointer if is_inner else unquote(fragment)


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

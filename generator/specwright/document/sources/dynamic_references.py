"""Dynamic references become plain ones (JSON Schema 2020-12, core, 7.7 and 8.2.3.2).

A `$dynamicRef` means the `$dynamicAnchor` of that name in the outermost schema on the way to it.
What is outermost depends on where the way begins, so a schema that another one extends, or that
leaves the type of its items open, is copied for each different meaning.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

from jsonschema_rs.canonical.schema import clone

from specwright.document.model import Document
from specwright.document.moves import Moves
from specwright.document.shape import Node, walk
from specwright.json_values import JsonObject, mapping, sequence
from specwright.pointer import Pointer, join, parents, resolve, split

REF, DYNAMIC_REF, DYNAMIC_ANCHOR = "$ref", "$dynamicRef", "$dynamicAnchor"
# The most schemas to copy; what needs more stays as it is, and is reported as not supported.
_MOST_COPIED = 20_000
# Keywords that hold schemas for references.
_DEFINITIONS = frozenset({"$defs", "definitions"})
# Keywords that do not belong to the meaning of a copy, and may stand beside one.
_NOT_COPIED = frozenset({DYNAMIC_ANCHOR, "$id", "$anchor", *_DEFINITIONS})
_BESIDE = _NOT_COPIED | {REF, "$comment", "title", "summary", "description", "deprecated"}

# The outermost anchors on the way to a schema, by name.
_Scope = Mapping[str, Pointer]
# Returns the place that a reference at a place means; None if it is not known.
Target = Callable[[str, Pointer], Pointer | None]


def with_plain_references(document: Document, nodes: list[Node], target: Target) -> Document:
    """Return the document with each dynamic reference as a plain one, wherever that is possible.

    The other references are pointers into the document.
    """
    schemas = {node.pointer: node for node in nodes if node.kind == "schema"}
    dynamic = [node for node in schemas.values() if isinstance(node.value.get(DYNAMIC_REF), str)]
    if not dynamic:
        return document
    resources = _Resources.of(schemas)
    names: dict[Pointer, str] = {}
    plain: dict[Pointer, Pointer] = {}
    for node in dynamic:
        ref = str(node.value[DYNAMIC_REF])
        name = ref.partition("#")[2]
        anchors = resources.anchors[resources.of_place(node.pointer)]
        initial = anchors.get(name) if ref[:1] == "#" else None
        initial = initial or target(ref, node.pointer)
        if initial is None or not document.has(initial):
            continue
        plain[node.pointer] = initial
        if initial in schemas and schemas[initial].value.get(DYNAMIC_ANCHOR) == name:
            names[node.pointer] = name
    copies = _Copies(document, clone(document.data), resources, names, plain)
    copies.write()
    return document.upgraded(copies.data, copies.moves)


@dataclass(frozen=True, slots=True)
class _Resources:
    """The schemas of a document as resources: those with an `$id`, and those of its places.

    Strictly, schemas without an `$id` belong to the resource of the whole document, where each
    anchor has one place; authors who leave it out mean the schema.

    Attributes:
        roots: their places.
        anchors: the places of the dynamic anchors in each, by name.
    """

    roots: frozenset[Pointer]
    anchors: Mapping[Pointer, Mapping[str, Pointer]]

    @classmethod
    def of(cls, schemas: Mapping[Pointer, Node]) -> _Resources:
        roots = frozenset(
            pointer
            for pointer, node in schemas.items()
            if isinstance(node.value.get("$id"), str)
            or not any(parent in schemas for parent in parents(pointer))
        )
        anchors: dict[Pointer, dict[str, Pointer]] = defaultdict(dict)
        resources = cls(roots, anchors)
        for pointer, node in schemas.items():
            if isinstance(name := node.value.get(DYNAMIC_ANCHOR), str):
                anchors[resources.of_place(pointer)].setdefault(name, pointer)
        return resources

    def of_place(self, pointer: Pointer) -> Pointer:
        """Return the resource of a place; the document itself outside of all schemas."""
        return next((p for p in (pointer, *parents(pointer)) if p in self.roots), "")


@dataclass(slots=True)
class _Copies:
    """The references of a document as they are written, and the copies that they need.

    Attributes:
        data: the data with the references.
        moves: the origins of the copies.
        names: the anchors that references look for, by the places of those that are dynamic.
        plain: the targets of `$dynamicRef` without regard to the way there.
    """

    document: Document
    data: JsonObject
    resources: _Resources
    names: Mapping[Pointer, str]
    plain: Mapping[Pointer, Pointer]
    moves: Moves = field(default_factory=Moves)
    _places: dict[tuple[Pointer, frozenset[tuple[str, Pointer]]], Pointer] = field(
        default_factory=dict
    )
    _scopes: dict[Pointer, _Scope] = field(default_factory=dict)
    _needs: dict[Pointer, set[str]] = field(default_factory=dict)
    _pending: list[_Written] = field(default_factory=list)
    _copied: int = 0

    def write(self) -> None:
        self._needs = self._needed()
        roots = sorted(self.resources.roots, key=len)
        for root in roots:
            self._scopes[root] = self._scope_of(root)
        for root in roots:
            nodes = walk(resolve(self.data, root), "schema")
            own = [node for node in nodes if self.resources.of_place(root + node.pointer) == root]
            self._pending.append(_Written(own, root, root, self._scopes[root]))
        while self._pending:
            self._rewrite(self._pending.pop(0))

    def _scope_of(self, root: Pointer) -> _Scope:
        """Return the outermost anchors at the place of a resource in the document."""
        own = self.resources.anchors.get(root, {})
        around = self.resources.of_place(root.rpartition("/")[0])
        return {**own, **self._scopes[around]} if around and not _is_definition(root) else own

    def _needed(self) -> dict[Pointer, set[str]]:
        """Return the anchors that a resource, or one that it refers to, looks for."""
        needs: dict[Pointer, set[str]] = defaultdict(set)
        users: dict[Pointer, set[Pointer]] = defaultdict(set)
        bound: dict[str, set[Pointer]] = defaultdict(set)
        for root, anchors in self.resources.anchors.items():
            for name in anchors:
                bound[name].add(root)
        for node in walk(self.document.data):
            if node.kind != "schema":
                continue
            root = self.resources.of_place(node.pointer)
            parent = self.resources.of_place(root.rpartition("/")[0])
            if not _is_definition(root):
                users[root].add(parent)
            if self.document.is_local(node.ref):
                users[self.resources.of_place(self.document.target(node.ref))].add(root)
            if (wanted := self.names.get(node.pointer)) is not None:
                needs[root].add(wanted)
                for other in bound[wanted]:
                    users[other].add(root)
            elif node.pointer in self.plain:
                users[self.resources.of_place(self.plain[node.pointer])].add(root)
        pending = [*needs]
        while pending:
            root = pending.pop()
            for user in users[root]:
                if not needs[root] <= needs[user]:
                    needs[user] |= needs[root]
                    pending.append(user)
        return needs

    def _rewrite(self, written: _Written) -> None:
        """Write the references of a schema for its scope."""
        for node in written.nodes:
            if node.kind != "schema":
                continue
            schema, at, before = node.value, written.at + node.pointer, written.was + node.pointer
            scope = self._within(written.was, before, written.scope)
            schema.pop(DYNAMIC_ANCHOR, None)
            ref, is_dynamic = schema.get(REF), DYNAMIC_REF in schema and before in self.plain
            if is_dynamic:
                del schema[DYNAMIC_REF]
            # A target that is missing is reported afterwards.
            if self.document.is_local(ref) and self.document.has(self.document.target(ref)):
                self._refer(schema, at, self.document.target(ref), scope)
            if is_dynamic:
                target = scope.get(self.names.get(before, ""), self.plain[before])
                self._refer(
                    *(_added(schema, at) if ref is not None else (schema, at)), target, scope
                )

    def _within(self, was: Pointer, before: Pointer, scope: _Scope) -> _Scope:
        """Return the scope at a place inside of a schema, which may hold other resources."""
        root = self.resources.of_place(before)
        if root == self.resources.of_place(was):
            return scope
        return {**self.resources.anchors.get(root, {}), **scope}

    def _refer(self, schema: JsonObject, place: Pointer, target: Pointer, scope: _Scope) -> None:
        """Make a schema refer to another one, or to a copy of it for a scope.

        What a definition with an anchor says of the open part of a schema is written there.
        """
        described = resolve(self.document.data, target)
        root = self.resources.of_place(target)
        is_argument = self._is_argument(target)
        if is_argument and mapping(described).keys() == {DYNAMIC_ANCHOR, REF}:
            ref = mapping(described)[REF]
            aim = self.document.target(ref) if self.document.is_local(ref) else target
            if self.document.has(aim) and not self._is_argument(aim):
                outer = {**self.resources.anchors.get(root, {}), **scope}
                self._refer(schema, place, aim, outer)
                return
        needs = self._needs.get(root, set())
        anchors = {**self.resources.anchors.get(root, {}), **scope}
        inner = {name: anchors[name] for name in sorted(needs & anchors.keys())}
        usual = {name: at for name, at in self._scopes.get(root, {}).items() if name in needs}
        key = target, frozenset(inner.items())
        is_same = inner == usual and not is_argument
        if is_same or not isinstance(described, dict):
            schema[REF] = "#" + quote(target)
        elif key in self._places:
            schema[REF] = "#" + quote(self._places[key])
        elif self._copied < _MOST_COPIED:
            self._copy(schema, place, target, inner)
        else:
            schema[DYNAMIC_REF] = "#" + quote(target)

    def _is_argument(self, pointer: Pointer) -> bool:
        """Return whether a schema is there for dynamic references alone."""
        schema = mapping(resolve(self.document.data, pointer))
        return _is_definition(pointer) and DYNAMIC_ANCHOR in schema

    def _copy(self, schema: JsonObject, at: Pointer, target: Pointer, scope: _Scope) -> None:
        """Put a copy in place of a reference."""
        copied = mapping(clone(mapping(resolve(self.document.data, target))))
        schema.pop(REF, None)
        if not schema.keys() <= _BESIDE:
            schema, at = _added(schema, at)
        self._places[target, frozenset(scope.items())] = at
        for name in copied:
            self.moves.add_inner(at + join(name), target + join(name))
        beside = dict(schema)
        schema.clear()
        schema |= {name: value for name, value in copied.items() if name not in _NOT_COPIED}
        inner = [node for node in walk(schema, "schema") if node.pointer]
        schema |= beside
        self._copied += len(inner) + 1
        nodes = [Node("schema", "", schema), *inner]
        self._pending.append(_Written(nodes, at, target, scope))


@dataclass(frozen=True, slots=True)
class _Written:
    """A schema with references that are not written yet.

    Attributes:
        nodes: the schema and those in it, with pointers from it.
        at, was: its place, and that of its original.
        scope: the outermost anchors on the way to it.
    """

    nodes: list[Node]
    at: Pointer
    was: Pointer
    scope: _Scope


def _is_definition(pointer: Pointer) -> bool:
    """Return whether a schema applies to nothing where it is."""
    return len(split(pointer)) > 1 and split(pointer)[-2] in _DEFINITIONS


def _added(schema: JsonObject, at: Pointer) -> tuple[JsonObject, Pointer]:
    """Return a new part of a schema, and its place."""
    parts = sequence(schema.setdefault("allOf", []))
    part: JsonObject = {}
    parts.append(part)
    return part, at + join("allOf", len(parts) - 1)

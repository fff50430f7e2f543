"""Equality of parts of two documents, including everything that they refer to."""

from __future__ import annotations

import marshal
from collections import defaultdict
from collections.abc import Iterator
from urllib.parse import quote

from specwright.document.model import Document
from specwright.document.schemas.applicators import REFERENCES, Subschema
from specwright.document.schemas.discriminators import Discriminators
from specwright.errors import InputError
from specwright.json_values import JsonValue
from specwright.pointer import Pointer


class Sameness:
    """A test of equality for parts of two documents; components are compared once."""

    def __init__(
        self,
        documents: tuple[Document, Document],
        discriminators: tuple[Discriminators, Discriminators],
    ) -> None:
        self._revision = documents[1]
        self._changed = _changed_targets(documents, discriminators)

    def __call__(self, base: JsonValue, revision: JsonValue) -> bool:
        """Return whether two values are equal, including everything that they refer to."""
        return equal(base, revision) and not any(
            self._revision.target(ref) in self._changed for ref in references(revision)
        )

    def at(self, pointer: Pointer) -> bool:
        """Return whether the target of references at a place of the revision is equal."""
        return pointer not in self._changed


def equal(one: JsonValue, other: JsonValue) -> bool:
    """Return whether two values are equal in JSON, where `true` is not 1."""
    return bool(one == other) and (
        # Comparing bytes is fast, but they also differ if only the order of members does.
        marshal.dumps(one, 2) == marshal.dumps(other, 2) or _same_kinds(one, other)
    )


def _same_kinds(one: JsonValue, other: JsonValue) -> bool:
    """Return whether values that are equal in Python have booleans at the same places."""
    if isinstance(one, dict) and isinstance(other, dict):
        return all(_same_kinds(value, other[name]) for name, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return all(map(_same_kinds, one, other))
    return isinstance(one, bool) is isinstance(other, bool)


def references(value: JsonValue) -> Iterator[str]:
    """Yield all strings below a value that are named `$ref` or `$dynamicRef`."""
    stack = [value] if isinstance(value, dict | list) else []
    while stack:
        parent = stack.pop()
        members = parent.items() if isinstance(parent, dict) else enumerate(parent)
        for name, child in members:
            if isinstance(child, dict | list):
                stack.append(child)
            elif name in REFERENCES and isinstance(child, str):
                yield child


def _changed_targets(
    documents: tuple[Document, Document], discriminators: tuple[Discriminators, Discriminators]
) -> set[Pointer]:
    """Return the targets of references that differ, or that contain one that does.

    The components that are alternatives of a schema by `allOf` count as parts of it.
    """
    base, revision = documents
    referring: defaultdict[Pointer, set[Pointer]] = defaultdict(set)
    changed: set[Pointer] = set()
    targets = {revision.target(ref): ref for ref in references(revision.data)}
    for target, ref in [*targets.items()]:
        before, after = (
            _inherited(side, target, _resolve(side.document, ref)) for side in discriminators
        )
        if before != after:
            changed.add(target)
        for child in after:
            referring[child].add(target)
            targets.setdefault(child, f"#{quote(child)}")
    for target, ref in targets.items():
        value = _resolve(revision, ref)
        for inner in references(value):
            referring[revision.target(inner)].add(target)
        if not equal(_resolve(base, ref), value):
            changed.add(target)
    stack = list(changed)
    while stack:
        for target in referring[stack.pop()] - changed:
            changed.add(target)
            stack.append(target)
    return changed


def _inherited(
    discriminators: Discriminators, pointer: Pointer, schema: JsonValue
) -> dict[Pointer, tuple[str, ...]]:
    """Return the alternatives of a schema by `allOf`, and their tags."""
    discriminator = discriminators.of(Subschema(pointer, schema))
    is_inherited = discriminator is not None and discriminator.is_inherited
    return discriminator.alternatives if discriminator is not None and is_inherited else {}


def _resolve(document: Document, ref: str) -> JsonValue:
    try:
        return document.resolve(ref)
    except InputError:
        return None

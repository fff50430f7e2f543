"""Changes of a document that preserve the source location of every value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto

from specwright.document.model import Document, Graft
from specwright.document.normalise import COMPONENTS, redirect
from specwright.json_values import JsonValue, mapping
from specwright.pointer import Pointer, join, resolve, split


class Removal(Enum):
    """The edit of a place that is to be left out."""

    REMOVE = auto()


@dataclass(frozen=True, slots=True)
class Edit:
    """A new value for a place, or its removal.

    Attributes:
        loses: whether the document says less afterwards.
    """

    pointer: Pointer
    value: JsonValue | Removal = Removal.REMOVE
    loses: bool = True


def apply(document: Document, edits: Iterable[Edit]) -> Document:
    """Change the data of a document in place; return it with the origins of moved values.

    A place that another edit has removed is skipped.
    """
    # From the end: an edit moves the later items of a list, and nothing else.
    for edit in sorted(edits, key=lambda each: _order(each.pointer), reverse=True):
        parent, name = _parent(document, edit.pointer)
        if isinstance(parent, list):
            if edit.value is Removal.REMOVE and int(name) < len(parent):
                document = _without_item(document, edit.pointer, len(parent))
                del parent[int(name)]
        elif isinstance(parent, dict):
            parent.pop(name, None)
            if edit.value is not Removal.REMOVE:
                parent[name] = edit.value
    return document


def rename_schemas(document: Document, new: Mapping[str, str]) -> Document:
    """Rename component schemas, without changing their order, and all references to them.

    Args:
        new: the new keys by the old ones.
    """
    if not new:
        return document
    members = mapping(resolve(document.data, COMPONENTS))
    entries = [(new.get(key, key), schema) for key, schema in members.items()]
    members.clear()
    members.update(entries)
    moved = {COMPONENTS + join(old): COMPONENTS + join(key) for old, key in new.items()}
    redirect(document, document.data, moved)
    grafts = {place: Graft(*document.origin(old)) for old, place in moved.items()}
    return replace(document, grafts={**document.grafts, **grafts})


def _order(pointer: Pointer) -> tuple[str, ...]:
    return tuple(token.zfill(9) if token.isdecimal() else token for token in split(pointer))


def _parent(document: Document, pointer: Pointer) -> tuple[JsonValue, str]:
    *above, name = split(pointer)
    try:
        return resolve(document.data, join(*above)), name
    except KeyError:
        return None, name


def _without_item(document: Document, pointer: Pointer, length: int) -> Document:
    """Return the document with the origins of the items that move up after a removal."""
    holder, _, number = pointer.rpartition("/")
    grafts = {
        place: graft
        for place, graft in document.grafts.items()
        if not f"{place}/".startswith(f"{pointer}/")
    }
    for later in range(int(number) + 1, length):
        old, new = f"{holder}/{later}", f"{holder}/{later - 1}"
        for place in [graft for graft in grafts if graft.startswith(f"{old}/")]:
            grafts[new + place[len(old) :]] = grafts.pop(place)
        source, inner = document.origin(old)
        grafts[new] = Graft(source, inner)
    return replace(document, grafts=grafts)

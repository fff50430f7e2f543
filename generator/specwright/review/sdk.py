"""Changes of the public names of a generated package, for its users."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from itertools import takewhile

from specwright.compare.verdicts.change import became
from specwright.findings import values_of
from specwright.review.surface import Name, Surface, SurfaceParameter

# Servers implement the names in this module; clients do not call them.
_IMPLEMENTED = "server"
# The number of equal characters to show before a difference.
_BEFORE = 20


class NameChangeKind(StrEnum):
    """The kind of a change."""

    REMOVED = "removed"
    CHANGED = "changed"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class NameChange:
    """A change of a public name.

    Attributes:
        breaks: whether code that uses the name as before fails at run time. A changed type does
            not count: the comparison of the documents judges the values.
        values: what changed, apart from the words, as JSON texts.
    """

    kind: NameChangeKind
    name: str
    words: str
    breaks: bool = False
    values: tuple[str, ...] = ()


def sdk_changes(base: Surface, revision: Surface) -> tuple[NameChange, ...]:
    """Return the changes, breaking ones first, without the members of added and removed classes."""
    changes = [*_removed(base, revision), *_changed(base, revision), *_added(base, revision)]
    return tuple(sorted(changes, key=lambda change: not change.breaks))


def _removed(base: Surface, revision: Surface) -> Iterator[NameChange]:
    for name in _topmost(base, revision):
        yield NameChange(NameChangeKind.REMOVED, name, "", not _is_implemented(name))


def _added(base: Surface, revision: Surface) -> Iterator[NameChange]:
    for name in _topmost(revision, base):
        yield NameChange(NameChangeKind.ADDED, name, "")


def _topmost(names: Surface, others: Surface) -> Iterator[str]:
    """Return the names that the others lack, without members of such names."""
    lacking = names.keys() - others.keys()
    return (name for name in names if name in lacking and _parent(name) not in lacking)


def _became(old: str, new: str) -> str:
    """Return the words for a changed value, from shortly before the first difference."""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False))
    start = sum(1 for _ in same) - _BEFORE
    if start > 0 and old and new:
        old, new = f"…{old[start:]}", f"…{new[start:]}"
    return became(old or None, new or None)


def _parent(name: str) -> str:
    return name.rpartition(".")[0]


def _is_implemented(name: str) -> bool:
    return name.split(".")[1] == _IMPLEMENTED


def _changed(base: Surface, revision: Surface) -> Iterator[NameChange]:
    for name in base:
        if name in revision:
            for words, breaks, values in _differences(base[name], revision[name]):
                is_broken = breaks and not _is_implemented(name)
                yield NameChange(NameChangeKind.CHANGED, name, words, is_broken, values)


def _differences(old: Name, new: Name) -> Iterator[tuple[str, bool, tuple[str, ...]]]:
    if (old.parameters is None) != (new.parameters is None):
        yield "is now another kind of object", True, values_of("parameters")
        return
    if old.value != new.value:
        yield _became(old.value, new.value), False, values_of(old.value, new.value)
    before, after = old.parameters or {}, new.parameters or {}
    for name in dict.fromkeys((*before, *after)):
        one, other = before.get(name), after.get(name)
        for words, breaks in _parameter(one, other):
            values = values_of(name, *(side and asdict(side) for side in (one, other)))
            yield f"parameter '{name}' {words}", breaks, values


def _parameter(
    old: SurfaceParameter | None, new: SurfaceParameter | None
) -> Iterator[tuple[str, bool]]:
    if new is None:
        yield "was removed", True
    elif old is None:
        yield ("was added as required", True) if new.is_required else ("was added", False)
    else:
        if old.is_required != new.is_required:
            now = "required" if new.is_required else "optional"
            yield f"is now {now}", new.is_required
        if (old.position, old.is_named) != (new.position, new.is_named):
            moved = old.position is not None and old.position != new.position
            yield "is passed in another way", moved or (old.is_named and not new.is_named)
        if old.annotation != new.annotation:
            yield _became(old.annotation, new.annotation), False

"""Changes of the public names of a generated package, for its users."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from enum import Enum, StrEnum, auto
from itertools import takewhile

from specwright.compare.verdicts.change import became
from specwright.findings import values_of
from specwright.review.new_names import closest, likely_new_names
from specwright.review.surface import Name, Surface, SurfaceParameter

# Modules with the names of others.
_TWINS = {".async_client.Async": ".client.", ".params.": ".models."}
# Servers implement the names in this module; clients do not call them.
_IMPLEMENTED = "server"
# The number of equal characters to show before a difference.
_BEFORE = 20


class NameChangeKind(StrEnum):
    """The kind of a change."""

    REMOVED = "removed"
    CHANGED = "changed"
    ADDED = "added"


class Effect(Enum):
    """The effect of a change on code that uses the name as before."""

    BREAKS = auto()
    """The code fails at run time."""
    DIFFERS = auto()
    """A type is another one; the comparison of the documents judges the values."""
    WIDENS = auto()
    """The code is not affected."""


@dataclass(frozen=True, slots=True)
class NameChange:
    """A change of a public name.

    Attributes:
        values: what changed, apart from the words, as JSON texts.
    """

    kind: NameChangeKind
    name: str
    words: str
    effect: Effect
    values: tuple[str, ...] = ()

    @property
    def breaks(self) -> bool:
        """Whether code that uses the name as before fails at run time."""
        return self.effect is Effect.BREAKS

    @property
    def message(self) -> str:
        """The change in words, without the name."""
        if self.kind is NameChangeKind.REMOVED and self.words:
            return f"{self.kind}, {self.words}"
        return self.words or self.kind.value


def sdk_changes(base: Surface, revision: Surface) -> tuple[NameChange, ...]:
    """Return the changes, breaking ones first, without the members of added and removed classes."""
    changes = [*_removed(base, revision), *_changed(base, revision), *_added(base, revision)]
    return tuple(sorted(changes, key=lambda change: not change.breaks))


def distinct(changes: Iterable[NameChange]) -> list[NameChange]:
    """Return one change for each edit.

    The asynchronous client comes from the same template as the other one, typed dictionaries have
    the names of models, and the exports of the package are defined in its modules.
    """
    changes = list(changes)
    names = {change.name for change in changes}
    defined = {_last(name) for name in names if not _is_export(name)}
    return [
        change
        for change in changes
        if not any(
            twin in change.name and change.name.replace(twin, first) in names
            for twin, first in _TWINS.items()
        )
        and not (_is_export(change.name) and _last(change.name) in defined)
    ]


def _removed(base: Surface, revision: Surface) -> Iterator[NameChange]:
    new_names = likely_new_names(base, revision)
    for name in _topmost(base, revision):
        words = f"perhaps {_shown(new_names[name], name)} now" if name in new_names else ""
        yield NameChange(NameChangeKind.REMOVED, name, words, _effect_on(name, Effect.BREAKS))


def _shown(name: str, old: str) -> str:
    """Return a name as seen from the place of another one."""
    return _last(name) if _parent(name) == _parent(old) else name.partition(".")[2]


def _added(base: Surface, revision: Surface) -> Iterator[NameChange]:
    for name in _topmost(revision, base):
        yield NameChange(NameChangeKind.ADDED, name, "", Effect.WIDENS)


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


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _is_export(name: str) -> bool:
    return name.count(".") == 1


def _effect_on(name: str, effect: Effect) -> Effect:
    is_implemented = effect is Effect.BREAKS and _is_implemented(name)
    return Effect.DIFFERS if is_implemented else effect


def _is_implemented(name: str) -> bool:
    return name.split(".")[1] == _IMPLEMENTED


def _changed(base: Surface, revision: Surface) -> Iterator[NameChange]:
    for name in base:
        if name in revision:
            for words, effect, values in _differences(base[name], revision[name]):
                effect = _effect_on(name, effect)
                yield NameChange(NameChangeKind.CHANGED, name, words, effect, values)


def _differences(old: Name, new: Name) -> Iterator[tuple[str, Effect, tuple[str, ...]]]:
    if (old.parameters is None) != (new.parameters is None):
        yield "is now another kind of object", Effect.BREAKS, values_of("parameters")
        return
    if old.value != new.value:
        yield _became(old.value, new.value), Effect.DIFFERS, values_of(old.value, new.value)
    before, after = old.parameters or {}, new.parameters or {}
    removed, added = before.keys() - after.keys(), after.keys() - before.keys()
    is_one_change = len(removed) == len(added) == 1
    for name in dict.fromkeys((*before, *after)):
        one, other = before.get(name), after.get(name)
        for words, effect in _parameter(one, other):
            if one is not None and other is None:
                same = sorted(new for new in added if _is_like(after[new], one))
                new_name = closest(name, same, is_only_one=is_one_change)
                words += f", perhaps '{new_name}' now" if new_name else ""
            values = values_of(name, *(side and asdict(side) for side in (one, other)))
            yield f"parameter '{name}' {words}", effect, values


def _is_like(new: SurfaceParameter, old: SurfaceParameter) -> bool:
    return (new.annotation, new.is_required) == (old.annotation, old.is_required)


def _parameter(
    old: SurfaceParameter | None, new: SurfaceParameter | None
) -> Iterator[tuple[str, Effect]]:
    if new is None:
        yield "was removed", Effect.BREAKS
    elif old is None and new.is_required:
        yield "was added as required", Effect.BREAKS
    elif old is None:
        yield "was added", Effect.WIDENS
    else:
        if new.is_required and not old.is_required:
            yield "is now required", Effect.BREAKS
        elif old.is_required and not new.is_required:
            yield "is now optional", Effect.WIDENS
        if (old.position, old.is_named) != (new.position, new.is_named):
            moved = old.position is not None and old.position != new.position
            breaks = moved or (old.is_named and not new.is_named)
            yield "is passed in another way", Effect.BREAKS if breaks else Effect.WIDENS
        if old.annotation != new.annotation:
            yield _became(old.annotation, new.annotation), Effect.DIFFERS

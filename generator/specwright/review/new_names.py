"""The likely new names of public names that a package has lost."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from difflib import SequenceMatcher

from specwright.review.surface import Surface, is_params

_SIMILAR = 0.6
# A guess among more names of one shape would be worth nothing, and take long.
_MOST = 20
# A text, or a name.
_WORD = re.compile(r"'[^']*'|\"[^\"]*\"|\w+")


def likely_new_names(base: Surface, revision: Surface) -> Mapping[str, str]:
    """Return the new name by old name, where a new name has the shape of one that is gone.

    The shape of a class is the set of its members, and that of a function the set of its
    parameters. A new name in the same class or module comes first, then the same name in another
    class. Typed dictionaries have the names of their models, and no members to compare.
    """
    gone = [name for name in base if name not in revision and not is_params(name)]
    if not gone:
        return {}
    before = _shapes(base, gone)
    after = _shapes(revision, [name for name in revision if name not in base])
    by_shape = defaultdict[tuple[str, Hashable], list[str]](list)
    by_name = defaultdict[tuple[str, str, Hashable], list[str]](list)
    for name, shape in after.items():
        by_shape[_parent(name), shape].append(name)
        by_name[_module(name), _last(name), shape].append(name)
    renamed: dict[str, str] = {}
    types: dict[str, str] = {}
    # Classes first: types are then compared as they are called now.
    for name in sorted(gone, key=lambda name: not isinstance(before[name], frozenset)):
        parent, shape = renamed.get(_parent(name), _parent(name)), before[name]
        same = by_shape.get((parent, shape), [])
        if not isinstance(shape, frozenset):
            value = _translated(base[name].value, types)
            equal = [other for other in same if revision[other].value == value]
            is_only_one, same = bool(equal), equal or same
        else:
            is_only_one = True
        near = closest(_last(name), map(_last, same), is_only_one=is_only_one)
        moved = by_name.get((_module(name), _last(name), shape))
        if near is not None:
            renamed[name] = f"{parent}.{near}"
        elif moved:
            renamed[name] = moved[0]
        if name in renamed and _parent(name) == _module(name):
            types[_last(name)] = _last(renamed[name])
    return renamed


def with_new_types(surface: Surface, renamed: Mapping[str, str]) -> Surface:
    """Return the names with types as they are called now, so that only other changes are left."""
    types = _types(renamed)
    return {
        name: replace(
            entry,
            value=_translated(entry.value, types),
            parameters=entry.parameters
            and {
                key: replace(parameter, annotation=_translated(parameter.annotation, types))
                for key, parameter in entry.parameters.items()
            },
        )
        for name, entry in surface.items()
    }


def closest(name: str, candidates: Iterable[str], *, is_only_one: bool) -> str | None:
    """Return the candidate with the most similar name, if it is similar.

    Args:
        is_only_one: whether a single candidate may have any name.
    """
    names = list(candidates)
    if len(names) == 1 and is_only_one:
        return names[0]
    if not 1 <= len(names) <= _MOST:
        return None
    scores = {other: SequenceMatcher(None, name, other).ratio() for other in names}
    best = max(scores, key=scores.__getitem__)
    return best if scores[best] >= _SIMILAR else None


def _shapes(surface: Surface, names: Iterable[str]) -> Mapping[str, Hashable]:
    """Return the shapes of some names: a frozen set for a class with members."""
    members = defaultdict[str, set[str]](set)
    for name in surface:
        members[_parent(name)].add(_last(name))
    shapes: dict[str, Hashable] = {}
    for name in names:
        parameters = surface[name].parameters
        if name in members:
            shapes[name] = frozenset(members[name])
        else:
            shapes[name] = None if parameters is None else tuple(sorted(parameters))
    return shapes


def _types(renamed: Mapping[str, str]) -> Mapping[str, str]:
    """Return the renamed names of modules, without the rest of their path."""
    return {_last(old): _last(new) for old, new in renamed.items() if _parent(old) == _module(old)}


def _translated(value: str, types: Mapping[str, str]) -> str:
    return _WORD.sub(lambda word: types.get(word[0], word[0]), value) if types else value


def _parent(name: str) -> str:
    return name.rpartition(".")[0]


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _module(name: str) -> str:
    return ".".join(name.split(".")[:2])

"""The places of parts of a document before and after an upgrade."""

from __future__ import annotations

from collections.abc import Iterator

from specwright.pointer import Pointer, parents


class Moves:
    """Places after an upgrade with their places before it, and the other way round.

    A part that is not recorded moves with the nearest recorded part around it, or stays.
    """

    def __init__(self) -> None:
        self._before: dict[Pointer, Pointer] = {}
        self._after: dict[Pointer, list[Pointer]] = {}

    def __iter__(self) -> Iterator[tuple[Pointer, Pointer]]:
        """Yield each recorded place after the upgrade, with the place before it."""
        return iter(self._before.items())

    def add(self, new: Pointer, old: Pointer) -> None:
        """Record that a part moved; one that is used in several places moves to each."""
        self._before[new] = old
        self._after.setdefault(old, []).append(new)

    def add_inner(self, new: Pointer, old: Pointer) -> None:
        """Record the origin of a new part; the origin itself moved elsewhere or stays."""
        self._before[new] = old

    def before(self, pointer: Pointer) -> Pointer:
        """Return the place before the upgrade of a part."""
        for prefix in (pointer, *parents(pointer)):
            if prefix in self._before:
                return self._before[prefix] + pointer[len(prefix) :]
        return pointer

    def after(self, pointer: Pointer) -> tuple[Pointer, ...]:
        """Return the places after the upgrade of a part."""
        for prefix in (pointer, *parents(pointer)):
            if prefix in self._after:
                return tuple(new + pointer[len(prefix) :] for new in self._after[prefix])
        return (pointer,)

    def then(self, later: Moves) -> Moves:
        """Return the moves of two upgrades, one after the other."""
        both = Moves()
        for new, old in self:
            for place in later.after(new):
                both._record(place, old, is_part=self._is_part(new, old))
        for new, old in later:
            both._record(new, self.before(old), is_part=later._is_part(new, old))
        return both

    def _is_part(self, new: Pointer, old: Pointer) -> bool:
        return new in self._after.get(old, ())

    def _record(self, new: Pointer, old: Pointer, *, is_part: bool) -> None:
        if is_part:
            self.add(new, old)
        else:
            self.add_inner(new, old)

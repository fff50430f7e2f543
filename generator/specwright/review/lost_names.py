"""Changes for callers of a package that was just generated again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from specwright.emit.drift import FileDifference
from specwright.review.new_names import likely_new_names, with_new_types
from specwright.review.sdk import Effect, NameChange, NameChangeKind, distinct, sdk_changes
from specwright.review.surface import surface

_SHOWN = 30


@dataclass(frozen=True, slots=True)
class LostNames:
    """The public names that were removed, or that code may have to use otherwise.

    Attributes:
        problem: why the changes are not known; empty if they are.
    """

    changes: tuple[NameChange, ...] = ()
    problem: str = ""

    @property
    def lines(self) -> Iterator[str]:
        """The changes in words."""
        changes = self.changes
        if self.problem:
            yield self.problem
        if changes:
            yield "changed names of the package:"
        yield from (f"  {change.name}: {change.message}" for change in changes[:_SHOWN])
        if len(changes) > _SHOWN:
            yield f"  and {len(changes) - _SHOWN} more; `specwright review --base HEAD` lists them"
        if any(change.breaks and change.kind is NameChangeKind.REMOVED for change in changes):
            yield "old names can stay for a while: see [tool.specwright.deprecated]"


def lost_names(differences: Iterable[FileDifference]) -> LostNames:
    """Return the names that callers of a package lose.

    Args:
        differences: the files that were written, with their contents before. Names in all other
            files are the same.
    """
    changed = [difference for difference in differences if difference.path.endswith(".py")]
    before = {file.path: file.present for file in changed if file.present is not None}
    if not before:
        # The package is new.
        return LostNames()
    after = {file.path: file.wanted for file in changed if file.wanted is not None}
    try:
        old, new = surface(before), surface(after)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        # Anything may be in a file of the repository whose digest is in the lock file.
        problem = f"the earlier package is not Python, so changed names are not listed: {error}"
        return LostNames(problem=problem)
    # A class with another name is one change, not one for each use of it.
    old = with_new_types(old, likely_new_names(old, new))
    changes = distinct(sdk_changes(old, new))
    return LostNames(tuple(change for change in changes if change.effect is not Effect.WIDENS))

"""Changes for callers of a package that was just generated again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from specwright.emit.drift import FileDifference
from specwright.review.new_names import likely_new_names, with_new_types
from specwright.review.sdk import Effect, NameChangeKind, distinct, sdk_changes
from specwright.review.surface import surface

_SHOWN = 30


def lost_names(differences: Iterable[FileDifference]) -> Iterator[str]:
    """Yield a line for each public name that was removed, or that code may have to use otherwise.

    Args:
        differences: the files that were written, with their contents before. Names in all other
            files are the same.
    """
    changed = [difference for difference in differences if difference.path.endswith(".py")]
    before = {file.path: file.present for file in changed if file.present is not None}
    if not before:
        # The package is new.
        return
    after = {file.path: file.wanted for file in changed if file.wanted is not None}
    try:
        old, new = surface(before), surface(after)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        # Anything may be in a file of the repository whose digest is in the lock file.
        yield f"the earlier package is not Python, so changed names are not listed: {error}"
        return
    # A class with another name is one change, not one for each use of it.
    old = with_new_types(old, likely_new_names(old, new))
    changes = [
        change for change in distinct(sdk_changes(old, new)) if change.effect is not Effect.WIDENS
    ]
    if changes:
        yield "changed names of the package:"
    yield from (f"  {change.name}: {change.message}" for change in changes[:_SHOWN])
    if len(changes) > _SHOWN:
        yield f"  and {len(changes) - _SHOWN} more; `specwright review --base HEAD` lists them"
    if any(change.breaks and change.kind is NameChangeKind.REMOVED for change in changes):
        yield "old names can stay for a while: see [tool.specwright.deprecated]"

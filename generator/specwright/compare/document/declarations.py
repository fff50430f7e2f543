"""Changes of the contract's declarations beyond OpenAPI."""

from __future__ import annotations

from collections.abc import Iterator

from specwright.compare.verdicts.change import Change, became
from specwright.compare.verdicts.policies import judged_keywords, part_changes, worst
from specwright.document.operations.sites import Site
from specwright.pointer import join
from specwright.vocabulary.keyword import Place


def declaration_changes(base: Site, revision: Site, place: Place) -> Iterator[Change]:
    """Yield the changes in the declarations of two matching objects."""
    for keyword in judged_keywords(place):
        name = keyword.name
        parts = list(part_changes(keyword, base.value.get(name), revision.value.get(name)))
        if parts and (name in base.value) is not (name in revision.value):
            # An added or removed declaration is one change, however many members it has.
            word = "added" if name in revision.value else "removed"
            yield Change(worst(parts), base / name, revision / name, f"{name} was {word}")
            continue
        for part in parts:
            yield Change(
                part.rule,
                base.pointer + join(name, *part.path),
                revision.pointer + join(name, *part.path),
                f"{'/'.join((name, *part.path))} {became(part.before, part.after)}",
            )

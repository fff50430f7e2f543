"""Unions of both documents by alternatives; a schema may become a union, or stop being one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from specwright.compare.schemas.alternatives import (
    Alternative,
    alternatives,
    by_type,
    is_another,
    partners,
)
from specwright.compare.schemas.flatten import FlatSchema, is_note
from specwright.compare.verdicts.change import became
from specwright.compare.verdicts.change_rule import ChangeCategory, ChangeRule
from specwright.compare.verdicts.example import REQUEST, example
from specwright.document.model import Document
from specwright.document.schemas.applicators import UNIONS, Subschema
from specwright.document.schemas.discriminator_object import DISCRIMINATOR
from specwright.document.schemas.polarity import Polarity
from specwright.findings import values_of

_SHOWN = 6

ALTERNATIVE_CHANGED = ChangeRule(
    "alternative-changed",
    ChangeCategory.CLIENT_SOURCE,
    (
        "Generated unions lose a class that clients send, or gain one that their code does not "
        "handle, even though all values were possible before."
    ),
    example=example(
        REQUEST,
        "{anyOf: [{type: string}, {type: integer}, {type: number}]}",
        "{anyOf: [{type: string}, {type: number}]}",
        "{anyOf: [{type: string}, {type: integer, deprecated: true}, {type: number}]}",
    ),
    remedy="Keep the alternative, marked `deprecated`.",
)


@dataclass(frozen=True, slots=True)
class Union:
    """A union of the base and its counterpart in the revision.

    Attributes:
        names: the keyword on both sides; None for a schema that is not a union.
        partners: the indexes of matching alternatives in the revision (first) and the base.
        is_all: whether there is nothing else to compare.
    """

    names: tuple[str | None, str | None]
    base: list[Alternative]
    revision: list[Alternative]
    partners: tuple[tuple[int, int], ...]
    is_all: bool = False

    @property
    def keyword(self) -> str:
        """The keyword of the base, or else of the revision."""
        return self.names[0] or self.names[1] or UNIONS[0]

    @property
    def removed(self) -> list[Alternative]:
        """The alternatives that only the base has."""
        kept = {old for _, old in self.partners}
        return [alternative for n, alternative in enumerate(self.base) if n not in kept]

    @property
    def added(self) -> list[Alternative]:
        """The alternatives that only the revision has."""
        kept = {new for new, _ in self.partners}
        return [alternative for n, alternative in enumerate(self.revision) if n not in kept]

    @property
    def values(self) -> tuple[str, ...]:
        """The keywords, and the alternatives of only one side, in any order."""
        return values_of(
            self.names,
            *(
                sorted(alternative.declared_name for alternative in side)
                for side in (self.removed, self.added)
            ),
        )

    @property
    def message(self) -> str:
        """The gained and lost alternatives, in words."""
        old, new = _names_of(self.base), _names_of(self.revision)
        if None not in self.names:
            added, removed = self.added, self.removed
            names = [{alternative.name for alternative in side} for side in (added, removed)]
            same = names[0] & names[1]
            parts = {
                "gains": [alternative for alternative in added if alternative.name not in same],
                "loses": [alternative for alternative in removed if alternative.name not in same],
                "has a different": [
                    alternative for alternative in added if alternative.name in same
                ],
            }
            words = [f"{verb} {_names_of(members)}" for verb, members in parts.items() if members]
            return f"{self.names[1]} {' and '.join(words)}"
        if old and new:
            lists = [name and f" {name} of" for name in self.names]
            return f"it was{lists[0] or ''} {old}, and is now{lists[1] or ''} {new}"
        return f"{self.keyword} {became(old or None, new or None)}"


def _names_of(members: list[Alternative]) -> str:
    more = len(members) - _SHOWN
    names = [alternative.name for alternative in members[:_SHOWN]]
    return ", ".join([*names, f"{more} more"] if more > 0 else names)


def _is_lifted(base: FlatSchema, revision: FlatSchema) -> bool:
    """Return whether one side consists only of a union, and the other is not a union.

    The other side is then compared as a union of one alternative, or of one for each type.
    """
    if bool(base.choices) == bool(revision.choices):
        return False
    union = base if base.choices else revision
    others = union.keywords.keys() - {"type", DISCRIMINATOR}
    return len(union.choices) == 1 and not union.children and all(map(is_note, others))


def unions(
    documents: tuple[Document, Document], base: FlatSchema, revision: FlatSchema, polarity: Polarity
) -> Iterator[Union]:
    """Yield the unions of either side, each with its counterpart."""
    whole = (
        Alternative(documents[0], base.places, polarity),
        Alternative(documents[1], revision.places, polarity),
    )
    if is_another(*whole):
        yield Union((None, None), [whole[0]], [whole[1]], (), is_all=True)
        return
    lifted = _is_lifted(base, revision)

    def side(document: Document, flat: FlatSchema, name: str | None) -> list[Alternative]:
        if name:
            members = alternatives(document, flat.choices[name], polarity)
            return [_with_siblings(flat, member) for member in members] if lifted else members
        return by_type(document, flat.places, polarity) if lifted else []

    for names in _names(base, revision):
        old, new = side(documents[0], base, names[0]), side(documents[1], revision, names[1])
        yield Union(names, old, new, tuple(partners(old, new)), lifted)


def _with_siblings(flat: FlatSchema, alternative: Alternative) -> Alternative:
    """Return an alternative with the keywords beside its union."""
    if not flat.keywords:
        return alternative
    siblings = Subschema(
        flat.pointer, {k: v for k, v in flat.keywords.items() if k != DISCRIMINATOR}
    )
    return replace(alternative, places=(*alternative.places, siblings))


def _names(base: FlatSchema, revision: FlatSchema) -> Iterator[tuple[str | None, str | None]]:
    """Yield the keywords of unions that belong together, with the same name if possible."""
    names = [[name for name in UNIONS if name in flat.choices] for flat in (base, revision)]
    shared = [name for name in names[0] if name in names[1]]
    yield from ((name, name) for name in shared)
    old, new = ([name for name in side if name not in shared] for side in names)
    if old and new:
        yield old[0], new[0]
    else:
        yield from ((name, None) for name in old)
        yield from ((None, name) for name in new)

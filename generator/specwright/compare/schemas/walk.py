"""The pairs of schemas that differ, from a slot of an operation down."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from specwright.compare.schemas.equality import Sameness
from specwright.compare.schemas.flatten import CHOICES, Subschemas, flatten
from specwright.compare.schemas.polarity import Way
from specwright.compare.schemas.steps import Claim, Pair, Plain, matched, steps
from specwright.document.applicators import Subschema
from specwright.document.model import Document
from specwright.document.schemas import ANNOTATIONS
from specwright.pointer import Pointer
from specwright.samples.sides import Side

# What takes part in several schemas that differ is a pair in each of them; no document that people
# write has so many.
MOST_PAIRS = 50_000
# What may stand beside a reference and is nobody's concern.
_MEANINGLESS = {"$ref"} | ANNOTATIONS - {"default", "deprecated", "readOnly", "writeOnly"}
PairKey = tuple[tuple[Pointer, ...], tuple[Pointer, ...], Way]


@dataclass(frozen=True, slots=True, eq=False)
class Difference:
    """A pair of schemas that differ, or hold some that do, and the steps between these two."""

    pair: Pair
    steps: tuple[Claim | Plain, ...]


@dataclass(slots=True)
class Walk:
    """Every pair of schemas once, however many operations lead to it."""

    sides: tuple[Side, Side]
    same: Sameness
    _count: int = 0
    # None stands for a pair that does not differ.
    _found: dict[PairKey, Difference | None] = field(default_factory=dict)
    _below: dict[Difference, tuple[Difference, ...]] = field(default_factory=dict)

    @property
    def is_complete(self) -> bool:
        """Whether all pairs that differ were compared."""
        return self._count <= MOST_PAIRS

    def compare(self, base: Subschemas, revision: Subschemas, way: Way) -> Iterator[Difference]:
        """The pairs at and below a place that differ."""
        first = self._difference(base, revision, way)
        stack = [] if first is None else [first]
        met: set[Difference] = set()
        while stack:
            difference = stack.pop()
            if difference in met:
                continue
            met.add(difference)
            yield difference
            if difference not in self._below:
                found = (self._difference(*places, way) for places in _below(difference.pair))
                self._below[difference] = tuple(each for each in found if each is not None)
            stack.extend(self._below[difference])

    def _difference(self, base: Subschemas, revision: Subschemas, way: Way) -> Difference | None:
        base, revision = (
            _ends(side.document, places)
            for side, places in zip(self.sides, (base, revision), strict=True)
        )
        key = _key(base, revision, way)
        if key not in self._found:
            self._found[key] = None
            if not self._is_same(base, revision):
                self._count += 1
                if self.is_complete:
                    self._found[key] = self._compared(base, revision, way)
        return self._found[key]

    def _is_same(self, base: Subschemas, revision: Subschemas) -> bool:
        return len(base) == len(revision) and all(
            self.same(one.value, other.value) for one, other in zip(base, revision, strict=True)
        )

    def _compared(self, base: Subschemas, revision: Subschemas, way: Way) -> Difference:
        documents = [side.document for side in self.sides]
        pair = Pair(
            flatten(documents[0], base, way.polarity),
            flatten(documents[1], revision, way.polarity),
            way,
        )
        return Difference(pair, tuple(steps(pair, self.sides, self.same)))


def _ends(document: Document, places: Subschemas) -> Subschemas:
    """The places that references lead to: however many there are to a schema, it is one pair."""
    return tuple(
        Subschema(*document.end(each.pointer, each.value))
        if isinstance(each.value, dict) and each.value.keys() <= _MEANINGLESS
        else each
        for each in places
    )


def _key(base: Subschemas, revision: Subschemas, way: Way) -> PairKey:
    return (
        tuple(each.pointer for each in base),
        tuple(each.pointer for each in revision),
        way,
    )


def _below(pair: Pair) -> Iterator[tuple[Subschemas, Subschemas]]:
    base, revision = pair.base, pair.revision
    for key in pair.shared:
        yield base.children[key], revision.children[key]
    rest = ("additionalProperties", "")
    for one, other, swap in ((base, revision, False), (revision, base, True)):
        # A property that only one side declares is one of the additional ones of the other.
        for key, places in one.children.items():
            if key[0] == "properties" and key not in other.children and rest in other.children:
                found = (places, other.children[rest])
                yield found[::-1] if swap else found
    for name in CHOICES:
        old, new = base.choices.get(name, []), revision.choices.get(name, [])
        for after, before in matched(old, new):
            yield (old[before],), (new[after],)

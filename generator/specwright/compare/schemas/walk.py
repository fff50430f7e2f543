"""The pairs of schemas that differ, from the schemas of operations down."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from specwright.compare.schemas.alternatives import Alternative, is_another
from specwright.compare.schemas.discriminators import discriminator_of, heirs
from specwright.compare.schemas.equality import Sameness
from specwright.compare.schemas.flatten import FlatSchema, Subschemas, flatten
from specwright.compare.schemas.pairs import Pair, Schema, UnionContext, directed, own_schemas
from specwright.compare.schemas.steps import DecidedStep, UnprovenStep, steps
from specwright.compare.schemas.transfer import Transfer, ValueEncoding
from specwright.compare.schemas.unions import Union, unions
from specwright.document.model import Document
from specwright.document.schemas.applicators import Subschema, applying
from specwright.document.schemas.discriminators import Discriminators
from specwright.document.schemas.inspection import ANNOTATIONS
from specwright.document.schemas.polarity import MARKS
from specwright.patterns import matches
from specwright.pointer import Pointer, join
from specwright.samples.sides import Side

# A schema inside several differing schemas is a pair in each of them; no real document has so
# many pairs.
MOST_PAIRS = 50_000
# Keywords that do not matter beside a reference.
_MEANINGLESS = {"$ref"} | ANNOTATIONS - {"default", "deprecated", *MARKS}
PairKey = tuple[object, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Difference:
    """A pair of schemas that differ, or contain some that do, and the steps between the two.

    Attributes:
        schemas: both schemas, without the subschemas that are compared separately.
    """

    pair: Pair
    steps: tuple[UnprovenStep | DecidedStep, ...]
    schemas: tuple[Schema, Schema]

    @property
    def unproven(self) -> tuple[UnprovenStep, ...]:
        """The steps that need a proof."""
        return tuple(step for step in self.steps if isinstance(step, UnprovenStep))

    @property
    def decided(self) -> tuple[DecidedStep, ...]:
        """The steps that need no proof."""
        return tuple(step for step in self.steps if isinstance(step, DecidedStep))


@dataclass(slots=True)
class Walk:
    """A comparison of each pair of schemas, once for all operations that reach it.

    Attributes:
        roots: the differences at the schemas of operations.
        below: the differences inside of each difference.
    """

    sides: tuple[Side, Side]
    discriminators: tuple[Discriminators, Discriminators]
    same: Sameness
    roots: list[Difference] = field(default_factory=list)
    below: dict[Difference, tuple[Difference, ...]] = field(default_factory=dict)
    _count: int = 0
    # None: the pair does not differ.
    _differences: dict[PairKey, Difference | None] = field(default_factory=dict)

    @property
    def is_complete(self) -> bool:
        """Whether all pairs that differ were compared."""
        return self._count <= MOST_PAIRS

    def compare(
        self, base: Subschemas, revision: Subschemas, transfer: Transfer
    ) -> Iterator[Difference]:
        """Yield the differing pairs at and below a place."""
        first = self._difference(_Places(base, revision), transfer)
        if first is not None:
            self.roots.append(first)
            yield from self.reachable([first])

    def reachable(
        self, start: Iterable[Difference], excluded: Collection[Difference] = ()
    ) -> Iterator[Difference]:
        """Yield differences and all below them, without going through excluded ones."""
        stack = [*start][::-1]
        seen = set(excluded)
        while stack:
            difference = stack.pop()
            if difference in seen:
                continue
            seen.add(difference)
            yield difference
            if difference not in self.below:
                transfer = difference.pair.transfer
                below = (
                    self._difference(
                        places, replace(transfer, encoding=places.encoding or transfer.encoding)
                    )
                    for places in self._places_below(difference.pair)
                )
                self.below[difference] = tuple(pair for pair in below if pair is not None)
            stack.extend(self.below[difference])

    def _difference(self, places: _Places, transfer: Transfer) -> Difference | None:
        places = self._resolved(places, transfer)
        key = _key(places, transfer)
        if key not in self._differences:
            self._differences[key] = None
            if not self._is_same(places.base, places.revision):
                self._count += 1
                if self.is_complete:
                    self._differences[key] = self._compare_pair(places, transfer)
        return self._differences[key]

    def _is_same(self, base: Subschemas, revision: Subschemas) -> bool:
        return len(base) == len(revision) and all(
            self.same(one.value, other.value) and self.same.at(other.pointer)
            for one, other in zip(base, revision, strict=True)
        )

    def _compare_pair(self, places: _Places, transfer: Transfer) -> Difference:
        base, revision = (side.document for side in self.sides)
        flats = (
            flatten(base, places.base, transfer.polarity),
            flatten(revision, places.revision, transfer.polarity),
        )
        pair = Pair(
            *flats,
            transfer,
            tuple(unions((base, revision), *flats, transfer.polarity)),
            (
                discriminator_of(self.discriminators[0], places.base),
                discriminator_of(self.discriminators[1], places.revision),
            ),
            places.context,
        )
        schemas = own_schemas(pair, self.sides, self.same)
        return Difference(pair, tuple(steps(pair, self.sides, schemas)), schemas)

    def _resolved(self, places: _Places, transfer: Transfer) -> _Places:
        """Return the targets of references, so that all references to a schema give one pair.

        A reference on one side only, or to another component, is a change in place, and is kept.
        """
        both = places.base, places.revision
        targets = [
            _targets(side.document, subschemas)
            for side, subschemas in zip(self.sides, both, strict=True)
        ]
        has_moved = [
            [target.pointer for target in side] != [subschema.pointer for subschema in subschemas]
            for side, subschemas in zip(targets, both, strict=True)
        ]
        is_other_component = len(targets[0]) == len(targets[1]) == 1 and is_another(
            Alternative(self.sides[0].document, places.base, transfer.polarity),
            Alternative(self.sides[1].document, places.revision, transfer.polarity),
        )
        if is_other_component or not all(has_moved):
            return places
        return places._replace(base=targets[0], revision=targets[1])

    def _places_below(self, pair: Pair) -> Iterator[_Places]:
        base, revision = pair.base, pair.revision
        for key in pair.shared:
            encoding = ValueEncoding.CONTENT if key[0] == "contentSchema" else None
            yield _Places(base.children[key], revision.children[key], encoding=encoding)
        if not pair.is_lifted:
            yield from self._other_properties(pair)
        for one, other in heirs(pair):
            yield _Places((one,), (other,))
        for union in pair.unions:
            for new, old in union.partners:
                candidates = tuple(_candidates(union, old, new, pair.transfer))
                context = (
                    UnionContext(base.places, revision.places, candidates)
                    if len(candidates) > 1
                    else None
                )
                yield _Places(
                    union.base[old].places, union.revision[new].places, pair.context or context
                )

    def _other_properties(self, pair: Pair) -> Iterator[_Places]:
        """Yield the properties declared on one side, with the schemas for them on the other."""
        flats = (pair.base, pair.revision)
        sending = directed(pair.transfer.polarity, *flats)[0]
        for flat, other, side in zip(flats, flats[::-1], self.sides[::-1], strict=True):
            for key, places in flat.children.items():
                if key[0] != "properties" or key in other.children:
                    continue
                for counterpart in (
                    *_schemas_of_unnamed(other, key[1]),
                    *(_schemas_elsewhere(side.document, other, key[1]) if other is sending else ()),
                ):
                    both = (places, counterpart) if flat is pair.base else (counterpart, places)
                    yield _Places(*both)


class _Places(NamedTuple):
    """The places of the schemas of a pair.

    Attributes:
        context: the unions around both, if other alternatives may accept the same values.
        encoding: how the values are sent; None if as those around them.
    """

    base: Subschemas
    revision: Subschemas
    context: UnionContext | None = None
    encoding: ValueEncoding | None = None


def _candidates(union: Union, old: int, new: int, transfer: Transfer) -> Iterator[Subschemas]:
    """Yield the alternatives that may accept values of one: its partner, and some of the others."""
    sender, partner, _ = directed(transfer.polarity, union.base[old], union.revision[new])
    _, receivers, _ = directed(transfer.polarity, union.base, union.revision)
    for alternative in receivers:
        if alternative is partner or alternative.may_accept(sender):
            yield alternative.places


def _schemas_of_unnamed(flat: FlatSchema, name: str) -> Iterator[Subschemas]:
    """Yield the schemas for a property that is not named, if it may be present."""
    patterns = [
        places
        for (keyword, pattern), places in flat.children.items()
        if keyword == "patternProperties" and matches(pattern, name)
    ]
    others = flat.children.get(("additionalProperties", ""))
    if patterns:
        yield from patterns
    elif others is not None:
        yield others
    elif name in flat.required:
        yield (Subschema(flat.where.get("required", flat.pointer), True),)


def _schemas_elsewhere(document: Document, flat: FlatSchema, name: str) -> Iterator[Subschemas]:
    """Yield the schemas for a property in alternatives and conditions."""
    if name not in flat.hidden:
        for schema in applying(document, flat.places):
            properties = schema.value.get("properties") if isinstance(schema.value, dict) else None
            if isinstance(properties, dict) and name in properties:
                at = schema.pointer + join("properties", name)
                yield (Subschema(at, properties[name]),)


def _targets(document: Document, places: Subschemas) -> Subschemas:
    return tuple(
        Subschema(*document.end(place.pointer, place.value))
        if isinstance(place.value, dict) and place.value.keys() <= _MEANINGLESS
        else place
        for place in places
    )


def _key(places: _Places, transfer: Transfer) -> PairKey:
    context = places.context or UnionContext((), (), ())
    parts = places.base, places.revision, context.base, context.revision, *context.candidates
    return (*map(_identity, parts), transfer)


def _identity(places: Subschemas) -> tuple[tuple[Pointer, str], ...]:
    # A schema may have been split into one for each of its types.
    return tuple(
        (place.pointer, str(place.value.get("type")) if isinstance(place.value, dict) else "")
        for place in places
    )

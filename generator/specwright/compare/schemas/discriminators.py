"""Changes of discriminators and of the tags of their alternatives (OAS 3.1.1, 4.8.25).

Alternatives are the members of a union, or the components that refer to a schema by `allOf`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from specwright.compare.schemas.alternatives import chosen_tags
from specwright.compare.schemas.flatten import Subschemas, nullable
from specwright.compare.schemas.pairs import Pair, directed
from specwright.compare.schemas.steps import SCHEMA_COMPATIBLE, DecidedStep
from specwright.compare.schemas.value_rules import VALUE_RULES
from specwright.compare.verdicts.change import became
from specwright.compare.verdicts.change_rule import ChangeCategory, ChangeRule
from specwright.compare.verdicts.example import REQUEST, example
from specwright.document.schemas.applicators import Subschema, spread
from specwright.document.schemas.discriminator_object import DISCRIMINATOR, mapped, tag_property
from specwright.document.schemas.discriminators import (
    COMPONENTS,
    Discriminator,
    Discriminators,
)
from specwright.findings import values_of
from specwright.json_values import mapping, sequence
from specwright.pointer import Pointer, join, split

DISCRIMINATOR_CHANGED = ChangeRule(
    "discriminator-changed",
    ChangeCategory.WIRE,
    "Receivers distinguish the alternatives by a property that no longer identifies them.",
    example=example(
        REQUEST,
        "{type: object, discriminator: {propertyName: kind}}",
        "{type: object, discriminator: {propertyName: type}}",
        "{type: object, discriminator: {propertyName: kind}, properties: {type: {}}}",
    ),
    remedy="Keep the property, and add a second one for finer distinctions.",
)


def heirs(pair: Pair) -> Iterator[tuple[Subschema, Subschema]]:
    """Yield the schemas that refer to both schemas of a pair by `allOf`, as its alternatives."""
    family = _Family.of(pair)
    if family is not None:
        for old, new in family.partners.items():
            # The schemas of the discriminators are the pair itself.
            if old != _parent(family.old):
                yield family.base[old], family.revision[new]


def discriminator_changes(pair: Pair) -> Iterator[DecidedStep]:
    """Yield the changes of the discriminator property, its alternatives and their tags."""
    names = [tag_property(flat.keywords) for flat in (pair.base, pair.revision)]
    if names == [None, None]:
        return
    places = _places(pair)
    if names[0] != names[1]:
        is_lost = None not in names or _is_missed(pair)
        rule = DISCRIMINATOR_CHANGED if is_lost else SCHEMA_COMPATIBLE
        message = f"the discriminator {became(*names)}"
        yield DecidedStep(rule, *places, message, values_of(*names))
        return
    family = _Family.of(pair)
    if family is not None:
        yield from family.changes(pair)
    match pair.discriminators:
        case Discriminator() as one, Discriminator() as other:
            yield from _default_changes(pair, one, other)
            if family is None:
                yield from _tag_changes(pair, one, other)


def _places(pair: Pair) -> tuple[Pointer, Pointer]:
    return (
        pair.base.place(DISCRIMINATOR, pair.revision),
        pair.revision.place(DISCRIMINATOR, pair.base),
    )


def _is_missed(pair: Pair) -> bool:
    """Return whether a discriminator is gone that receivers need.

    One that is new for senders is presumed to say what they had to send before.
    """
    sender, receiver, _ = directed(pair.transfer.polarity, *pair.discriminators)
    if sender or receiver is None or receiver is not pair.discriminators[0] or pair.is_lifted:
        return False
    for union in pair.unions:
        sent, _, _ = directed(pair.transfer.polarity, union.base, union.revision)
        if not all(receiver.name in alternative.tags for alternative in sent):
            return True
    return not pair.unions and len(receiver.alternatives) > 1


def _default_changes(pair: Pair, old: Discriminator, new: Discriminator) -> Iterator[DecidedStep]:
    """Yield the change of the schema of values without a known tag (OAS 3.2.0, 4.25.1)."""
    pointers = [side.default and side.default.pointer for side in (old, new)]
    if pointers[0] != pointers[1]:
        sender, _, _ = directed(pair.transfer.polarity, old.default, new.default)
        is_same = old.default and new.default and old.default.value == new.default.value
        rule = SCHEMA_COMPATIBLE if sender is None or is_same else DISCRIMINATOR_CHANGED
        names = [pointer and split(pointer)[-1] for pointer in pointers]
        message = f"the default of the discriminator {became(*names)}"
        yield DecidedStep(rule, *_places(pair), message, values_of("defaultMapping", *names))


def _tag_changes(pair: Pair, old: Discriminator, new: Discriminator) -> Iterator[DecidedStep]:
    """Yield the changes of the tags of the alternatives of unions."""
    broken: set[str] = set()
    differs = not pair.unions
    for union in pair.unions:
        differs = differs or bool(union.removed or union.added)
        for after, before in union.partners:
            base, revision = union.base[before], union.revision[after]
            differs = differs or base.known_tags(old) != revision.known_tags(new)
            sender, receiver, _ = directed(pair.transfer.polarity, (base, old), (revision, new))
            if not sender[0].sent_tags(sender[1]) <= receiver[0].known_tags(receiver[1]):
                broken.add(revision.name)
    listed = [sorted(mapped(flat.keywords)) for flat in (pair.base, pair.revision)]
    if broken:
        message = f"the discriminator has other tags for {', '.join(sorted(broken))}"
        values = values_of(sorted(broken), *listed)
        yield DecidedStep(DISCRIMINATOR_CHANGED, *_places(pair), message, values)
    elif listed[0] != listed[1] and differs:
        words = became(*(", ".join(tags) or "none" for tags in listed))
        message = f"tags of the discriminator: {words}"
        yield DecidedStep(SCHEMA_COMPATIBLE, *_places(pair), message, values_of(*listed))


@dataclass(frozen=True, slots=True)
class _Family:
    """A schema with a discriminator, and the components that are its alternatives by `allOf`.

    Attributes:
        partners: the pointers of those in both documents, by that in the base.
    """

    old: Discriminator
    new: Discriminator
    partners: dict[Pointer, Pointer]

    @classmethod
    def of(cls, pair: Pair) -> _Family | None:
        match pair.discriminators:
            case (
                Discriminator(is_inherited=True) as old,
                Discriminator(is_inherited=True) as new,
            ):
                return cls(old, new, dict(_partners(old, new)))
        return None

    @property
    def base(self) -> dict[Pointer, Subschema]:
        return {schema.pointer: schema for schema in self.old.tags.values()}

    @property
    def revision(self) -> dict[Pointer, Subschema]:
        return {schema.pointer: schema for schema in self.new.tags.values()}

    def changes(self, pair: Pair) -> Iterator[DecidedStep]:
        """Yield the added and removed alternatives, and those with other tags."""
        sender, receiver, suffix = directed(pair.transfer.polarity, self.old, self.new)
        # Unknown tags have a schema, too, if the receiver declares a default.
        unknown = SCHEMA_COMPATIBLE if receiver.default else VALUE_RULES[f"union-{suffix}"]
        rules = (unknown, SCHEMA_COMPATIBLE)
        of_removed, of_added = rules if sender is self.old else rules[::-1]
        known = {*self.partners.values()}
        for pointer, tags in self.old.alternatives.items():
            if pointer not in self.partners:
                message, values = _words("loses", pointer), values_of(pointer, *tags)
                yield DecidedStep(of_removed, pointer, self.new.pointer, message, values)
        for pointer, tags in self.new.alternatives.items():
            if pointer not in known:
                message, values = _words("gains", pointer), values_of(pointer, *tags)
                yield DecidedStep(of_added, None, pointer, message, values)
        for before, after in self.partners.items():
            yield from self._tag_change(pair, before, after)

    def _tag_change(self, pair: Pair, before: Pointer, after: Pointer) -> Iterator[DecidedStep]:
        old, new = (
            {*side.alternatives.get(pointer, ())}
            for side, pointer in ((self.old, before), (self.new, after))
        )
        if before == _parent(self.old):
            # Its name, or the values that it lists, are not those of an alternative.
            old &= mapped(pair.base.keywords).keys()
            new &= mapped(pair.revision.keywords).keys()
        if old != new:
            polarity = pair.transfer.polarity
            sent = chosen_tags(before, old), chosen_tags(after, new)
            (used, _), (_, known), _ = directed(polarity, (sent[0], old), (sent[1], new))
            _, receiver, _ = directed(polarity, self.old, self.new)
            is_known = used <= known or receiver.default is not None
            rule = SCHEMA_COMPATIBLE if is_known else DISCRIMINATOR_CHANGED
            words = became(*(", ".join(sorted(tags)) or "none" for tags in sent))
            message = f"the tag of {split(after)[-1]} in the discriminator: {words}"
            values = values_of(after, sorted(old), sorted(new))
            places = self.old.pointer, self.new.pointer
            yield DecidedStep(rule, *places, message, values)


def _parent(discriminator: Discriminator) -> Pointer:
    return discriminator.pointer.removesuffix(join(DISCRIMINATOR))


def _words(verb: str, pointer: Pointer) -> str:
    return f"the discriminator {verb} {split(pointer)[-1]}"


def _partners(old: Discriminator, new: Discriminator) -> Iterator[tuple[Pointer, Pointer]]:
    """Yield the alternatives that match: of one name, else of one tag, else of equal schemas."""
    was, free = ({**side.alternatives} for side in (old, new))
    # The schemas of the discriminators belong together, and may have no tag of their own.
    yield _parent(old), _parent(new)
    was.pop(_parent(old), None)
    free.pop(_parent(new), None)
    rest = []
    for pointer in was:
        if pointer in free:
            del free[pointer]
            yield pointer, pointer
        else:
            rest.append(pointer)
    schemas = {schema.pointer: schema.value for schema in (*old.tags.values(), *new.tags.values())}
    for pointer in rest:
        tags = {*was[pointer]}
        partner = next(
            (other for other, others in free.items() if tags & {*others}),
            next((other for other in free if schemas[other] == schemas[pointer]), None),
        )
        if partner is not None:
            del free[partner]
            yield pointer, partner


def discriminator_of(discriminators: Discriminators, places: Subschemas) -> Discriminator | None:
    """Return the discriminator of a schema, or of the one that it consists of.

    A component with an `allOf` is an alternative of the schemas there, and not one of them.
    """
    document = discriminators.document

    def whole(schema: Subschema) -> Iterator[Subschema]:
        inner = nullable(schema)
        parts = sequence(mapping(schema.value).get("allOf"))
        if inner is not None:
            yield Subschema(*document.end(inner.pointer, inner.value))
        elif len(parts) == 1 and schema.pointer.rpartition("/")[0] != COMPONENTS:
            yield Subschema(*document.end(schema.pointer + join("allOf", 0), parts[0]))

    ends = [Subschema(*document.end(place.pointer, place.value)) for place in places]
    every = map(discriminators.of, spread(ends, whole))
    return next((discriminator for discriminator in every if discriminator is not None), None)

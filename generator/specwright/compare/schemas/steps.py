"""The steps from one schema to another, keyword by keyword, each with the rule it may break.

Each step starts where the one before it ended, so that all together lead from the base to the
revision, and a keyword that no longer applies is not held against anybody.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

from specwright.compare.schemas.equality import Sameness
from specwright.compare.schemas.flatten import CHOICES, ChildKey, Flat
from specwright.compare.schemas.polarity import Polarity, Way, Writing
from specwright.compare.schemas.presence import Event, event, presence
from specwright.compare.schemas.text_parsing import readable
from specwright.compare.verdicts.change import became
from specwright.compare.verdicts.change_rules import ChangeRule
from specwright.document.applicators import Subschema
from specwright.pointer import Pointer, split
from specwright.samples.non_validating import felt_by
from specwright.samples.sides import Side

T = TypeVar("T")
Schema = dict[str, Any]
COMPATIBLE = ChangeRule.SCHEMA_COMPATIBLE


class Keywords(NamedTuple):
    """Keywords that mean something together.

    Attributes:
        stem: the start of the ids of the rules: `…-narrowed` and `…-widened`.
        asserts: whether validators enforce them; else any change is taken for a break.
    """

    stem: str
    names: tuple[str, ...]
    asserts: bool = True


# In this order: what a value is, what limits it, what it holds, what it is put together from.
STEPS = (
    Keywords("type", ("type",)),
    Keywords("enum", ("enum", "const")),
    Keywords("format", ("format",), asserts=False),
    Keywords("content", ("contentEncoding",), asserts=False),
    Keywords("content", ("contentMediaType",), asserts=False),
    Keywords("content", ("contentSchema",), asserts=False),
    Keywords("range", ("minimum", "exclusiveMinimum")),
    Keywords("range", ("maximum", "exclusiveMaximum")),
    Keywords("range", ("multipleOf",)),
    Keywords("length", ("minLength",)),
    Keywords("length", ("maxLength",)),
    Keywords("pattern", ("pattern",)),
    Keywords("array", ("minItems",)),
    Keywords("array", ("maxItems",)),
    Keywords("array", ("uniqueItems",)),
    Keywords("array", ("items", "prefixItems", "unevaluatedItems")),
    Keywords("array", ("contains", "minContains", "maxContains")),
    Keywords("object", ("minProperties",)),
    Keywords("object", ("maxProperties",)),
    Keywords("object", ("additionalProperties", "patternProperties", "unevaluatedProperties")),
    Keywords("object", ("propertyNames",)),
    Keywords("object", ("dependentRequired",)),
    Keywords("object", ("dependentSchemas",)),
    Keywords("union", ("anyOf",)),
    Keywords("union", ("oneOf",)),
    Keywords("union", ("allOf",)),
    Keywords("union", ("not",)),
    Keywords("union", ("if", "then", "else")),
    Keywords("union", ("$dynamicRef", "$ref")),
)
# Formats of which the second takes every value of the first.
_WIDER_FORMATS = (["int32", "int64"], ["float", "double"], ["uri", "uri-reference"])
# Patterns that every text has.
_EVERYTHING = ("", ".*", "^", "$", "^.*")


@dataclass(frozen=True, slots=True)
class Claim:
    """A step that breaks a rule unless its receiver takes all that may be sent.

    Attributes:
        felt: the type of the values that a note is about; any change of it is taken for a break.
            None for what validators enforce.
        otherwise: the rule that the step breaks even so.
        base, revision: the places of the keyword.
        read: what the receiver takes as well, where values are text.
    """

    rule: ChangeRule
    sent: Schema
    taken: Schema
    felt: str | None
    base: Pointer | None
    revision: Pointer
    message: str
    otherwise: ChangeRule = COMPATIBLE
    read: Schema | None = None


@dataclass(frozen=True, slots=True)
class Plain:
    """A step whose meaning for others needs no proof."""

    rule: ChangeRule
    base: Pointer | None
    revision: Pointer
    message: str


@dataclass(frozen=True, slots=True)
class Pair:
    """A schema of the base and the one of the revision that took its place."""

    base: Flat
    revision: Flat
    way: Way

    @property
    def shared(self) -> tuple[ChildKey, ...]:
        """The schemas below that both have."""
        return tuple(key for key in self.base.children if key in self.revision.children)


def steps(pair: Pair, sides: tuple[Side, Side], same: Sameness) -> Iterator[Claim | Plain]:
    """The steps from the base to the revision of a pair."""
    before, after = _written(pair, sides, same)
    for step in _steps(pair, before, after):
        if isinstance(step, Claim):
            # Only what is sent at all can be refused, whatever the steps in between allow.
            sent, _, _ = _directed(pair.way.polarity, before, after)
            read = _read(step.taken, pair, sides)
            yield replace(step, sent={"allOf": [sent, step.sent]}, read=read)
        else:
            yield step


def _read(taken: Schema, pair: Pair, sides: tuple[Side, Side]) -> Schema | None:
    """What the receiver reads out of text, if that is how values are sent."""
    if pair.way.writing is Writing.TYPED:
        return None
    _, receiver, _ = _directed(pair.way.polarity, pair.base, pair.revision)
    _, side, _ = _directed(pair.way.polarity, *sides)
    return readable(taken, receiver, side, pair.way)


def _steps(pair: Pair, before: Schema, after: Schema) -> Iterator[Claim | Plain]:
    current = dict(before)
    for group in STEPS:
        following = {name: each for name, each in current.items() if name not in group.names}
        following |= {name: after[name] for name in group.names if name in after}
        if following != current:
            yield from _keyword_step(group, pair, current, following)
        current = following
    for name in _changed_properties(pair):
        following = _with_property(current, name, pair.revision)
        yield from _property_step(name, pair, current, following)
        current = following


def _keyword_step(
    group: Keywords, pair: Pair, before: Schema, after: Schema
) -> Iterator[Claim | Plain]:
    names = [name for name in group.names if before.get(name) != after.get(name)]
    base = pair.base.place(names[0], pair.revision)
    revision = pair.revision.place(names[0], pair.base)
    message = "; ".join(f"{name} {_words(name, pair)}" for name in names)
    sent, taken, suffix = _directed(pair.way.polarity, before, after)
    stem = "nullable" if names == ["type"] and _is_null_only(before, after) else group.stem
    if not group.asserts and _is_wider(sent.get(names[0]), taken.get(names[0])):
        yield Plain(COMPATIBLE, base, revision, message)
    else:
        rule = ChangeRule(f"{stem}-{suffix}")
        otherwise = ChangeRule.ALTERNATIVE_CHANGED if _lacks_choice(names[0], pair) else COMPATIBLE
        felt = None if group.asserts else felt_by(names[0], taken.get(names[0]))
        yield Claim(rule, sent, taken, felt, base, revision, message, otherwise)


def _lacks_choice(name: str, pair: Pair) -> bool:
    """Whether the receiver has fewer alternatives than the sender, if both have any."""
    sent, taken, _ = _directed(pair.way.polarity, pair.base.choices, pair.revision.choices)
    return 0 < len(taken.get(name, ())) < len(sent.get(name, ()))


def _is_wider(sent: Any, taken: Any) -> bool:
    """Whether a note that no validator knows allows all that another one stands for."""
    return taken is None or [sent, taken] in _WIDER_FORMATS


def _directed(polarity: Polarity, before: T, after: T) -> tuple[T, T, str]:
    """What is sent, what is taken, and what a break is called."""
    if polarity is Polarity.TO_SERVER:
        return before, after, "narrowed"
    return after, before, "widened"


def _is_null_only(before: Schema, after: Schema) -> bool:
    kinds = [_kinds(each.get("type")) for each in (before, after)]
    return all(kinds) and kinds[0] ^ kinds[1] == {"null"}


def _kinds(value: Any) -> set[str]:
    return {value} if isinstance(value, str) else set(map(str, value or ()))


def _words(name: str, pair: Pair) -> str:
    sides = (pair.base, pair.revision)
    if name in CHOICES:
        listed = [[_label(each) for each in side.choices.get(name, ())] for side in sides]
        return became(*(", ".join(each) if each else None for each in listed))
    values = [side.keywords.get(name) for side in sides]
    if values == [None, None]:
        has = [any(key[0] == name for key in side.children) for side in sides]
        return {(False, True): "is new", (True, False): "is gone"}.get((has[0], has[1]), "changed")
    if name in ("enum", "type") and all(isinstance(each, list) for each in values):
        old, new = values
        added = [each for each in new or () if each not in (old or ())]
        removed = [each for each in old or () if each not in (new or ())]
        parts = [("gains", added), ("loses", removed)]
        return " and ".join(
            f"{verb} {', '.join(map(str, each[:8]))}{', …' if len(each) > 8 else ''}"
            for verb, each in parts
            if each
        )
    return became(*values)


def _label(choice: Subschema) -> str:
    value = choice.value
    if isinstance(value, dict) and isinstance(value.get("$ref"), str):
        return str(value["$ref"]).rpartition("/")[2]
    named = value.get("title") or value.get("type") if isinstance(value, dict) else None
    return str(named or split(choice.pointer)[-1])


def _changed_properties(pair: Pair) -> Iterator[str]:
    named = [
        *(name for keyword, name in pair.base.children if keyword == "properties"),
        *(name for keyword, name in pair.revision.children if keyword == "properties"),
        *sorted(pair.base.required | pair.revision.required),
    ]
    for name in dict.fromkeys(named):
        if _presence(pair.base, name) is not _presence(pair.revision, name):
            yield name


def _presence(flat: Flat, name: str) -> Any:
    return presence(declared=("properties", name) in flat.children, required=name in flat.required)


def _with_property(schema: Schema, name: str, revision: Flat) -> Schema:
    """The schema with a property as the revision has it."""
    properties = {key: each for key, each in schema.get("properties", {}).items() if key != name}
    required = [key for key in schema.get("required", ()) if key != name]
    if ("properties", name) in revision.children:
        properties[name] = True
    if name in revision.required:
        required.append(name)
    return {**schema, "properties": properties, "required": required}


def _property_step(name: str, pair: Pair, before: Schema, after: Schema) -> Iterator[Claim | Plain]:
    states = _presence(pair.base, name), _presence(pair.revision, name)
    happened = event(*states, pair.way.polarity)
    base, revision = (_property_place(flat, name) for flat in (pair.base, pair.revision))
    message = f"property '{name}' was {states[0]}, is {states[1]}"
    sent, taken, _ = _directed(pair.way.polarity, before, after)
    is_closed = taken.get("additionalProperties") is False
    closed = {
        Event.REMOVED: ChangeRule.PROPERTY_REFUSED,
        Event.ADDED: ChangeRule.PROPERTY_UNEXPECTED,
    }
    if happened in (Event.REQUIRED, Event.NOT_SENT):
        rule = ChangeRule(f"property-{happened}")
        yield Claim(rule, sent, taken, None, base, revision, message)
    elif is_closed and happened in closed and name not in taken["properties"]:
        yield Claim(closed[happened], sent, taken, None, base, revision, message)
    elif happened is Event.REMOVED and name not in pair.revision.hidden:
        yield Plain(ChangeRule.PROPERTY_REMOVED, base, revision, message)
    else:
        yield Plain(COMPATIBLE, base, revision, message)


def _property_place(flat: Flat, name: str) -> Pointer:
    places = flat.children.get(("properties", name))
    return places[0].pointer if places else flat.where.get("required", flat.pointer)


def _written(pair: Pair, sides: tuple[Side, Side], same: Sameness) -> tuple[Schema, Schema]:
    """Both schemas by themselves: what is compared below them is open in both."""
    base, revision = pair.base, pair.revision
    written: tuple[Schema, Schema] = ({}, {})
    known = {name for group in STEPS for name in group.names} | {"required"}
    for name in known & (base.keywords.keys() | revision.keywords.keys()):
        values = base.keywords.get(name), revision.keywords.get(name)
        is_same = same(*values)
        for into, value, side in zip(written, values, sides, strict=True):
            if value is not None:
                into[name] = sides[0].absolute(values[0]) if is_same else side.absolute(value)
    shared = set(pair.shared)
    for into, flat, side in zip(written, (base, revision), sides, strict=True):
        for key, places in flat.children.items():
            open_ = key in shared or key[0] == "properties"
            _put(into, key, True if open_ else side.whole(places))
    for name in CHOICES:
        _put_choices(name, pair, sides, written)
    for into in written:
        if into.get("pattern") in _EVERYTHING:
            del into["pattern"]
    return written


def _put(schema: Schema, key: ChildKey, value: Any) -> None:
    keyword, name = key
    if keyword in ("prefixItems", "allOf"):
        schema.setdefault(keyword, []).append(value)
    elif name or keyword in ("properties", "patternProperties", "dependentSchemas"):
        schema.setdefault(keyword, {})[name] = value
    else:
        schema[keyword] = value


def _put_choices(
    name: str, pair: Pair, sides: tuple[Side, Side], written: tuple[Schema, Schema]
) -> None:
    """Alternatives that both have stand for each other; they are compared by themselves."""
    base, revision = pair.base.choices.get(name), pair.revision.choices.get(name)
    partners = dict(matched(base or [], revision or []))
    if base is not None:
        written[0][name] = [sides[0].reference(each.pointer) for each in base]
    if revision is not None:
        after = [
            sides[0].reference((base or [])[partners[n]].pointer)
            if n in partners
            else sides[1].reference(each.pointer)
            for n, each in enumerate(revision)
        ]
        # The order of alternatives means nothing.
        kept = [each for each in written[0].get(name, ()) if each in after]
        written[1][name] = kept + [each for each in after if each not in kept]


def matched(base: list[Subschema], revision: list[Subschema]) -> Iterator[tuple[int, int]]:
    """Which alternative of the revision (first) is which one of the base (second)."""
    free = dict(enumerate(base))
    left: list[int] = []
    for index, place in enumerate(revision):
        partner = next((n for n, each in free.items() if each.value == place.value), None)
        if partner is None:
            left.append(index)
        else:
            del free[partner]
            yield index, partner
    # What is left was renamed or edited in place, if it has kept its number.
    if len(left) == len(free):
        yield from zip(left, free, strict=True)

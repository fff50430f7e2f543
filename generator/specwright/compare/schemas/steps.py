"""The steps from one schema to another, keyword by keyword, each with the rule it may break.

Each step starts where the one before it ended, so that all together lead from the base to the
revision, and a keyword that no longer applies does not count as a break.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from specwright.compare.schemas.alternatives import Alternative
from specwright.compare.schemas.equality import equal
from specwright.compare.schemas.flatten import FlatSchema
from specwright.compare.schemas.keyword_changes import (
    keyword_place,
    keyword_value,
    keyword_words,
)
from specwright.compare.schemas.pairs import STEPS, Keywords, Pair, Schema, directed
from specwright.compare.schemas.presence import (
    PROPERTY_RULES,
    Presence,
    PresenceChange,
    presence,
    presence_change,
    presence_words,
)
from specwright.compare.schemas.text_parsing import with_parsed_text
from specwright.compare.schemas.transfer import ValueEncoding
from specwright.compare.schemas.unions import ALTERNATIVE_CHANGED, Union
from specwright.compare.schemas.value_rules import VALUE_RULES
from specwright.compare.verdicts.announcements import SUNSET_REMOVED
from specwright.compare.verdicts.change_rule import CONTINUE_TO_ACCEPT, ChangeCategory, ChangeRule
from specwright.compare.verdicts.example import (
    CLOSED,
    MORE,
    ONE,
    REQUEST,
    RESPONSE,
    TWO,
    TWO_OLD,
    example,
)
from specwright.document.model import Document
from specwright.document.schemas.applicators import applying
from specwright.findings import values_of
from specwright.json_values import JsonValue, declared_mapping, declared_sequence, mapping, texts
from specwright.pointer import Pointer, join
from specwright.samples.non_validating import KNOWN_FORMATS, type_of_keyword
from specwright.samples.sides import Side

# Formats of which the second allows every value of the first.
_WIDER_FORMATS = (["int32", "int64"], ["float", "double"], ["uri", "uri-reference"])
# Null as a value of these keywords.
_NULLS = {"type": '"null"', "enum": "null"}
_NULL = {"widened": "null is now allowed", "narrowed": "null is no longer allowed"}

SCHEMA_COMPATIBLE = ChangeRule(
    "schema-compatible",
    ChangeCategory.COMPATIBLE,
    "A schema changed, and receivers accept every value that may be sent.",
    example=example(REQUEST, "{type: integer}", "{type: number}"),
)
PROPERTY_REFUSED = ChangeRule(
    "property-refused",
    ChangeCategory.WIRE,
    "An object without additional properties no longer has a property that clients send.",
    example=example(REQUEST, TWO % CLOSED, ONE % CLOSED, TWO_OLD % CLOSED),
    remedy=CONTINUE_TO_ACCEPT,
    after_sunset=SUNSET_REMOVED,
)
PROPERTY_UNEXPECTED = ChangeRule(
    "property-unexpected",
    ChangeCategory.CLIENT_SOURCE,
    (
        "An object that was declared without additional properties gets one: strict clients "
        "reject it."
    ),
    example=example(RESPONSE, ONE % CLOSED, TWO % CLOSED, ONE % CLOSED, MORE),
    remedy=(
        "Send it in a new operation. Declare responses that may grow without "
        "`additionalProperties: false`."
    ),
)


@dataclass(frozen=True, slots=True)
class UnprovenStep:
    """A step that breaks a rule unless the receiver accepts every value that may be sent.

    Attributes:
        sender: the sender's schema at the step, in which earlier steps are made already.
        receiver: the receiver's schema at the step.
        applies_to: the type that a non-validating keyword applies to; any change of it counts as a
            break. None for keywords that validators enforce.
        otherwise: the rule for the step if it is safe.
        base, revision: the places of the keyword.
        values: what changed, apart from the words of the message, as JSON texts.
        receiver_of_text: the receiver's schema with values that parse alike, where values are text.
        by_example: whether only a counterexample proves a break, as authors rarely intend it.
        whole_sender: the sender's schema; only its values count, not those of intermediate schemas.
    """

    rule: ChangeRule
    sender: Schema
    receiver: Schema
    applies_to: str | None
    base: Pointer | None
    revision: Pointer
    message: str
    values: tuple[str, ...]
    otherwise: ChangeRule = SCHEMA_COMPATIBLE
    receiver_of_text: Schema | None = None
    by_example: bool = False
    whole_sender: Schema = field(default_factory=dict)

    @property
    def sender_values(self) -> Schema:
        """The schema of the values sent at the beginning of the step."""
        return {"allOf": [self.whole_sender, self.sender]}


@dataclass(frozen=True, slots=True)
class DecidedStep:
    """A step that is judged without a proof."""

    rule: ChangeRule
    base: Pointer | None
    revision: Pointer
    message: str
    values: tuple[str, ...]


def steps(
    pair: Pair, sides: tuple[Side, Side], schemas: tuple[Schema, Schema]
) -> Iterator[UnprovenStep | DecidedStep]:
    """Yield the steps from the base to the revision of a pair, between its two schemas."""
    before, after = schemas
    for step in _steps(pair, sides, before, after):
        if isinstance(step, UnprovenStep):
            sender, _, _ = directed(pair.transfer.polarity, before, after)
            read = _receiver_of_text(step.receiver, pair, sides)
            yield replace(step, whole_sender=sender, receiver_of_text=read)
        else:
            yield step


def _receiver_of_text(receiver: Schema, pair: Pair, sides: tuple[Side, Side]) -> Schema | None:
    """Return the schema of the values that the receiver parses, if they are sent as text."""
    if pair.transfer.encoding in (ValueEncoding.TYPED, ValueEncoding.CONTENT):
        return None
    _, flat, _ = directed(pair.transfer.polarity, pair.base, pair.revision)
    _, side, _ = directed(pair.transfer.polarity, *sides)
    return with_parsed_text(receiver, flat, side, pair.transfer)


def _steps(
    pair: Pair, sides: tuple[Side, Side], before: Schema, after: Schema
) -> Iterator[UnprovenStep | DecidedStep]:
    if pair.is_lifted:
        yield from _union_step(pair.unions[0], pair, sides, before, after)
        return
    current = dict(before)
    for group in STEPS:
        following = {name: value for name, value in current.items() if name not in group.names}
        following |= {name: after[name] for name in group.names if name in after}
        if not equal(following, current):
            union = next(
                (pair_union for pair_union in pair.unions if pair_union.keyword in group.names),
                None,
            )
            if union is not None:
                yield from _union_step(union, pair, sides, current, following)
            else:
                yield from _keyword_step(group, pair, current, following)
        current = following
    for name in _changed_properties(pair):
        following = _with_property(current, name, pair.revision, after)
        yield from _property_step(name, pair, sides, current, following)
        current = following


def _union_step(
    union: Union, pair: Pair, sides: tuple[Side, Side], before: Schema, after: Schema
) -> Iterator[UnprovenStep | DecidedStep]:
    """Yield the step of a union; its shared alternatives are compared separately."""
    names = [name or union.keyword for name in union.names]
    base = pair.base.place(names[0], pair.revision)
    revision = pair.revision.place(names[1], pair.base)
    sender, receiver, suffix = directed(pair.transfer.polarity, before, after)
    side, _, _ = directed(pair.transfer.polarity, *sides)
    unmatched, others, _ = directed(pair.transfer.polarity, union.removed, union.added)
    is_union, _, _ = directed(pair.transfer.polarity, *union.names)
    if not pair.is_lifted and is_union is None:
        rule = VALUE_RULES[f"union-{suffix}"]
        yield UnprovenStep(
            rule, sender, receiver, None, base, revision, union.message, union.values
        )
        return
    if not unmatched:
        schemas = _disjoint_schemas(union, pair, sides)
        if schemas is not None:
            message = f"{union.message}, and a value may match several of them"
            rule = VALUE_RULES[f"union-{suffix}"]
            yield UnprovenStep(
                rule, *schemas, None, base, revision, message, union.values, by_example=True
            )
        elif others:
            yield DecidedStep(SCHEMA_COMPATIBLE, base, revision, union.message, union.values)
        return
    stem = _union_stem(union, unmatched)
    fewer = 0 < len(others) + len(union.partners) < len(unmatched) + len(union.partners)
    otherwise = ALTERNATIVE_CHANGED if fewer and None not in union.names else SCHEMA_COMPATIBLE
    if _has_unknown_tags(unmatched, pair):
        otherwise = VALUE_RULES[f"{stem}-{suffix}"]
    around = [*declared_mapping(sender.get("properties")), *texts(sender.get("required"))]
    lost: Schema = {
        **sender,
        union.keyword: [alternative.closed_schema(side, around) for alternative in unmatched],
    }
    rule, message = VALUE_RULES[f"{stem}-{suffix}"], union.message
    if stem == "nullable":
        message = _NULL[suffix]
    yield UnprovenStep(rule, lost, receiver, None, base, revision, message, union.values, otherwise)


def _has_unknown_tags(unmatched: list[Alternative], pair: Pair) -> bool:
    """Return whether alternatives are sent with tags that the receiver does not declare."""
    sender, receiver, _ = directed(pair.transfer.polarity, *pair.discriminators)
    if sender is None or receiver is None or receiver.default is not None:
        return False
    tags = {tag for alternative in unmatched for tag in alternative.sent_tags(sender)}
    return not tags <= receiver.tags.keys()


def _disjoint_schemas(
    union: Union, pair: Pair, sides: tuple[Side, Side]
) -> tuple[Schema, Schema] | None:
    """Return a schema that became a `oneOf`, and a schema that rejects only the overlaps of that.

    None if the schema is one of the alternatives: the others are meant for other values.
    """
    lone, others, _ = directed(pair.transfer.polarity, union.base, union.revision)
    names = directed(pair.transfer.polarity, *union.names)
    if names[:2] != (None, "oneOf") or len(lone) != 1:
        return None
    if any(alternative.meaning == lone[0].meaning for alternative in others):
        return None
    sender, receiver, _ = directed(pair.transfer.polarity, *sides)
    choices: list[JsonValue] = [receiver.whole(alternative.places) for alternative in others]
    closed = lone[0].closed_schema(sender)
    return (
        closed if isinstance(closed, dict) else {"allOf": [closed]},
        {"anyOf": [{"oneOf": choices}, {"not": {"anyOf": choices}}]},
    )


def _union_stem(union: Union, unmatched: list[Alternative]) -> str:
    if all(alternative.is_null for alternative in unmatched):
        return "nullable"
    is_enumeration = all(
        alternative.values is not None for alternative in (*union.base, *union.revision)
    )
    return "enum" if is_enumeration else "union"


def _keyword_step(
    group: Keywords, pair: Pair, before: Schema, after: Schema
) -> Iterator[UnprovenStep | DecidedStep]:
    names = [
        name
        for name in group.names
        if (name in before) is not (name in after) or not equal(before.get(name), after.get(name))
    ]
    base = keyword_place(names[0], pair.base, pair.revision)
    revision = keyword_place(names[0], pair.revision, pair.base)
    message = "; ".join(keyword_words(name, (pair.base, pair.revision)) for name in names)
    values = values_of(
        *(
            (name, keyword_value(pair.base, name), keyword_value(pair.revision, name))
            for name in names
        )
    )
    sender, receiver, suffix = directed(pair.transfer.polarity, before, after)
    stem = group.stem
    if _is_null_only(names, before, after):
        stem, message = "nullable", _NULL[_null_suffix(names[0], before, after)]
        base, revision = (
            _null_place(names[0], place, other)
            for place, other in ((pair.base, pair.revision), (pair.revision, pair.base))
        )
    if not group.asserts and _is_wider(names[0], sender.get(names[0]), receiver.get(names[0])):
        yield DecidedStep(SCHEMA_COMPATIBLE, base, revision, message, values)
    else:
        rule = VALUE_RULES[f"{stem}-{suffix}"]
        applies_to = None if group.asserts else type_of_keyword(names[0], receiver.get(names[0]))
        yield UnprovenStep(rule, sender, receiver, applies_to, base, revision, message, values)


def _is_wider(keyword: str, sender: JsonValue, receiver: JsonValue) -> bool:
    """Return whether a non-validating keyword of the receiver includes that of the sender."""
    is_unknown = keyword == "format" and receiver not in KNOWN_FORMATS
    return receiver is None or is_unknown or [sender, receiver] in _WIDER_FORMATS


def _is_null_only(names: list[str], before: Schema, after: Schema) -> bool:
    if names not in (["type"], ["enum"]):
        return False
    old, new = (_values(enum.get(names[0])) for enum in (before, after))
    return bool(old and new) and old ^ new == {_NULLS[names[0]]}


def _null_suffix(keyword: str, before: Schema, after: Schema) -> str:
    has_it = _NULLS[keyword] in _values(after.get(keyword))
    return "widened" if has_it else "narrowed"


def _values(value: JsonValue) -> set[str]:
    """Return the types or values of a keyword, each as JSON text."""
    values = value if isinstance(value, list) else [] if value is None else [value]
    return {json.dumps(member, sort_keys=True) for member in values}


def _null_place(keyword: str, flat: FlatSchema, other: FlatSchema) -> Pointer:
    """Return the place where a schema allows null, or would allow it."""
    if flat.null is not None or other.null is not None:
        return flat.null or flat.pointer
    kinds = flat.keywords.get(keyword)
    # Of several parts, each has a list of its own.
    if keyword == "type" and isinstance(kinds, list) and "null" in kinds and len(flat.parts) == 1:
        return flat.where[keyword] + join(kinds.index("null"))
    return keyword_place(keyword, flat, other)


def _changed_properties(pair: Pair) -> Iterator[str]:
    names = [
        *(name for keyword, name in pair.base.children if keyword == "properties"),
        *(name for keyword, name in pair.revision.children if keyword == "properties"),
        *sorted(pair.base.required | pair.revision.required),
    ]
    for name in dict.fromkeys(names):
        if _presence(pair.base, name) is not _presence(pair.revision, name):
            yield name


def _presence(flat: FlatSchema, name: str) -> Presence:
    return presence(declared=("properties", name) in flat.children, required=name in flat.required)


def _with_property(schema: Schema, name: str, revision: FlatSchema, after: Schema) -> Schema:
    """Return the schema with a property as in the revision."""
    declared = declared_mapping(schema.get("properties"))
    properties = {key: value for key, value in declared.items() if key != name}
    required = [key for key in declared_sequence(schema.get("required")) if key != name]
    if ("properties", name) in revision.children:
        properties[name] = mapping(after["properties"])[name]
    if name in revision.required:
        required.append(name)
    return {**schema, "properties": properties, "required": required}


def _property_step(
    name: str, pair: Pair, sides: tuple[Side, Side], before: Schema, after: Schema
) -> Iterator[UnprovenStep | DecidedStep]:
    states = _presence(pair.base, name), _presence(pair.revision, name)
    change = presence_change(*states, pair.transfer.polarity)
    base, revision = (_property_place(flat, name) for flat in (pair.base, pair.revision))
    message = f"property '{name}' {_property_words(name, pair, states)}"
    values = values_of(name)
    sender, receiver, _ = directed(pair.transfer.polarity, before, after)
    _, receiving, _ = directed(pair.transfer.polarity, pair.base, pair.revision)
    is_closed = receiving.keywords.get("additionalProperties") is False
    rules_if_closed = {
        PresenceChange.REMOVED: PROPERTY_REFUSED,
        PresenceChange.ADDED: PROPERTY_UNEXPECTED,
    }
    # A closed schema still accepts a property that it declares for the other direction.
    is_closed = is_closed and name not in receiving.hidden
    if change in (PresenceChange.REQUIRED, PresenceChange.NOT_SENT):
        rule = PROPERTY_RULES[change]
        yield UnprovenStep(rule, sender, receiver, None, base, revision, message, values)
    elif (
        is_closed
        and change in rules_if_closed
        and name not in declared_mapping(receiver.get("properties"))
    ):
        rule = rules_if_closed[change]
        yield UnprovenStep(rule, sender, receiver, None, base, revision, message, values)
    elif change is PresenceChange.REMOVED and (
        name in pair.revision.hidden or name not in _declared_properties(sides[1].document, pair)
    ):
        yield DecidedStep(PROPERTY_RULES[change], base, revision, message, values)
    else:
        yield DecidedStep(SCHEMA_COMPATIBLE, base, revision, message, values)


def _property_words(name: str, pair: Pair, states: tuple[Presence, Presence]) -> str:
    """Return the change of a property in words, by the keyword that left it out or does so now."""
    mark = pair.transfer.polarity.mark
    if name in pair.revision.hidden:
        return f"is now {mark}"
    if name in pair.base.hidden:
        also = ", and required" if states[1] is Presence.REQUIRED else ""
        return f"is no longer {mark}{also}"
    return presence_words(*states)


def _declared_properties(document: Document, pair: Pair) -> set[str]:
    """Return the properties that the revision declares for a pair, including in alternatives."""
    places = pair.context.revision if pair.context else pair.revision.places
    return {
        name
        for subschema in applying(document, places)
        for name in declared_mapping(mapping(subschema.value).get("properties"))
    }


def _property_place(flat: FlatSchema, name: str) -> Pointer:
    places = flat.children.get(("properties", name))
    if name in flat.hidden:
        return flat.hidden[name]
    return places[0].pointer if places else flat.where.get("required", flat.pointer)

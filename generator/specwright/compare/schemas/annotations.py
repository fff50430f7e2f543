"""Changes of annotations: keywords that validators do not enforce, but that clients rely on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from specwright.compare.schemas.discriminators import discriminator_changes
from specwright.compare.schemas.equality import equal
from specwright.compare.schemas.pairs import Pair
from specwright.compare.schemas.steps import SCHEMA_COMPATIBLE, DecidedStep
from specwright.compare.schemas.transfer import Transfer, ValueEncoding
from specwright.compare.verdicts.announcements import announcement_changes
from specwright.compare.verdicts.change import became
from specwright.compare.verdicts.change_rule import (
    SERIALISATION_CHANGED,
    ChangeCategory,
    ChangeRule,
)
from specwright.compare.verdicts.declarations import part_changes, reviewed_keywords, worst
from specwright.compare.verdicts.example import REQUEST, example
from specwright.document.schemas.polarity import Polarity
from specwright.document.schemas.xml_shapes import declared_node_type
from specwright.findings import values_of
from specwright.json_values import JsonObject, JsonValue, declared_sequence
from specwright.vocabulary.keyword import Keyword, Place
from specwright.vocabulary.keywords.extensible_enum import EXTENSIBLE_ENUM

# Takes the values of the base and the revision (None: missing), and how values are sent.
Judgement = Callable[[JsonValue, JsonValue, Transfer], ChangeRule]

DEFAULT_CHANGED = ChangeRule(
    "default-changed",
    ChangeCategory.WIRE,
    "Clients that omit the value get different behaviour without changing anything.",
    example=example(
        REQUEST,
        "{properties: {size: {type: integer, default: 1}}}",
        "{properties: {size: {type: integer, default: 2}}}",
        "{properties: {size: {type: integer, default: 1}, pages: {type: integer, default: 2}}}",
    ),
    remedy="Keep the default; a property or parameter of another name may have the new one.",
)
KNOWN_VALUE_REMOVED = ChangeRule(
    "known-value-removed",
    ChangeCategory.WIRE,
    "Clients send a value that was removed from an extensible enumeration.",
    example=example(
        REQUEST,
        f"{{type: string, {EXTENSIBLE_ENUM.name}: [a, b]}}",
        f"{{type: string, {EXTENSIBLE_ENUM.name}: [a]}}",
        f"{{type: string, {EXTENSIBLE_ENUM.name}: [a, b], description: b is taken for a}}",
    ),
    remedy="Continue to accept the value, and explain its meaning in `description`.",
)


@dataclass(frozen=True, slots=True)
class Annotation:
    """A keyword, and the rule that a change of it breaks.

    Attributes:
        meaning: returns the significant part of its value.
    """

    keyword: str
    judge: Judgement
    meaning: Callable[[JsonValue], JsonValue] = lambda value: value


def _judge_default(before: JsonValue, after: JsonValue, transfer: Transfer) -> ChangeRule:
    return DEFAULT_CHANGED if transfer.polarity is Polarity.TO_SERVER else SCHEMA_COMPATIBLE


def _judge_known_values(before: JsonValue, after: JsonValue, transfer: Transfer) -> ChangeRule:
    lost = isinstance(before, list) and not set(map(str, before)) <= set(
        map(str, declared_sequence(after))
    )
    breaks = lost and transfer.polarity is Polarity.TO_SERVER
    return KNOWN_VALUE_REMOVED if breaks else SCHEMA_COMPATIBLE


def _judge_serialisation(before: JsonValue, after: JsonValue, transfer: Transfer) -> ChangeRule:
    return SERIALISATION_CHANGED


def _judge_by_policies(keyword: Keyword[object]) -> Judgement:
    """Return the judgement by the policies that a keyword declares for its members."""
    return lambda before, after, transfer: worst(part_changes(keyword, before, after))


def _names_in_xml(value: JsonValue) -> JsonValue:
    """Return the names and kinds of nodes; a prefix does not matter."""
    if not isinstance(value, dict):
        return None
    kind = declared_node_type(value)
    names: JsonObject = {name: value[name] for name in ("name", "namespace") if name in value}
    return names | ({} if kind is None else {"nodeType": kind}) or None


ANNOTATIONS = (
    Annotation("default", _judge_default),
    Annotation("xml", _judge_serialisation, _names_in_xml),
    Annotation(EXTENSIBLE_ENUM.name, _judge_known_values),
    *(
        Annotation(keyword.name, _judge_by_policies(keyword))
        for keyword in reviewed_keywords(Place.PROPERTY)
        if keyword is not EXTENSIBLE_ENUM
    ),
)


def annotation_changes(pair: Pair) -> Iterator[DecidedStep]:
    """Yield the changes of a pair of schemas that are judged without a proof."""
    yield from discriminator_changes(pair)
    yield from _announcement_steps(pair)
    for annotation in ANNOTATIONS if not pair.is_lifted else ():
        if annotation.keyword == "xml" and pair.transfer.encoding is not ValueEncoding.XML:
            continue
        before, after = (
            annotation.meaning(flat.keywords.get(annotation.keyword))
            for flat in (pair.base, pair.revision)
        )
        if not equal(before, after):
            base = pair.base.place(annotation.keyword, pair.revision)
            revision = pair.revision.place(annotation.keyword, pair.base)
            message = f"{annotation.keyword} {became(before, after)}"
            yield DecidedStep(
                annotation.judge(before, after, pair.transfer),
                base,
                revision,
                message,
                values_of(annotation.keyword, before, after),
            )


def _announcement_steps(pair: Pair) -> Iterator[DecidedStep]:
    base, revision = pair.base, pair.revision
    for rule, keyword in announcement_changes(base.keywords, revision.keywords):
        values = base.keywords.get(keyword), revision.keywords.get(keyword)
        places = base.place(keyword, revision), revision.place(keyword, base)
        words = f"{keyword} {became(*values)}"
        yield DecidedStep(rule, *places, words, values_of(keyword, *values))

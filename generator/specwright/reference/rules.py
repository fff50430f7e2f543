"""The declarations by `x-contract-*` in words: those of the vocabulary's own documentation."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from markupsafe import Markup

from specwright.json_values import JsonValue, mapping
from specwright.reference.markdown import inline, prose
from specwright.reference.sentences import sentences
from specwright.text import visible
from specwright.vocabulary.keyword import Keyword, Place
from specwright.vocabulary.keywords.error import ERROR
from specwright.vocabulary.keywords.extensible_enum import EXTENSIBLE_ENUM
from specwright.vocabulary.keywords.rate_limit import RATE_LIMIT, RATE_LIMITS
from specwright.vocabulary.shape import Schema
from specwright.vocabulary.table import KEYWORDS

# Fields list these values themselves; pages have a table of the codes.
_SHOWN_APART = EXTENSIBLE_ENUM
_CODES = "codes"
_NAMES = frozenset(keyword.name for keyword in KEYWORDS)


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a declaration: its value, and the meaning of the member."""

    name: str
    value: str
    meaning: Markup


@dataclass(frozen=True, slots=True)
class Rule:
    """A declaration."""

    title: str
    text: Markup
    members: tuple[Member, ...]


def rules(
    holder: Mapping[str, JsonValue], place: Place, top: Mapping[str, JsonValue]
) -> Iterator[Rule]:
    """Yield the declarations of an object.

    Args:
        top: the document, which has the classes that declarations name.
    """
    for keyword in _declared(holder, place):
        schema, value = keyword.schema(), holder[keyword.name]
        if keyword is ERROR:
            members_ = mapping(value).items()
            value = {name: member for name, member in members_ if name != _CODES}
        members = [*_members("", schema, value)]
        if keyword is RATE_LIMIT:
            members += _members("", *_rate_limit(value, top))
        text = sentences(keyword, value, top) or str(schema["description"])
        yield Rule(_title(keyword), prose(text), tuple(members))


def notes_of_rules(holder: Mapping[str, JsonValue], *places: Place) -> Iterator[Markup]:
    """Yield the declarations of a parameter, a property or another schema as short notes."""
    for keyword in _declared(holder, *places):
        described, value = keyword.schema(), holder[keyword.name]
        note = Markup("{}: {}")
        if text := sentences(keyword, value, {}):
            yield note.format(_title(keyword).lower(), inline(text))
            continue
        members = Markup("; ").join(
            Markup("{} <code>{}</code>").format(member.name, visible(member.value))
            for member in _members("", described, value)
        )
        text = note.format(_title(keyword).lower(), described["description"])
        yield text + (Markup(" ({})").format(members) if members else "")


def _declared(holder: Mapping[str, JsonValue], *places: Place) -> Iterator[Keyword[object]]:
    # Most schemas declare nothing.
    for keyword in () if _NAMES.isdisjoint(holder) else KEYWORDS:
        is_here = any(place in keyword.places for place in places)
        if is_here and keyword.name in holder and keyword is not _SHOWN_APART:
            yield keyword


def _rate_limit(value: JsonValue, top: Mapping[str, JsonValue]) -> tuple[Schema, JsonValue]:
    """Return the schema and the value of the class that an operation counts against."""
    described = mapping(mapping(RATE_LIMITS.schema()["properties"])["classes"])
    declared = mapping(mapping(top[RATE_LIMITS.name])["classes"])
    return mapping(described["additionalProperties"]), declared[str(mapping(value)["class"])]


def _members(path: str, schema: Schema, value: JsonValue) -> Iterator[Member]:
    """Yield the members of a value that are not null, those of nested objects by their path."""
    if isinstance(value, dict):
        for name, member in value.items():
            if member is not None:
                known = (
                    mapping(schema.get("properties")).get(name) or schema["additionalProperties"]
                )
                yield from _members(f"{path}.{name}" if path else name, mapping(known), member)
    elif path or value is not True:
        shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        meaning = mapping(schema.get("x-meanings")).get(shown)
        usual = str(schema["description"]) if path else ""
        yield Member(path, shown, prose(meaning if isinstance(meaning, str) else usual))


def _title(keyword: Keyword[object]) -> str:
    return keyword.attribute.replace("_", " ").capitalize()

"""Additions to types for facts in the document that the model generator cannot express.

Statements are found by name, from the generator's metadata, and by position, from the parsed
source; no text is searched.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import reduce
from itertools import combinations, pairwise

from specwright.document.model import Document
from specwright.document.normalise import COMPONENTS
from specwright.document.schemas import inspection as schemas
from specwright.document.schemas.applicators import Subschema
from specwright.document.schemas.discriminator_object import tag_property
from specwright.document.schemas.inspection import checked_pattern
from specwright.document.schemas.unions import has_nameless_union, is_open, may_overlap
from specwright.document.shape import BOUNDS
from specwright.json_values import JsonObject, JsonValue, mapping, sequence, texts
from specwright.models import defaults
from specwright.models.annotations import names_in, quoted_in, reached
from specwright.models.dialect import Dialect
from specwright.models.edits import SourceEdit, applied, end
from specwright.models.keywords import FORMATS
from specwright.models.marks import Decoder, plain
from specwright.models.overrides import with_fitting_overrides
from specwright.pointer import Pointer, resolve
from specwright.samples.overlaps import overlap
from specwright.samples.witnesses import Witnesses
from specwright.vocabulary.keyword import Keyword
from specwright.vocabulary.keywords.once import ONCE
from specwright.vocabulary.keywords.sensitive import SENSITIVE

_FUTURE = "from __future__ import annotations\n"
IMPORTS = """\
import datetime as _datetime
from decimal import Decimal
from typing import Annotated, TypeAlias, Union
from ._runtime.shared.alternatives import OneOf
from ._runtime.shared import files as _files
from ._runtime.shared.types import DecimalString, Nullable, Once, Patterns, Sensitive
from ._runtime.shared.types import TaggedUnion, UniqueItems, UnknownTag
"""
# The mark of the field of a property with the key.
_MARKS: Mapping[Keyword[bool], str] = {ONCE: "Once", SENSITIVE: "Sensitive"}
# The class's argument for the number of members.
_COUNTS = {"minProperties": "min_properties", "maxProperties": "max_properties"}
CONSTRAINTS = {"pattern": "pattern", "minLength": "min_length", "maxLength": "max_length"}


@dataclass(frozen=True, slots=True)
class GeneratedField:
    """A field as the generator has made it; without a name if it is the value itself."""

    name: str | None
    property: str | None


@dataclass(frozen=True, slots=True)
class GeneratedType:
    """A class or an alias as the generator has made it.

    Attributes:
        source: the place of its schema in the input of the generator.
    """

    name: str
    source: Pointer
    fields: tuple[GeneratedField, ...]


@dataclass(frozen=True, slots=True)
class Refined:
    """The source after the changes, and the names of its classes."""

    source: str
    classes: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Alias:
    name: str
    node: ast.Assign
    type: ast.expr


def refine(
    source: str, metadata: Sequence[GeneratedType], dialect: Dialect, new_names: Mapping[str, str]
) -> Refined:
    """Add decimals, tagged unions and marks of fields to the generated source.

    Args:
        new_names: new names of classes by those in the source; the metadata has the new ones.
    """
    tree = ast.parse(source)
    decoder = Decoder(new_names)
    decoder.visit(tree)
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    aliases = {alias.name: alias for alias in map(_alias, tree.body) if alias is not None}
    names = {entry.source.removeprefix(COMPONENTS + "/"): entry for entry in metadata}
    lines = {alias.name: alias.node.lineno for alias in aliases.values()}
    lines |= {name: node.lineno for name, node in classes.items()}
    edits = decoder.edits
    written = {name: ast.unparse(alias.type) for name, alias in aliases.items()}
    exclusive: set[str] = set()
    witnesses = Witnesses(dialect.document)
    for key, pointer in dialect.origins.items():
        entry = names.get(key)
        schema = resolve(dialect.document.data, pointer)
        if entry is None or not isinstance(schema, dict):
            continue
        name = entry.name
        text = mapping(dialect.schemas[key])
        if name in aliases and schemas.is_decimal(schema) and text.get("type") == "string":
            written[name] = _decimal(text)
        elif name in aliases and key in dialect.unions:
            union, fallback_name = dialect.unions[key]
            members = [
                names[dialect.names[dialect.document.target(ref)]].name for ref in _union(union)
            ]
            fallback = names[fallback_name]
            members.append(fallback.name)
            later = {member for member in members if lines.get(member, 0) > lines[name]}
            written[name] = _tagged_union(union, members, later)
            edits.append(_unknown_tag(union, fallback, classes))
        elif name in aliases and _is_exclusive(
            dialect.document, witnesses, Subschema(pointer, schema)
        ):
            written[name] = f"Annotated[{written[name]}, OneOf()]"
            exclusive.add(name)
        elif name in classes:
            edits.extend(_marks(dialect.document, schema, entry, classes[name]))
            edits.extend(_counted(schema, classes[name]))
    annotations = {name: ast.parse(text, mode="eval").body for name, text in written.items()}
    edits += defaults.made(tree.body, annotations)
    forward = _forward(aliases, classes.keys()) | _whole(aliases, exclusive)
    edits += [_statement(a, written[a.name], a.name in forward) for a in aliases.values()]
    edits += _joined(tree.body)
    refined = applied(source, edits)
    if any(
        isinstance(base, ast.Name) and base.id in classes
        for c in classes.values()
        for base in c.bases
    ):
        refined = with_fitting_overrides(refined)
    evaluated = _evaluated(refined.replace(_FUTURE, IMPORTS, 1))
    return Refined(evaluated, frozenset(classes))


def _evaluated(source: str) -> str:
    """Return a module with strings for those annotations alone that name a later definition.

    Pydantic evaluates strings, one by one, in a multiple of the time that Python takes.
    """
    body = ast.parse(source).body
    later = {name for node in body if (name := _defined(node)) is not None}
    edits: list[SourceEdit] = []
    for node in body:
        if isinstance(node, ast.ClassDef):
            edits += [
                SourceEdit.of(annotation, repr(ast.unparse(annotation)))
                for annotation in _annotations(node).values()
                if not later.isdisjoint(names_in(annotation))
            ]
        later.discard(_defined(node) or "")
    return applied(source, edits)


def _defined(node: ast.stmt) -> str | None:
    match node:
        case ast.ClassDef(name) | ast.AnnAssign(ast.Name(name)) | ast.Assign([ast.Name(name)]):
            return name
    return None


def _alias(node: ast.stmt) -> _Alias | None:
    match node:
        case ast.Assign([ast.Name(name)], ast.Call(ast.Name("TypeAliasType"), [_, written])):
            return _Alias(name, node, written)
    return None


def _statement(alias: _Alias, written: str, is_forward: bool) -> SourceEdit:
    """Return a plain alias, which validates faster, unless it names something defined later."""
    if is_forward:
        return SourceEdit.of(alias.type, written)
    return SourceEdit.of(alias.node, f"{alias.name}: TypeAlias = {written}")


def _forward(aliases: dict[str, _Alias], classes: Set[str]) -> set[str]:
    """Return the aliases that name something of the module in a string, or are part of a circle.

    Aliases of None are included, since Python has no `|` for None.
    """
    own = aliases.keys() | classes
    named = {name: names_in(alias.type) & aliases.keys() for name, alias in aliases.items()}
    return {
        name
        for name, alias in aliases.items()
        if quoted_in(alias.type) & own or name in reached(name, named) or _is_none(alias.type)
    }


def _whole(aliases: dict[str, _Alias], exclusive: Set[str]) -> set[str]:
    """Return the aliases that are one alternative each: plain ones would join the outer union."""
    return {
        node.id
        for name in exclusive
        for node in ast.walk(aliases[name].type)
        if isinstance(node, ast.Name) and node.id in aliases
    }


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _joined(body: list[ast.stmt]) -> Iterator[SourceEdit]:
    """Keep consecutive aliases together, like the fields of a class."""
    for before, node in pairwise(body):
        documents = isinstance(before, ast.Expr) and before is not body[0]
        if _alias(node) and (documents or _alias(before)):
            yield SourceEdit(end(before), (node.lineno, node.col_offset), "\n")


def _union(schema: JsonObject) -> list[str]:
    members = sequence(schema.get("oneOf")) or sequence(schema.get("anyOf"))
    return [ref for ref in map(schemas.reference, members) if ref is not None]


def _decimal(schema: JsonObject) -> str:
    arguments = ", ".join(
        f"{argument}={plain(schema[keyword])!a}"
        for keyword, argument in CONSTRAINTS.items()
        if keyword in schema
    )
    return f"Annotated[Decimal, DecimalString({arguments})]"


def _tagged_union(schema: JsonObject, members: list[str], later: Set[str]) -> str:
    """Return a union, in which members that the module defines later are named in strings."""
    tag = tag_property(schema)
    is_open_ = ", open=True" if is_open(schema) else ""
    named = [repr(member) if member in later else member for member in members]
    union = f"Union[{', '.join(named)}]" if later else " | ".join(named)
    return f"Annotated[{union}, TaggedUnion({tag!a}{is_open_})]"


def _unknown_tag(
    schema: JsonObject, entry: GeneratedType, classes: Mapping[str, ast.ClassDef]
) -> SourceEdit:
    """Give the tag of unknown values a type by which type checkers recognize them."""
    tag = tag_property(schema)
    names = (field.name for field in entry.fields if field.property == tag)
    return SourceEdit.of(_annotations(classes[entry.name])[next(names) or ""], "UnknownTag")


def _annotations(node: ast.ClassDef) -> dict[str, ast.expr]:
    return {
        statement.target.id: statement.annotation
        for statement in node.body
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
    }


def _is_exclusive(document: Document, witnesses: Witnesses, place: Subschema) -> bool:
    """Return whether a value must be tried on all alternatives, and models tell them apart."""
    step, schema = schemas.unwrapped(place.value)
    if not isinstance(schema, dict) or not may_overlap(document, schema):
        return False
    if has_nameless_union(document, schema):
        return False
    # No value of such an alternative could be sent.
    if overlap(witnesses, Subschema(place.pointer + step, schema)) is not None:
        return False
    unchecked = [_unchecked(document, alternative) for alternative in sequence(schema["oneOf"])]
    return not any(
        one[place] != other[place]
        for one, other in combinations(unchecked, 2)
        for place in one.keys() & other.keys()
    )


def _unchecked(document: Document, schema: JsonValue) -> dict[str, str]:
    """Return the constraints of a text, or of properties that are texts, unchecked by models."""
    keywords: dict[str, str] = {}
    for part in _all_of(document, schema):
        members = mapping(part.get("properties")).items()
        for place, each in [("", part), *((f"/{name}", value) for name, value in members)]:
            for text in _all_of(document, each):
                if text.get("type") == "string":
                    keywords[place] = keywords.get(place, "") + _beyond_models(text)
    return keywords


def _beyond_models(text: JsonObject) -> str:
    pattern, format_ = str(text.get("pattern", "")), str(text.get("format", ""))
    unmatched = pattern if pattern and checked_pattern(text) is None else ""
    return unmatched + (format_ if format_ not in FORMATS else "")


def _all_of(document: Document, schema: JsonValue) -> Iterator[JsonObject]:
    """Yield a schema and the parts that it is composed of."""
    followed = document.follow(schema)
    if isinstance(followed, dict):
        yield followed
        parts = (document.follow(part) for part in sequence(followed.get("allOf")))
        yield from (part for part in parts if isinstance(part, dict))


def _marks(
    document: Document, schema: JsonObject, entry: GeneratedType, node: ast.ClassDef
) -> Iterator[SourceEdit]:
    """Mark the fields with hidden values, and those that may be null or absent."""
    parts = [schema, *_parts(schema)]
    properties = {
        name: value for part in parts for name, value in mapping(part.get("properties")).items()
    }
    required = {name for part in parts for name in texts(part.get("required"))}
    annotations = _annotations(node)
    for field in entry.fields:
        name, annotation = field.property or "", annotations.get(field.name or "")
        value = properties.get(name)
        marks = [mark for key, mark in _MARKS.items() if _declares(document, value, key)]
        if name in properties and name not in required and schemas.allows_null(document, value):
            marks.append("Nullable")
        if marks and annotation is not None:
            calls = ", ".join(f"{mark}()" for mark in marks)
            yield SourceEdit.of(annotation, f"Annotated[{ast.unparse(annotation)}, {calls}]")


def _counted(schema: JsonObject, node: ast.ClassDef) -> Iterator[SourceEdit]:
    """Limit the number of members of a class's objects."""
    parts = [schema, *_parts(schema)]
    arguments = [
        f", {argument}={reduce(BOUNDS[keyword], counts)}"
        for keyword, argument in _COUNTS.items()
        if (counts := [n for part in parts if isinstance(n := part.get(keyword), int | float)])
    ]
    if arguments:
        position = end(node.bases[-1])
        yield SourceEdit(position, position, "".join(arguments))


def _parts(schema: JsonObject) -> Iterator[JsonObject]:
    """Yield the parts of an object that are written within it, without a class of their own."""
    for part in sequence(schema.get("allOf")):
        if isinstance(part, dict) and "$ref" not in part:
            yield part
            yield from _parts(part)


def _declares(document: Document, schema: JsonValue, keyword: Keyword[bool]) -> bool:
    return any(keyword.read(mapping(part)) is True for part in (schema, document.follow(schema)))

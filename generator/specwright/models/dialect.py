"""The document's schemas in the dialect that the model generator reads best.

Keywords that the generator does not know, or interprets in its own way (`customTypePath`),
are left out: a document must not choose the imports.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import reduce
from operator import and_
from typing import NamedTuple

from specwright.document.model import Document
from specwright.document.normalise import COMPONENTS
from specwright.document.operations.naming import free, model_name
from specwright.document.schemas import inspection as schemas
from specwright.document.schemas.discriminator_object import (
    DISCRIMINATOR,
    discriminator_object,
    mapped,
    tag_property,
)
from specwright.document.schemas.inspection import (
    checked_pattern,
    has_checked_names,
    has_properties,
    is_binary,
)
from specwright.document.schemas.instances import Instances
from specwright.document.schemas.scalars import distributed, is_endless, joined
from specwright.document.schemas.unions import is_told_apart, unknown_member
from specwright.json_values import JsonObject, JsonValue, mapping, one_or_more, sequence
from specwright.models import defaults
from specwright.models.hints import encoding, hidden_by_name
from specwright.models.keywords import (
    BESIDE_TYPE,
    COUNTS,
    FORMATS,
    KEYWORDS,
    LIMITS,
    TEXT_CONSTRAINTS,
)
from specwright.models.marks import BINARY, sealed, sealed_name, unique
from specwright.models.parts import parts
from specwright.names import pascal
from specwright.patterns import linear
from specwright.pointer import Pointer, join, resolve, split, unescape
from specwright.vocabulary.keywords.extensible_enum import EXTENSIBLE_ENUM

# The types of constants that no literal type of Python names.
_NAMELESS: dict[type, str] = {float: "number", dict: "object", list: "array"}
# Keywords that say which values a schema has, and others that make it one of maps without them.
_TYPED = frozenset(
    {"$ref", "allOf", "anyOf", "const", "enum", "items", "oneOf", "properties", "type"}
)
_MAPS = frozenset({"additionalProperties", "patternProperties"})
# Keywords about a place, not about the class of its value.
BESIDE_REFERENCE = ("default", "deprecated", "description")


class ExtendedUnion(NamedTuple):
    """A union with a discriminator that has a model for unknown values.

    Attributes:
        schema: as the document has it, without what wraps it.
        fallback: the class name of the model.
    """

    schema: JsonObject
    fallback: str


@dataclass(slots=True)
class Dialect:
    """Schemas by class name, and the origin of each.

    Attributes:
        schemas: the input of the generator, as `components/schemas`.
        origins: pointer in the document by class name.
        unions: unions that have a model for unknown values, by class name.
        names: class name by pointer in the document, the inverse of `origins`.
        words: the name that a class would have, by pointer.
    """

    document: Document
    schemas: JsonObject = field(default_factory=dict)
    origins: dict[str, Pointer] = field(default_factory=dict)
    unions: dict[str, ExtendedUnion] = field(default_factory=dict)
    names: dict[Pointer, str] = field(default_factory=dict)
    words: dict[Pointer, str] = field(default_factory=dict)

    def add(self, pointer: Pointer, name: str) -> None:
        """Make the schema at a pointer a class or an alias of this name."""
        self.origins[name] = pointer
        self.names[pointer] = name


def named(document: Document) -> Dialect:
    """Name the schemas that become classes or aliases: components, and parts of them."""
    dialect = Dialect(document)
    for key in _components(document):
        dialect.add(COMPONENTS + join(key), model_name(key))
    for name, pointer in list(dialect.origins.items()):
        for part in parts(document, pointer, name, resolve(document.data, pointer)):
            dialect.words[part.pointer] = part.name
            if part.has_name:
                dialect.add(part.pointer, free(part.name, dialect.origins))
    return dialect


def translate(document: Document) -> Dialect:
    """Translate all component schemas and all other schemas that they refer to."""
    dialect = named(document)
    pending = list(dialect.origins.items())
    bases = set(_bases(document, _components(document)))
    translation = _Translation(dialect, Instances(document), pending)
    for name, pointer in pending:
        schema = resolve(document.data, pointer)
        if pointer in dialect.words:
            schema = _of_part(schema)
        elif not has_properties(document, schema):
            step, schema = schemas.unwrapped(_without_unknown_parts(document, schema))
            pointer += step
        dialect.schemas[name] = translated = translation.schema(schema, pointer)
        fallback = unknown_member(document, schema)
        if fallback is None:
            # The generator makes any object a class without fields, and drops the items of an
            # array that contains itself outside of a union.
            if _is_mapping(schema) and pointer not in bases:
                mapping(translated)["additionalProperties"] = {}
            elif _leads_to(document, _items(_finite(document, schema)), pointer):
                dialect.schemas[name] = {"anyOf": [translated]}
        else:
            fallback_name = _fallback_name(dialect, name)
            dialect.unions[name] = ExtendedUnion(mapping(schema), fallback_name)
            dialect.schemas[fallback_name] = translation.schema(fallback, None)
            # As a member of the union, so that the generator puts its class above the union.
            union = mapping(translated)
            members = sequence(union.pop("oneOf", None)) or sequence(union.pop("anyOf", None))
            union["anyOf"] = [*members, {"$ref": "#" + COMPONENTS + join(fallback_name)}]
            del union[DISCRIMINATOR]
    return dialect


def _components(document: Document) -> JsonObject:
    return mapping(mapping(document.data.get("components")).get("schemas"))


def _with_patterns(schema: JsonObject, patterns: Iterable[str]) -> JsonObject:
    """Return the schema with those of its patterns that can be matched in linear time."""
    result = {k: v for k, v in schema.items() if k != "pattern"}
    trees = [checked_pattern({**schema, "pattern": pattern}) for pattern in patterns]
    if checked := list(filter(None, trees)):
        result["pattern"] = sealed(reduce(and_, checked))
    names = schema.get("patternProperties")
    if isinstance(names, dict):
        linear_names = {name: linear(name) for name in names}
        if None in linear_names.values() or not has_checked_names(schema):
            # The remaining patterns would refuse the names that others allow.
            del result["patternProperties"]
            result["additionalProperties"] = {}
        else:
            result["patternProperties"] = {
                sealed_name(pattern): names[name]
                for name, pattern in linear_names.items()
                if pattern is not None
            }
    return result


def _items(schema: JsonValue) -> list[JsonValue]:
    """Return the schemas of the items of an array."""
    if not isinstance(schema, dict):
        return []
    return [schema.get("items"), *sequence(schema.get("prefixItems"))]


def _bases(document: Document, schema: JsonValue) -> Iterator[Pointer]:
    """Yield the schemas that others extend, which have to be classes."""
    children: Iterable[JsonValue] = schema if isinstance(schema, list) else ()
    if isinstance(schema, dict):
        children = schema.values()
        for part in sequence(schema.get("allOf")):
            ref = schemas.reference(part)
            if ref is not None:
                yield document.target(ref)
    for child in children:
        yield from _bases(document, child)


def _is_mapping(schema: JsonValue) -> bool:
    """Return whether a schema accepts objects that it does not describe."""
    if not isinstance(schema, dict):
        return False
    says = {"allOf", "anyOf", "oneOf", "$ref", "properties", "patternProperties", "const", "enum"}
    is_open = schema.get("additionalProperties", True) is True
    return schema.get("type") == "object" and is_open and not says & schema.keys()


def _applies(keyword: str, schema: JsonObject) -> bool:
    """Return whether a keyword applies to values of the schema's type."""
    declared = schema.get("type")
    return (
        keyword not in LIMITS
        or declared is None
        or not set(LIMITS[keyword]).isdisjoint(one_or_more(declared))
    )


def _of_part(schema: JsonValue) -> JsonValue:
    """Return a schema without the keywords that belong beside the reference to a part."""
    if not isinstance(schema, dict):
        return schema
    rest = {k: v for k, v in schema.items() if k not in ("default", "deprecated")}
    if _is_nullable(schema):
        kinds = [kind for kind in sequence(schema["type"]) if kind != "null"]
        rest["type"] = kinds[0] if len(kinds) == 1 else kinds
    return rest


def _apart(schema: JsonValue, written: JsonValue) -> JsonValue:
    """Return a property in a form that the generator does not merge with inherited ones."""
    if not isinstance(schema, dict):
        return schema
    if schema.get("type") == "null":
        return {**schema, "const": None}
    if schema.get("type") == "array" and "allOf" in mapping(written):
        # Without a limit of its own, it would have the items of the inherited array.
        return {"minItems": 0, **schema}
    if schema.get("type") == "object" and "allOf" in mapping(written):
        return {"minProperties": 0, **schema}
    return schema


def _with_own_last(schema: JsonObject) -> JsonObject:
    """Return a schema with its own properties in its last part, if other parts have them, too.

    The generator prefers properties of parts to those beside them.
    """
    own = mapping(schema.get("properties"))
    parts = sequence(schema.get("allOf"))
    if all(own.keys().isdisjoint(mapping(mapping(part).get("properties"))) for part in parts):
        return schema
    last: JsonObject = {"type": "object", "properties": own}
    return {**{k: v for k, v in schema.items() if k != "properties"}, "allOf": [*parts, last]}


def _without_unknown_parts(document: Document, schema: JsonValue) -> JsonValue:
    """Return a schema, if it cannot be joined, without unknown keywords in its parts.

    Beside such keywords, the generator repeats a reference to an array of itself without end.
    """
    if not isinstance(schema, dict) or "allOf" not in schema:
        return schema
    parts = [mapping(part) for part in sequence(schema["allOf"])]
    known: list[JsonValue] = [
        {k: v for k, v in part.items() if k in KEYWORDS or k.startswith("x-")} for part in parts
    ]
    if known == parts or joined(document, schema) is not None:
        return schema
    return {**schema, "allOf": known}


def _finite(document: Document, schema: JsonValue) -> JsonObject:
    """Return a schema, or one part of it if it holds itself.

    A finding says that what is beside this part is not checked.
    """
    schema = mapping(schema)
    while is_endless(document, schema):
        parts = [mapping(part) for part in sequence(schema.get("allOf"))]
        beside = {k: v for k, v in schema.items() if k not in {"allOf", "not"}}
        schema = next((part for part in parts if "$ref" in part), (parts or [beside])[0])
    return schema


def _is_nullable(schema: JsonValue) -> bool:
    return "null" in sequence(mapping(schema).get("type"))


def _leads_to(document: Document, schema: JsonValue, pointer: Pointer) -> bool:
    """Return whether a schema refers to another one, itself or in one of its parts."""
    if isinstance(schema, list):
        return any(_leads_to(document, child, pointer) for child in schema)
    if not isinstance(schema, dict):
        return False
    ref = schema.get("$ref")
    if isinstance(ref, str) and document.target(ref) == pointer:
        return True
    return any(_leads_to(document, child, pointer) for child in schema.values())


def _fallback_name(dialect: Dialect, union: str) -> str:
    name = f"Unknown{union}"
    return name if name not in dialect.origins else f"{name}Value"


@dataclass(frozen=True, slots=True)
class _Translation:
    dialect: Dialect
    instances: Instances
    pending: list[tuple[str, Pointer]]

    def schema(self, schema: JsonValue, pointer: Pointer | None) -> JsonValue:
        """Translate a schema; without a pointer, one that is not in the document."""
        if isinstance(schema, dict):
            schema = _finite(self.dialect.document, schema)
            if "allOf" in schema and distributed(self.dialect.document, schema) is False:
                schema = False
        if schema is False:
            # No value is valid, and null is what is left out.
            return {"type": "null"}
        if not isinstance(schema, dict):
            return schema
        pattern = schema.get("pattern")
        schema, patterns = joined(self.dialect.document, schema) or (
            schema,
            (pattern,) if isinstance(pattern, str) else (),
        )
        known = {k: v for k, v in schema.items() if k in KEYWORDS and _applies(k, schema)}
        if _TYPED.isdisjoint(known) and not _MAPS.isdisjoint(known):
            known["type"] = "object"
        counts = {k: n for k in COUNTS if isinstance(n := known.get(k), int | float)}
        known |= {k: min(count, sys.maxsize) for k, count in counts.items()}
        if isinstance(const := known.get("const"), float | dict | list):
            # No literal type names it, and the generator would not let it be left out.
            del known["const"]
            known.setdefault("type", _NAMELESS[type(const)])
        if known.pop("uniqueItems", False) is True:
            known["minItems"] = unique(int(counts.get("minItems", 0)))
        known = without_needless_defaults(_with_patterns(known, patterns))
        result = schemas.map_children(
            known, lambda each, step: self._child(each, None if pointer is None else pointer + step)
        )
        if isinstance(properties := result.get("properties"), dict):
            declared = mapping(known["properties"])
            result["properties"] = {
                name: self._described(_apart(value, declared[name]), declared[name])
                for name, value in properties.items()
            }
        if is_binary(schema):
            result = {k: v for k, v in result.items() if k not in TEXT_CONSTRAINTS}
            result["format"] = BINARY
        elif known.get("format") not in FORMATS or TEXT_CONSTRAINTS & known.keys():
            result.pop("format", None)
        if isinstance(ref := known.get("$ref"), str):
            result["$ref"] = self._reference(ref)
        result = _with_own_last(schemas.with_items_in_alternatives(result))
        result.pop(DISCRIMINATOR, None)
        tag = tag_property(known)
        if tag is not None and is_told_apart(self.dialect.document, known):
            references = {
                value: _mapped(self.dialect.document, target)
                for value, target in mapped(known).items()
            }
            result[DISCRIMINATOR] = discriminator_object(
                tag, {v: self._reference(ref) for v, ref in references.items() if ref is not None}
            )
        values = schema.get(EXTENSIBLE_ENUM.name)
        if isinstance(values, list) and known.get("type") == "string":
            # Known values for people and editors, any other string for the future.
            described: JsonObject = {
                k: result[k] for k in ("description", "default") if k in result
            }
            rest = {k: v for k, v in result.items() if k not in described}
            result = {**described, "anyOf": [{"type": "string", "enum": values}, rest]}
        return result

    def _child(self, schema: JsonValue, pointer: Pointer | None) -> JsonValue:
        """Translate a schema within another one; a class is replaced by a reference to it."""
        step, schema = schemas.unwrapped(_without_unknown_parts(self.dialect.document, schema))
        pointer = None if pointer is None else pointer + step
        if pointer is not None and has_wrong_default(self.instances, pointer, schema):
            schema = {k: v for k, v in mapping(schema).items() if k != "default"}
        if pointer not in self.dialect.names:
            return self.schema(schema, pointer)
        described = {k: v for k, v in mapping(schema).items() if k in BESIDE_REFERENCE}
        reference: JsonObject = {"$ref": "#" + COMPONENTS + join(self.dialect.names[pointer])}
        if not _is_nullable(schema):
            return {**reference, **described}
        return {"anyOf": [reference, {"type": "null"}], **described}

    def _described(self, translated: JsonValue, schema: JsonValue) -> JsonValue:
        """Return a property with a description of facts that its type's name hides in editors."""
        document = self.dialect.document
        words = f"{hidden_by_name(document, schema)} {encoding(document, schema)}".strip()
        if not words or not isinstance(translated, dict):
            return translated
        before = str(translated.get("description", "")).strip()
        stop = "" if before.endswith((".", "!", "?", ":")) or not before else "."
        return {**translated, "description": f"{before}{stop} {words}".strip()}

    def _reference(self, ref: str) -> str:
        return "#" + COMPONENTS + join(self._name(self.dialect.document.target(ref)))

    def _name(self, pointer: Pointer) -> str:
        names = self.dialect.names
        if pointer not in names:
            name = self.dialect.words.get(pointer) or "_".join(map(pascal, split(pointer)))
            name = free(name or "Document", self.dialect.origins)
            self.dialect.add(pointer, name)
            self.pending.append((name, pointer))
        return names[pointer]


def _mapped(document: Document, target: str) -> str | None:
    """Return the target of a discriminator's mapping, given by reference or name, as a reference.

    A bare name is that of a component (OAS 3.1.1, 4.8.25). None if the target does not exist, which
    lint reports.
    """
    components = mapping(mapping(document.data["components"])["schemas"])
    if target in components:
        return "#" + COMPONENTS + join(target)
    name = document.target(target).removeprefix(COMPONENTS + "/")
    return target if unescape(name) in components else None


def without_needless_defaults(schema: JsonObject) -> JsonObject:
    """Return the schema without defaults of required properties, which are never left out."""
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, dict) or not isinstance(required, list):
        return schema
    return {
        **schema,
        "properties": {
            name: {k: v for k, v in each.items() if k != "default"}
            if isinstance(each, dict) and name in required
            else each
            for name, each in properties.items()
        },
    }


def has_wrong_default(instances: Instances, pointer: Pointer, schema: JsonValue) -> bool:
    """Return whether a schema has a default that no field of its type could have."""
    if not isinstance(schema, dict) or "default" not in schema:
        return False
    problems = instances.problems(pointer, schema["default"])
    is_wrong = any(problem.keyword not in BESIDE_TYPE for problem in problems)
    return is_wrong or defaults.is_unreadable(schema)

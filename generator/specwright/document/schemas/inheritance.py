"""Properties that an object has from its `$ref` and its `allOf`.

Both apply together with what is beside them (JSON Schema 2020-12, core, 8.2.3.1 and 10.2.1.1).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from jsonschema_rs.canonical.schema import clone

from specwright.document.model import Document
from specwright.document.schemas.applicators import UNIONS, Subschema, held
from specwright.document.schemas.discriminator_object import DISCRIMINATOR
from specwright.document.schemas.inspection import ANNOTATIONS, reference
from specwright.document.schemas.scalars import distributed, joined
from specwright.document.schemas.unions import circular_alternatives
from specwright.document.schemas.value_types import OF_OBJECTS, ValueTypes
from specwright.document.shape import walk
from specwright.json_values import JsonObject, JsonValue, mapping, sequence, texts
from specwright.pointer import Pointer, join, resolve, split

_WHOLE = ("$ref", "allOf")
_TEXTS = frozenset({"$comment", "description", "title"})
# Steps from a schema to its parts and alternatives.
ALTERNATIVES = re.compile(r"(/(allOf|anyOf|oneOf)/\d+)+$")
# Keywords that make a schema a type without others.
TYPED = frozenset({"$ref", "allOf", "anyOf", "const", "enum", "oneOf", "properties", "type"})
# Keywords by which a property is evaluated, apart from `additionalProperties`.
_EVALUATING = frozenset(
    """
    $dynamicRef $ref allOf anyOf dependentSchemas else if oneOf patternProperties properties then
    """.split()
)
# Keywords of objects that a class of several bases does not have from each of them.
_NOT_ADDED = frozenset(
    {"additionalProperties", "const", "enum", "patternProperties", DISCRIMINATOR, *UNIONS}
)


@dataclass(frozen=True, slots=True)
class Property:
    """A property of an object.

    Attributes:
        declarations: the schemas of its value, those of bases first.
        owner: the schema that has the last of them.
    """

    declarations: tuple[Subschema, ...]
    owner: Pointer
    is_required: bool

    @property
    def schema(self) -> Subschema:
        """The most derived schema of its value."""
        return self.declarations[-1]


def parts(document: Document, schema: Subschema) -> list[Subschema]:
    """Return the parts of a schema, bases first, and last the schema itself."""
    return list(_parts(document, schema, set()))


def _parts(document: Document, schema: Subschema, seen: set[Pointer]) -> Iterator[Subschema]:
    if schema.pointer not in seen:
        seen.add(schema.pointer)
        for part in held(document, schema, _WHOLE):
            yield from _parts(document, part, seen)
        yield schema


def properties(document: Document, schema: Subschema) -> dict[str, Property]:
    """Return the properties of an object, inherited ones first."""
    whole = parts(document, schema)
    required = {name for part in whole for name in texts(mapping(part.value).get("required"))}
    declared: dict[str, Property] = {}
    for part in whole:
        for name, value in mapping(mapping(part.value).get("properties")).items():
            before = declared[name].declarations if name in declared else ()
            own = Subschema(part.pointer + join("properties", name), value)
            declared[name] = Property((*before, own), part.pointer, name in required)
    return declared


def refinements(
    document: Document, schemas: Iterable[Subschema]
) -> Iterator[tuple[Subschema, Property]]:
    """Yield the properties that several parts of a schema declare, each with the schema."""
    for schema in schemas:
        keywords = mapping(schema.value).keys()
        # A reference without siblings declares nothing itself.
        if "allOf" in keywords or {"$ref", "properties"} <= keywords:
            for declared in properties(document, schema).values():
                if len(declared.declarations) > 1:
                    yield schema, declared


def compose(document: Document) -> Document:
    """Return the document with schemas that are composed in one way, for readers that see a part.

    A `$ref` with constraints beside it is a part of an `allOf`, and so is a union beside one. A
    property that refines an inherited one, as by `maxLength` without its type, has an `allOf` with
    it. The alternatives of a union have the constraints that are beside it; one that is the union
    itself allows any value, and so does a property that is required and not declared. What is
    required beside alternatives is required of each of them. An object without unevaluated
    properties has no additional ones, and neither have its alternatives. A value that is not an
    object has no properties, and what its parts say of them is dropped. A part that refers to a
    schema of any value is one itself.
    """
    any_value: JsonValue = {}
    any_values = (*circular_alternatives(document), *_open_parts(document))
    document = _replaced(document, dict.fromkeys(any_values, any_value))
    document = _without_idle_properties(document)
    document = _with_required_alternatives(_with_closed_objects(document))
    document = _with_required_properties(document)
    document = _with_plain_references(document)
    return _with_plain_unions(_with_whole_properties(document))


def _open_parts(document: Document) -> Iterator[Pointer]:
    """Yield the parts of schemas that refer to a schema of any value."""
    for schema in _schemas(document):
        for index, part in enumerate(sequence(mapping(schema.value).get("allOf"))):
            whole = reference(part) and document.follow(part)
            if whole is True or (isinstance(whole, dict) and whole.keys() <= _TEXTS):
                yield schema.pointer + join("allOf", index)


def _without_idle_properties(document: Document) -> Document:
    types = ValueTypes(document)
    composed = [s for s in _schemas(document) if _is_composed_with_properties(document, s)]
    idle = [s.pointer for s in composed if "object" not in (types.of([s]) or {"object"})]
    if not idle:
        return document
    data = clone(document.data)
    # The innermost first: one may be a part of another, which drops it.
    for pointer in sorted(idle, key=len, reverse=True):
        _drop_idle(document, mapping(resolve(data, pointer)))
    return document.with_data(data)


def _is_composed_with_properties(document: Document, schema: Subschema) -> bool:
    keywords = mapping(schema.value).keys()
    # A reference without siblings is the schema that it refers to.
    return ("allOf" in keywords or ("$ref" in keywords and len(keywords) > 1)) and any(
        not OF_OBJECTS.isdisjoint(mapping(part.value)) for part in parts(document, schema)
    )


def _drop_idle(document: Document, schema: JsonObject) -> None:
    for keyword in OF_OBJECTS & schema.keys():
        del schema[keyword]
    if "allOf" in schema:
        kept = [part for part in sequence(schema["allOf"]) if not _is_idle(document, part)]
        schema["allOf"] = kept
        for part in kept:
            _drop_idle(document, mapping(part))


def _is_idle(document: Document, part: JsonValue) -> bool:
    """Return whether a part of a schema says something of objects alone."""
    keywords = mapping(document.follow(part)).keys()
    return not OF_OBJECTS.isdisjoint(keywords) and keywords <= OF_OBJECTS | ANNOTATIONS


def _with_closed_objects(document: Document) -> Document:
    closed = [schema.pointer for schema in _schemas(document) if closed_objects(schema.value)]
    if not closed:
        return document
    data = clone(document.data)
    for pointer in closed:
        schema = mapping(resolve(data, pointer))
        for closed_object in closed_objects(schema):
            closed_object.setdefault("additionalProperties", False)
        del schema["unevaluatedProperties"]
    return document.with_data(data)


def closed_objects(schema: JsonValue) -> list[JsonObject]:
    """Return the objects that have no additional properties, as the schema has no unevaluated ones.

    They are the schema itself, or each alternative of its `oneOf`, where nothing else evaluates
    properties (JSON Schema 2020-12, core, 11.3); empty for other schemas.
    """
    value = mapping(schema)
    if value.get("unevaluatedProperties") is not False:
        return []
    declared = value.keys() & _EVALUATING
    objects = sequence(value.get("oneOf")) if declared == {"oneOf"} else [schema]
    closed = [object_ for object_ in objects if isinstance(object_, dict)]
    is_plain = all(object_.keys() & _EVALUATING == {"properties"} for object_ in closed)
    return closed if is_plain and len(closed) == len(objects) else []


def _with_required_alternatives(document: Document) -> Document:
    unions = [
        schema.pointer for schema in _schemas(document) if requiring_alternatives(schema.value)
    ]
    if not unions:
        return document
    data = clone(document.data)
    for pointer in unions:
        union = mapping(resolve(data, pointer))
        alternatives = requiring_alternatives(union)
        required = texts(union.pop("required"))
        for alternative in alternatives:
            own = texts(alternative.get("required"))
            alternative["required"] = [*dict.fromkeys((*own, *required))]
    return document.with_data(data)


def requiring_alternatives(schema: JsonValue) -> list[JsonObject]:
    """Return the alternatives of a schema that take over the `required` beside them.

    They are objects that are written in its one union; empty for other schemas.
    """
    value = mapping(schema)
    unions = [keyword for keyword in UNIONS if keyword in value]
    if len(unions) != 1 or "required" not in value or value.keys() & _EVALUATING != {*unions}:
        return []
    alternatives = [mapping(alternative) for alternative in sequence(value[unions[0]])]
    is_plain = all(
        alternative.keys() & _EVALUATING == {"properties"} for alternative in alternatives
    )
    return alternatives if is_plain else []


def _with_required_properties(document: Document) -> Document:
    lacking = {
        schema.pointer: names
        for schema in _schemas(document)
        if (names := undeclared(document, schema))
    }
    if not lacking:
        return document
    data = clone(document.data)
    for pointer, names in lacking.items():
        declared = mapping(mapping(resolve(data, pointer)).setdefault("properties", {}))
        declared.update({name: {} for name in names})
    return document.with_data(data)


def undeclared(document: Document, schema: Subschema) -> list[str]:
    """Return the properties that a schema with other properties requires, and nothing declares.

    A schema that forbids other properties can have no such property: no object fits it.
    """
    required = texts(mapping(schema.value).get("required"))
    if not required:
        return []
    around = ALTERNATIVES.sub("", schema.pointer)
    whole = Subschema(around, resolve(document.data, around))
    several = [mapping(p.value) for p in (*parts(document, whole), *parts(document, schema))]
    is_class = any("properties" in part for part in several)
    if not is_class or any(part.get("additionalProperties") is False for part in several):
        return []
    declared = properties(document, whole).keys() | properties(document, schema).keys()
    return [name for name in dict.fromkeys(required) if name not in declared]


def _with_plain_unions(document: Document) -> Document:
    changed: dict[Pointer, JsonValue] = {}
    for schema in _schemas(document):
        if any(schema.pointer.startswith(f"{pointer}/") for pointer in changed):
            continue
        union = distributed(document, schema.value) if _is_composed(schema.value) else None
        if union is not None:
            changed[schema.pointer] = union
    return _replaced(document, changed)


def _is_composed(schema: JsonValue) -> bool:
    return not {"allOf", *UNIONS}.isdisjoint(mapping(schema))


def _with_whole_properties(document: Document) -> Document:
    refined: dict[Pointer, JsonValue] = {}
    for schema, declared in refinements(document, _schemas(document)):
        if declared.schema.pointer.startswith(f"{schema.pointer}/"):
            whole = _refined(document, declared.declarations)
            if whole is not None:
                refined[declared.schema.pointer] = whole
    return _replaced(document, refined)


def _replaced(document: Document, schemas: dict[Pointer, JsonValue]) -> Document:
    if not schemas:
        return document
    data = clone(document.data)
    # The innermost first: one may be inside another, which replaces it.
    for pointer, value in sorted(schemas.items(), key=lambda pair: -len(pair[0])):
        holder, _, _ = pointer.rpartition("/")
        within, last = resolve(data, holder), split(pointer)[-1]
        if isinstance(within, list):
            within[int(last)] = value
        else:
            mapping(within)[last] = value
    return document.with_data(data)


def _schemas(document: Document) -> Iterator[Subschema]:
    for node in walk(document.data):
        if node.kind == "schema":
            yield Subschema(node.pointer, node.value)


def _with_plain_references(document: Document) -> Document:
    composed = [
        schema.pointer
        for schema in _schemas(document)
        if ("$ref" in mapping(schema.value) and reference(schema.value) is None)
        or (
            "allOf" in mapping(schema.value)
            and any(keyword in mapping(schema.value) for keyword in UNIONS)
        )
    ]
    if not composed:
        return document
    data = clone(document.data)
    for pointer in composed:
        schema = mapping(resolve(data, pointer))
        if "$ref" in schema:
            end, _ = document.end(pointer, {"$ref": schema["$ref"]})
            schema["$ref"] = "#" + quote(end)
        plain = with_plain_reference(schema)
        schema.clear()
        schema.update(plain)
    return document.with_data(data)


def with_plain_reference(schema: JsonObject) -> JsonObject:
    """Return a schema with its `$ref`, and unions that have no discriminator, in its `allOf`."""
    unions = [k for k in UNIONS if k in schema and DISCRIMINATOR not in schema]
    moved = {k: schema[k] for k in ("$ref", *unions) if k in schema}
    rest = {k: v for k, v in schema.items() if k not in moved}
    before: list[JsonValue] = [{"$ref": moved.pop("$ref")}] if "$ref" in moved else []
    after: list[JsonValue] = [{keyword: value} for keyword, value in moved.items()]
    return {**rest, "allOf": [*before, *sequence(schema.get("allOf")), *after]}


def _refined(document: Document, declarations: tuple[Subschema, ...]) -> JsonObject | None:
    """Return the schema of a refined property; None if the last of its schemas says it all."""
    *bases, own = declarations
    if not bases or own.value is False:
        return None
    references: list[JsonValue] = [{"$ref": "#" + quote(base.pointer)} for base in bases]
    constraints = {k: v for k, v in mapping(own.value).items() if k not in ANNOTATIONS}
    annotations = {
        keyword: value
        for schema in (*(document.follow(reference) for reference in references), own.value)
        for keyword, value in mapping(schema).items()
        if keyword in ANNOTATIONS
    }
    if constraints.keys() <= {"const", "type"} and _is_any_object(document, constraints, bases):
        return {**annotations, "allOf": references}
    composed: JsonObject = {**annotations, "allOf": [*references, constraints]}
    if (union := distributed(document, composed)) is not None:
        if union == constraints:
            return None
        # As a part, it is known to differ from the inherited schema.
        return composed if union is False else {**annotations, "allOf": [union]}
    whole = joined(document, composed)
    if whole is not None:
        is_whole = {k: v for k, v in whole[0].items() if k not in ANNOTATIONS} == {
            k: v for k, v in constraints.items() if k != "pattern"
        }
        if is_whole and len(whole[1]) == ("pattern" in constraints):
            return None
    elif adds_properties(document, bases, own):
        # Its properties stay where they are: references to them lead there.
        return {**annotations, **constraints, "allOf": references}
    elif not TYPED.isdisjoint(constraints):
        return None
    return {**annotations, "allOf": [*references, *([constraints] if constraints else [])]}


def adds_properties(document: Document, bases: Sequence[Subschema], own: Subschema) -> bool:
    """Return whether the schema of a property adds others to the properties of inherited ones."""
    known = [properties(document, base) for base in bases]
    several = [mapping(part.value) for base in bases for part in parts(document, base)]
    several.append(mapping(own.value))
    added = mapping(mapping(own.value).get("properties")).keys()
    return (
        bool(added)
        and all(known)
        and all(added.isdisjoint(declared) for declared in known)
        and {*_WHOLE}.isdisjoint(mapping(own.value))
        and all(part.get("type", "object") == "object" for part in several)
        and all(part.keys().isdisjoint(_NOT_ADDED) for part in several)
    )


def _is_any_object(document: Document, constraints: JsonObject, bases: list[Subschema]) -> bool:
    """Return whether constraints say only that the value of these schemas is an object."""
    is_object = constraints.get("type") == "object" or isinstance(constraints.get("const"), dict)
    return is_object and not all(
        mapping(document.follow(base.value)).keys() <= {"type", *ANNOTATIONS} for base in bases
    )

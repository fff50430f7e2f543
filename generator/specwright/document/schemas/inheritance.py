"""Properties that an object has from its `$ref` and its `allOf`.

Both apply together with what is beside them (JSON Schema 2020-12, core, 8.2.3.1 and 10.2.1.1).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import quote

from jsonschema_rs.canonical.schema import clone

from specwright.document.model import Document
from specwright.document.schemas.applicators import Subschema, held
from specwright.document.schemas.inspection import ANNOTATIONS, reference
from specwright.document.schemas.scalars import joined
from specwright.document.shape import walk
from specwright.json_values import JsonObject, JsonValue, mapping, sequence, texts
from specwright.pointer import Pointer, join, resolve, split

_WHOLE = ("$ref", "allOf")
# Keywords that make a schema a type without others.
_TYPED = frozenset({"$ref", "allOf", "anyOf", "const", "enum", "oneOf", "properties", "type"})


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

    Constraints beside a `$ref` are beside an `allOf` with it. A property that refines an inherited
    one, as by `maxLength` without its type, has an `allOf` with it.
    """
    document = _with_plain_references(document)
    refined: dict[Pointer, JsonValue] = {}
    for schema, declared in refinements(document, _schemas(document)):
        if declared.schema.pointer.startswith(f"{schema.pointer}/"):
            whole = _refined(document, declared.declarations)
            if whole is not None:
                refined[declared.schema.pointer] = whole
    if not refined:
        return document
    data = clone(document.data)
    # The innermost first: one may be inside another, which replaces it.
    for pointer, value in sorted(refined.items(), key=lambda pair: -len(pair[0])):
        holder, _, _ = pointer.rpartition("/")
        mapping(resolve(data, holder))[split(pointer)[-1]] = value
    return document.with_data(data)


def _schemas(document: Document) -> Iterator[Subschema]:
    for node in walk(document.data):
        if node.kind == "schema":
            yield Subschema(node.pointer, node.value)


def _with_plain_references(document: Document) -> Document:
    composed = [
        schema.pointer
        for schema in _schemas(document)
        if "$ref" in mapping(schema.value) and reference(schema.value) is None
    ]
    if not composed:
        return document
    data = clone(document.data)
    for pointer in composed:
        schema = mapping(resolve(data, pointer))
        whole: JsonValue = {"$ref": schema.pop("$ref")}
        schema["allOf"] = [whole, *sequence(schema.get("allOf"))]
    return document.with_data(data)


def _refined(document: Document, declarations: tuple[Subschema, ...]) -> JsonObject | None:
    """Return the schema of a refined property; None if the last of its schemas says it all."""
    *bases, own = declarations
    if not bases or not isinstance(own.value, dict):
        return None
    references: list[JsonValue] = [{"$ref": "#" + quote(base.pointer)} for base in bases]
    constraints = {k: v for k, v in own.value.items() if k not in ANNOTATIONS}
    annotations = {
        keyword: value
        for schema in (*(document.follow(reference) for reference in references), own.value)
        for keyword, value in mapping(schema).items()
        if keyword in ANNOTATIONS
    }
    whole = joined(document, {"allOf": [*references, constraints]})
    if whole is not None:
        is_whole = {k: v for k, v in whole[0].items() if k not in ANNOTATIONS} == {
            k: v for k, v in constraints.items() if k != "pattern"
        }
        if is_whole and len(whole[1]) == ("pattern" in constraints):
            return None
    elif not _TYPED.isdisjoint(constraints):
        return None
    return {**annotations, "allOf": [*references, *([constraints] if constraints else [])]}

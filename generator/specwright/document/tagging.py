"""The alternatives of discriminators, each with the tags of its own (OAS 3.1.1, 4.8.25).

A schema with a discriminator may have heirs, which refer to it by `allOf`: a value of `Pet` is a
`Cat` or a `Dog`. Where `Pet` is a type, and not the base of another, it becomes a reference to the
union `AnyPet`.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from jsonschema_rs.canonical.schema import clone

from specwright.document.model import Document
from specwright.document.operations.naming import free, model_name
from specwright.document.schemas.applicators import UNIONS, Subschema
from specwright.document.schemas.discriminator_object import DISCRIMINATOR, discriminator_object
from specwright.document.schemas.discriminators import COMPONENTS, Discriminator, Discriminators
from specwright.document.schemas.inheritance import properties
from specwright.document.schemas.inspection import ANNOTATIONS, unwrapped
from specwright.document.schemas.unions import tags
from specwright.document.shape import walk
from specwright.json_values import JsonObject, mapping
from specwright.pointer import ROOT, Pointer, join, resolve, split

PREFIX = "Any"


def tag_alternatives(document: Document) -> Document:
    """Return a normalised document with unions of heirs, and alternatives that list their tags."""
    known = [*Discriminators(document)]
    narrowed = dict(
        pair for _, discriminator in known for pair in _narrowed(document, discriminator)
    )
    bases = {
        schema.pointer: discriminator
        for schema, discriminator in known
        if discriminator.is_inherited
        and discriminator.alternatives.keys() - {schema.pointer}
        and _is_complete(document, schema.pointer, discriminator)
    }
    if not narrowed and not bases:
        return document
    data = clone(document.data)
    for pointer, (name, schema) in narrowed.items():
        owner = mapping(resolve(data, pointer))
        mapping(owner.setdefault("properties", {}))[name] = schema
    _unite(document, data, bases)
    return document.with_data(data)


def _narrowed(
    document: Document, discriminator: Discriminator
) -> Iterator[tuple[Pointer, tuple[str, JsonObject]]]:
    """Yield the alternatives that list tags of others, with the property as it should be."""
    name = discriminator.name
    for pointer, own in discriminator.alternatives.items():
        alternative = Subschema(pointer, resolve(document.data, pointer))
        listed = tags(document, alternative.value, name)
        own_listed = [tag for tag in listed or () if tag in own]
        if listed is None or not own_listed or len(own_listed) == len(listed):
            continue
        declared = properties(document, alternative).get(name)
        described = mapping(document.follow(declared.schema.value)) if declared else {}
        annotations = {k: v for k, v in described.items() if k in ANNOTATIONS and k != "default"}
        narrow: JsonObject = {"description": "", **annotations, "type": "string"}
        yield pointer, (name, narrow | {"enum": [*own_listed]})


def _is_complete(document: Document, pointer: Pointer, discriminator: Discriminator) -> bool:
    """Return whether all values that a base lists for the property are tags."""
    listed = tags(document, resolve(document.data, pointer), discriminator.name)
    return all(isinstance(tag, str) and tag in discriminator.tags for tag in listed or ())


def _unite(document: Document, data: JsonObject, bases: dict[Pointer, Discriminator]) -> None:
    """Add a union of the heirs of each base, and refer to it where a base is a type."""
    components = mapping(mapping(data["components"])["schemas"])
    reserved = {model_name(key) for key in components}
    unions: dict[Pointer, str] = {}
    for pointer, discriminator in bases.items():
        match split(pointer):
            case ("components", "schemas", key):
                base = mapping(components[key])
                del base[DISCRIMINATOR]
                name = free(PREFIX + model_name(key), reserved)
                reserved.add(name)
                components[name] = _union(discriminator)
                unions[pointer] = "#" + COMPONENTS + join(name)
    _redirect(document, data, unions)


def _union(discriminator: Discriminator) -> JsonObject:
    references = {pointer: "#" + quote(pointer) for pointer in discriminator.alternatives}
    tagged = {tag: references[schema.pointer] for tag, schema in discriminator.tags.items()}
    return {
        "oneOf": [{"$ref": reference} for reference in references.values()],
        DISCRIMINATOR: discriminator_object(discriminator.name, tagged),
    }


def _redirect(document: Document, data: JsonObject, unions: dict[Pointer, str]) -> None:
    for node in [*walk(data)]:
        ref = node.value.get("$ref")
        is_reference = node.kind == "schema" and document.is_local(ref)
        union = unions.get(document.target(str(ref))) if is_reference else None
        if union is not None and not _is_base(data, node.pointer):
            node.value["$ref"] = union


def _is_base(data: JsonObject, pointer: Pointer) -> bool:
    """Return whether a reference is a part of another type, or an alternative with its own tag."""
    *above, keyword, _ = split(pointer)
    holder = join(*above)
    if keyword == "allOf":
        is_wrapper = unwrapped(resolve(data, holder))[0] != ROOT
        return not is_wrapper or above[:-1] == ["components", "schemas"]
    return keyword in UNIONS and DISCRIMINATOR in mapping(resolve(data, holder))

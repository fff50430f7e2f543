"""The alternatives of discriminators, each with the tags of its own (OAS 3.1.1, 4.8.25).

A schema with a discriminator may have heirs, which refer to it by `allOf`: a value of `Pet` is a
`Cat` or a `Dog`. Where `Pet` is a type, and not the base of another, it becomes a reference to the
union `AnyPet`. As a base has the tags of its heirs, the alternative of its own tags is `PlainPet`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
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

_UNION, _ALONE = "Any", "Plain"


def tag_alternatives(document: Document) -> Document:
    """Return a normalised document with unions of heirs, and alternatives that list their tags."""
    discriminators = Discriminators(document)
    known = [*discriminators]
    bases = {
        schema.pointer: discriminator
        for schema, discriminator in known
        if discriminator.is_inherited
        and discriminator.alternatives.keys() - {schema.pointer}
        and _is_complete(document, schema.pointer, discriminator)
    }
    alone = {
        pointer
        for discriminator in bases.values()
        for pointer in discriminator.alternatives
        if discriminators.is_base(pointer)
    }
    narrowed = {
        pointer: (discriminator.name, schema)
        for _, discriminator in known
        for pointer, schema in _narrowed(document, discriminator)
        if pointer not in alone
    }
    if not narrowed and not bases:
        return document
    data = clone(document.data)
    for pointer, (name, schema) in narrowed.items():
        owner = mapping(resolve(data, pointer))
        mapping(owner.setdefault("properties", {}))[name] = schema
    _unite(document, data, bases, alone)
    return document.with_data(data)


def _narrowed(
    document: Document, discriminator: Discriminator
) -> Iterator[tuple[Pointer, JsonObject]]:
    """Yield the alternatives that list tags of others, with the property as it should be."""
    for pointer, own in discriminator.alternatives.items():
        listed = tags(document, resolve(document.data, pointer), discriminator.name)
        own_listed = [tag for tag in listed or () if tag in own]
        if listed is not None and own_listed and len(own_listed) < len(listed):
            yield pointer, _tag(document, pointer, discriminator.name, own_listed)


def _tag(document: Document, pointer: Pointer, name: str, own: Iterable[str]) -> JsonObject:
    """Return the property of the tag of an alternative, with its own tags."""
    alternative = Subschema(pointer, resolve(document.data, pointer))
    declared = properties(document, alternative).get(name)
    described = mapping(document.follow(declared.schema.value)) if declared else {}
    annotations = {k: v for k, v in described.items() if k in ANNOTATIONS and k != "default"}
    return {"description": "", **annotations, "type": "string", "enum": [*own]}


def _is_complete(document: Document, pointer: Pointer, discriminator: Discriminator) -> bool:
    """Return whether all values that a base lists for the property are tags."""
    listed = tags(document, resolve(document.data, pointer), discriminator.name)
    return all(isinstance(tag, str) and tag in discriminator.tags for tag in listed or ())


def _unite(
    document: Document,
    data: JsonObject,
    bases: Mapping[Pointer, Discriminator],
    alone: Set[Pointer],
) -> None:
    """Add a union of the heirs of each base, and refer to it where a base is a type.

    Args:
        alone: the alternatives that are bases of others.
    """
    components = mapping(mapping(data["components"])["schemas"])
    reserved = {model_name(key) for key in components}

    def added(prefix: str, pointer: Pointer, schema: JsonObject) -> str:
        name = free(prefix + model_name(split(pointer)[-1]), reserved)
        reserved.add(name)
        components[name] = schema
        return "#" + COMPONENTS + join(name)

    unions: dict[Pointer, str] = {}
    for pointer, discriminator in bases.items():
        match split(pointer):
            case ("components", "schemas", key):
                del mapping(components[key])[DISCRIMINATOR]
                references = {
                    place: added(_ALONE, place, _alone(document, discriminator, place))
                    if place in alone
                    else "#" + quote(place)
                    for place in discriminator.alternatives
                }
                unions[pointer] = added(_UNION, pointer, _union(discriminator, references))
    _redirect(document, data, unions)


def _alone(document: Document, discriminator: Discriminator, pointer: Pointer) -> JsonObject:
    """Return a schema of the values of a base that are none of its heirs."""
    name = discriminator.name
    tag = _tag(document, pointer, name, discriminator.alternatives[pointer])
    described = mapping(resolve(document.data, pointer)).get("description")
    return {
        **({} if described is None else {"description": described}),
        "allOf": [
            {"$ref": "#" + quote(pointer)},
            {"type": "object", "properties": {name: tag}},
        ],
    }


def _union(discriminator: Discriminator, references: Mapping[Pointer, str]) -> JsonObject:
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

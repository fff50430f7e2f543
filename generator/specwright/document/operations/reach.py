"""The components that the values of each direction are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from specwright.document.model import Document
from specwright.document.operations.sites import (
    Direction,
    Site,
    contents,
    operations,
    parameters,
    request_body,
    responses,
)
from specwright.document.shape import OBJECTS
from specwright.json_values import JsonObject, JsonValue, mapping
from specwright.pointer import Pointer, join, split

COMPONENTS = join("components", "schemas")
HELD = frozenset(["schema", "itemSchema"])


@dataclass(frozen=True, slots=True)
class Holder:
    """A parameter, or a media type object, with the schema of a value.

    Attributes:
        media_type: None if it is a parameter without one.
    """

    site: Site
    media_type: str | None = None


def holders(document: Document, *, sent: bool) -> list[Holder]:
    """Return the holders of values that clients send, or read."""
    by_place: dict[Pointer, Holder] = {}
    for site in operations(document):
        is_request = (site.direction is Direction.PATH) is sent
        body = request_body(document, site) if is_request else None
        answers = () if is_request else dict(responses(document, site)).values()
        arguments = parameters(document, site).values() if is_request else ()
        by_place |= {argument.pointer: Holder(argument) for argument in arguments}
        for whole in (*arguments, *([body] if body else ()), *answers):
            for media_type, content in contents(document, whole):
                by_place[content.pointer] = Holder(content, media_type)
    return list(by_place.values())


def reached_components(document: Document, holders: Iterable[Holder]) -> set[str]:
    """Return the keys of the components that the values of holders are made of."""
    schemas = component_schemas(document)
    keys: set[str] = set()
    values = (holder.site.value for holder in holders)
    pending = [value[key] for value in values for key in HELD & value.keys()]
    while pending:
        new = components_of(document, pending.pop()) - keys
        keys |= new
        pending += [schemas.get(key) for key in new]
    return keys


def component_schemas(document: Document) -> Mapping[str, JsonValue]:
    """Return the schemas of a document's components."""
    return mapping(mapping(document.data.get("components")).get("schemas"))


def components_of(document: Document, schema: JsonValue) -> set[str]:
    """Return the keys of the components that a schema refers to, in whole or in part."""
    references = (part.get("$ref") for part in schemas_within(schema))
    components = (component_of(document, ref) for ref in references if document.is_local(ref))
    return {key for key, _ in components if key}


def component_of(document: Document, ref: str) -> tuple[str, Pointer]:
    """Return the component that a reference names, and the rest of the pointer."""
    target = document.target(ref)
    if not target.startswith(COMPONENTS + "/"):
        return "", target
    _, _, key, *inner = split(target)
    return key, join(*inner)


def schemas_within(schema: JsonValue) -> Iterator[JsonObject]:
    """Yield a schema and all schemas in it, without following references."""
    if isinstance(schema, dict):
        yield schema
        for key, value in schema.items():
            match OBJECTS["schema"].get(key), value:
                case "schema", dict():
                    yield from schemas_within(value)
                case "schema[]", list():
                    for item in value:
                        yield from schemas_within(item)
                case "schema{}", dict():
                    for member in value.values():
                        yield from schemas_within(member)

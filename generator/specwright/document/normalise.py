"""Named schemas: inline ones of parameters, bodies and responses move into `components`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from urllib.parse import quote

from jsonschema_rs.canonical.schema import clone

from specwright.document.model import Document
from specwright.document.operations.naming import STEP, argument_names, free
from specwright.document.operations.sites import (
    Site,
    contents,
    events,
    follow,
    is_xml,
    members,
    operations,
    parameters,
    request_body,
    responses,
    value_schema,
)
from specwright.document.schemas import inspection as schemas
from specwright.document.schemas.discriminator_object import DISCRIMINATOR, mapped, remapped
from specwright.json_values import JsonValue, mapping
from specwright.names import pascal
from specwright.pointer import Pointer, join, resolve, split

COMPONENTS = join("components", "schemas")


@dataclass(frozen=True, slots=True)
class Slot:
    """A place that holds a schema, and the name for an inline schema there.

    Attributes:
        same: an earlier place with the schema of the same values, which need no other class.
    """

    holder: Pointer
    name: str
    key: str = "schema"
    same: Pointer | None = None


def normalise(document: Document) -> Document:
    """Return the document with each inline schema of a slot moved to `components/schemas`.

    The place keeps a `$ref`. Names depend only on operationId and place, so an addition to the
    document renames nothing.
    """
    data = clone(document.data)
    components = mapping(mapping(data.setdefault("components", {})).setdefault("schemas", {}))
    moved: dict[Pointer, Pointer] = {}
    for slot in _slots(document):
        holder = mapping(resolve(data, slot.holder))
        schema = holder.get(slot.key, {})
        if slot.same is not None:
            same = mapping(resolve(data, slot.same))
            moved[slot.holder + join(slot.key)] = document.target(str(same["$ref"]))
            holder[slot.key] = dict(same)
        elif not _names_component(schema):
            key = free(slot.name, components, STEP)
            # A missing schema and the schema `true` mean the same: any JSON value.
            components[key] = False if schema is False else mapping(schema)
            moved[slot.holder + join(slot.key)] = COMPONENTS + join(key)
            holder[slot.key] = {"$ref": "#" + COMPONENTS + join(key)}
    redirect(document, data, moved)
    return document.with_data(data)


def redirect(document: Document, value: JsonValue, moved: dict[Pointer, Pointer]) -> None:
    """Redirect references into a schema that moved to its new place."""
    if isinstance(value, list):
        for item in value:
            redirect(document, item, moved)
    elif isinstance(value, dict):
        ref = value.get("$ref")
        if isinstance(ref, str):
            value["$ref"] = _redirected(document, ref, moved)
        if tags := mapped(value):
            redirected = {tag: _redirected(document, ref, moved) for tag, ref in tags.items()}
            value[DISCRIMINATOR] = remapped(value, redirected)
        for member in value.values():
            redirect(document, member, moved)


def _redirected(document: Document, ref: str, moved: dict[Pointer, Pointer]) -> str:
    target = document.target(ref) if "#" in ref else COMPONENTS + join(ref)
    place = target
    while place and place not in moved:
        place = place.rpartition("/")[0]
    return "#" + quote(moved[place] + target[len(place) :]) if place else ref


def _names_component(schema: JsonValue) -> bool:
    ref = schemas.reference(schema)
    return ref is not None and ref.startswith("#" + COMPONENTS) and len(split(ref[1:])) == 3


def _slots(document: Document) -> Iterator[Slot]:
    seen: set[Pointer] = set()
    for slot in (*_component_slots(document), *_operation_slots(document)):
        if slot.holder not in seen:
            seen.add(slot.holder)
            yield slot


def _component_slots(document: Document) -> Iterator[Slot]:
    """Yield shared parts first: their names come from their keys, not from an operation's use."""
    root = follow(document, "/components", document.data.get("components"))
    for key, parameter in members(document, root, "parameters"):
        yield from _parameter_slots(document, parameter, key, "Parameter")
    for key, body in members(document, root, "requestBodies"):
        yield from _content_slots(document, body, key, "RequestBody")
    for key, response in members(document, root, "responses"):
        yield from _content_slots(document, response, key, "ResponseBody")


def _operation_slots(document: Document) -> Iterator[Slot]:
    for site in operations(document):
        declared = parameters(document, site)
        for parameter, word in zip(declared.values(), argument_names([*declared]), strict=True):
            yield from _parameter_slots(document, parameter, site.name, word + " parameter")
        body = request_body(document, site)
        if body is not None:
            yield from _content_slots(document, body, site.name, "Request")
        first = True
        for status, response in responses(document, site):
            is_result = status.startswith("2") and first
            first = first and not is_result
            word = "Response" if is_result else "Response" + pascal(status).removeprefix("X")
            yield from _content_slots(document, response, site.name, word)


def _parameter_slots(document: Document, parameter: Site, whole: str, word: str) -> Iterator[Slot]:
    if "schema" in parameter.value:
        yield _slot(parameter / "schema", whole, word)
    yield from _content_slots(document, parameter, whole, word)


def _content_slots(document: Document, holder: Site, whole: str, word: str) -> Iterator[Slot]:
    values: dict[Pointer, JsonValue] = {}
    for media_type, content in contents(document, holder):
        schema = value_schema(document, media_type, content)
        if schema is not None:
            value = schemas.without_xml(schema.value)
            slot = _slot(schema.pointer, whole, word + (pascal(media_type) if values else ""))
            # Elements have names of their own, but the values are those of the other media.
            same = (place for place in values if is_xml(media_type) and values[place] == value)
            yield replace(slot, same=next(same, None))
            values[schema.pointer] = value
        kinds = events(document, media_type, content)
        for kind in kinds:
            if kind.json_schema is not None:
                name = kind.names[0] if len(kinds) > 1 and kind.names else ""
                yield _data_slot(kind.json_schema.pointer, whole, word, name)


def _data_slot(pointer: Pointer, whole: str, word: str, name: str) -> Slot:
    """Return the slot of the data of an event; in a component, it is named after that."""
    if pointer.startswith(COMPONENTS + "/"):
        _, _, key, keyword, *_ = split(pointer)
        return _slot(pointer, key, "data" if keyword == "properties" else f"{name} data")
    return _slot(pointer, whole, f"{word} {name}")


def _slot(pointer: Pointer, whole: str, word: str) -> Slot:
    holder, _, key = pointer.rpartition("/")
    return Slot(holder, pascal(whole) + STEP + pascal(word), key)

"""Operations with their inputs and outputs, where they are in a document, references followed.

`shape.walk` visits each object where it is written; this module visits the parts of an API. No
other module follows the references of paths, webhooks, parameters, bodies or responses.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from specwright.document.model import Document
from specwright.document.schemas.applicators import Subschema
from specwright.document.schemas.event_schemas import (
    FIELDS,
    EventSchema,
    event_schemas,
    fields_of_event,
)
from specwright.document.schemas.inspection import is_binary
from specwright.document.schemas.polarity import Polarity
from specwright.document.schemas.xml_shapes import is_described
from specwright.document.shape import METHODS
from specwright.json_values import JsonObject, JsonValue, mapping
from specwright.pointer import Pointer, join, resolve
from specwright.runtime.shared.media.medium import Medium
from specwright.runtime.shared.media.table import medium_of
from specwright.runtime.shared.operation import Content, Part

# A response decides which of these it is; a request names one of them.
_RANGES = frozenset({"*/*", "application/*"})
_JSON, _OCTETS = "application/json", "application/octet-stream"
_FORM = "application/x-www-form-urlencoded"
# The place of a parameter that is the query string as a whole (OpenAPI 3.2.0, 4.12.1).
WHOLE_QUERY = "querystring"


class Direction(StrEnum):
    """The receiver of a request: the API itself, or its client for a webhook or a callback."""

    PATH = "path"
    WEBHOOK = "webhook"
    CALLBACK = "callback"


def of_request(direction: Direction) -> Polarity:
    """Return the polarity of the parameters and the body of a request."""
    return Polarity.TO_SERVER if direction is Direction.PATH else Polarity.TO_CLIENT


def of_response(direction: Direction) -> Polarity:
    """Return the polarity of the headers and the body of a response."""
    return Polarity.TO_CLIENT if direction is Direction.PATH else Polarity.TO_SERVER


@dataclass(frozen=True, slots=True)
class Site:
    """A value of the document after following references, with its own pointer."""

    pointer: Pointer
    value: JsonObject

    def __truediv__(self, token: str) -> Pointer:
        return self.pointer + join(token)


@dataclass(frozen=True, slots=True)
class OperationSite(Site):
    """An operation with the path item around it.

    Attributes:
        key: the path, the name of the webhook, or the expression of the callback.
        method: the method as it is sent.
        called: the words for an operation of a callback: its declaring operation, its name there.
    """

    key: str
    method: str
    direction: Direction
    item: Site
    called: str = ""

    @property
    def id(self) -> str | None:
        """The operationId."""
        id = self.value.get("operationId")
        return id if isinstance(id, str) and id else None

    @property
    def name(self) -> str:
        """The operationId, or else the words of method and path, or of a callback."""
        return self.id or self.called or f"{self.method.lower()} {self.key}"


def follow(document: Document, pointer: Pointer, value: JsonValue) -> Site:
    """Follow references from a place to an object; empty if they do not end in one."""
    pointer, value = document.end(pointer, value)
    return Site(pointer, mapping(value))


def at(document: Document, pointer: Pointer) -> Site:
    """Return the object at a place; empty if the value there is not one."""
    return Site(pointer, mapping(resolve(document.data, pointer)))


def members(document: Document, site: Site, name: str) -> Iterator[tuple[str, Site]]:
    """Yield the members of an object- or array-valued field, references followed."""
    field = site.value.get(name)
    if isinstance(field, dict):
        for key, value in field.items():
            yield key, follow(document, site.pointer + join(name, key), value)
    elif isinstance(field, list):
        for index, value in enumerate(field):
            yield str(index), follow(document, site.pointer + join(name, index), value)


def _named(document: Document, site: Site, name: str) -> Iterator[tuple[str, Site]]:
    """Return the members of a map, without its extensions."""
    return (member for member in members(document, site, name) if not member[0].startswith("x-"))


def operations(document: Document) -> Iterator[OperationSite]:
    """Yield all operations in document order: of `paths`, of `webhooks`, then of callbacks.

    If several paths refer to one path item, each of them gets its operations.
    """
    root = Site("", document.data)
    sites = [
        operation
        for field, direction in (("paths", Direction.PATH), ("webhooks", Direction.WEBHOOK))
        for key, item in _named(document, root, field)
        for operation in _of_item(item, key, direction)
    ]
    yield from sites
    # A callback may have callbacks, even in a circle.
    seen: set[Pointer] = set()
    for operation in sites:
        for name, callback in members(document, operation, "callbacks"):
            if callback.pointer not in seen:
                seen.add(callback.pointer)
                called = list(_of_callback(document, callback, f"{operation.name} {name}"))
                yield from called
                sites.extend(called)


def named_operations(document: Document) -> dict[str, OperationSite]:
    """Return the operations of `paths` by operationId, and by method and path (`GET /things`)."""
    return {
        name: site
        for site in operations(document)
        if site.direction is Direction.PATH
        for name in (f"{site.method} {site.key}", site.name)
    }


def components(document: Document) -> Site:
    """Return the components object, which cannot be a reference itself."""
    return Site("/components", mapping(document.data.get("components")))


def component_operations(document: Document) -> Iterator[OperationSite]:
    """Yield the operations of all path items and callbacks in the components, used or not."""
    for key, item in members(document, components(document), "pathItems"):
        yield from _of_item(item, key, Direction.PATH)
    for name, callback in members(document, components(document), "callbacks"):
        yield from _of_callback(document, callback, name)


def callbacks(document: Document, operation: OperationSite) -> Iterator[tuple[str, OperationSite]]:
    """Yield the operations of an operation's callbacks, with the names of the callbacks."""
    for name, callback in members(document, operation, "callbacks"):
        for called in _of_callback(document, callback, f"{operation.name} {name}"):
            yield name, called


def _of_item(
    item: Site, key: str, direction: Direction, called: str = ""
) -> Iterator[OperationSite]:
    """Yield the operations of a path item."""
    additional = mapping(item.value.get("additionalOperations"))
    places = [(method.upper(), item / method, item.value.get(method)) for method in METHODS]
    places += [
        (method, item.pointer + join("additionalOperations", method), value)
        for method, value in additional.items()
    ]
    for method, pointer, value in places:
        if isinstance(value, dict):
            yield OperationSite(pointer, value, key, method, direction, item, called)


def _of_callback(document: Document, callback: Site, called: str) -> Iterator[OperationSite]:
    """Yield the operations of a callback object, for each of its expressions."""
    for key, value in callback.value.items():
        if not key.startswith("x-"):
            item = follow(document, callback / key, value)
            yield from _of_item(item, key, Direction.CALLBACK, called)


def parameters(document: Document, operation: OperationSite) -> dict[tuple[str, str], Site]:
    """Return parameters by place and name; the operation's own override those of the path item.

    The names of header fields are case-insensitive (RFC 9110, 5.1), so they are in lower case.
    """
    by_key: dict[tuple[str, str], Site] = {}
    for owner in (operation.item, operation):
        for _, parameter in members(document, owner, "parameters"):
            place, name = str(parameter.value.get("in")), str(parameter.value.get("name"))
            by_key[place, name.lower() if place == "header" else name] = parameter
    return by_key


def request_body(document: Document, operation: OperationSite) -> Site | None:
    """Return the request body of an operation."""
    declared = operation.value.get("requestBody")
    return None if declared is None else follow(document, operation / "requestBody", declared)


def responses(document: Document, operation: OperationSite) -> Iterator[tuple[str, Site]]:
    """Return the responses of an operation by status, such as `200`, `2XX` or `default`."""
    return _named(document, operation, "responses")


def contents(document: Document, holder: Site) -> Iterator[tuple[str, Site]]:
    """Return the media type objects of a body, a response or a parameter, by media type."""
    return members(document, holder, "content")


def concrete(document: Document, media_type: str, content: Site) -> str:
    """Return the media type of a content; for a range that may be JSON, that of its schema."""
    if essence(media_type) not in _RANGES:
        return media_type
    return _OCTETS if is_binary(schema(document, content).value) else _JSON


def json_content(document: Document, holder: Site | None) -> Site | None:
    """Return the media type object of the first content that is JSON."""
    if holder is None:
        return None
    return next((each for name, each in contents(document, holder) if is_json(name)), None)


def schema(document: Document, holder: Site) -> Site:
    """Return the schema of a media type, parameter or header object."""
    return follow(document, holder / "schema", holder.value.get("schema"))


def medium_at(document: Document, media_type: str, content: Site) -> Medium:
    """Return the medium of a content: XML that its schema does not describe is a text."""
    is_text = is_xml(media_type) and xml_schema(document, media_type, content) is None
    return medium_of("text/plain" if is_text else media_type)


def xml_schema(document: Document, media_type: str, content: Site) -> Subschema | None:
    """Return the schema of a value in XML; None if it says no more than that it is a text."""
    schema = Subschema(content / "schema", content.value.get("schema", {}))
    return schema if is_xml(media_type) and is_described(document, schema) else None


def value_schema(document: Document, media_type: str, content: Site) -> Site | None:
    """Return the schema of a value of a media type, or of an item where items come one by one.

    References are not followed; None if the media type needs no schema, or items are events.
    """
    medium = medium_at(document, media_type, content)
    if not medium.has_schema:
        return None
    if not medium.is_stream:
        return Site(content / "schema", mapping(content.value.get("schema")))
    item = item_schema(document, content)
    if item is None or (medium.has_envelopes and not _is_data(document, item)):
        return None
    return Site(item.pointer, mapping(item.value))


def item_schema(document: Document, content: Site) -> Subschema | None:
    """Return the schema of an item of a stream: a value, or an event; None if there is none.

    References are not followed.
    """
    key = "itemSchema" if "itemSchema" in content.value else "schema"
    schema = Subschema(content / key, content.value.get(key, {}))
    described = follow(document, schema.pointer, schema.value)
    if described.value.get("type") == "array":
        schema = Subschema(described / "items", described.value.get("items", {}))
    return schema if mapping(schema.value) else None


def events(document: Document, media_type: str, content: Site) -> tuple[EventSchema, ...]:
    """Return the events of a stream; empty if its items are values, or have no schema."""
    item = item_schema(document, content)
    if not medium_at(document, media_type, content).has_envelopes or item is None:
        return ()
    return event_schemas(document, item) if _is_event(document, item) else ()


def _is_data(document: Document, item: Subschema) -> bool:
    """Return whether a schema of events describes the data of each, and not a whole event."""
    is_text = follow(document, item.pointer, item.value).value.get("type") == "string"
    return not is_text and not _is_event(document, item)


def _is_event(document: Document, item: Subschema) -> bool:
    """Return whether a schema describes whole events.

    One in `schema`, which is older than that for items, may describe data with such members.
    """
    fields = fields_of_event(document, item)
    is_item = not item.pointer.endswith("/schema")
    return {"data", "event"} <= fields or (is_item and "data" in fields and fields <= FIELDS)


def success_content(document: Document, operation: OperationSite) -> Site | None:
    """Return the first JSON content of the successful responses."""
    contents = (
        json_content(document, response)
        for status, response in responses(document, operation)
        if status.startswith("2")
    )
    return next((content for content in contents if content is not None), None)


def described(document: Document, parameter: Site) -> Site:
    """Return the object with the schema of a parameter: its media type, or the parameter itself."""
    return next((content for _, content in contents(document, parameter)), parameter)


def query_content(document: Document, parameter: Site) -> Content | None:
    """Return the media type of a whole query string, with the styles of the parts of a form.

    None for any other parameter.
    """
    if parameter.value.get("in") != WHOLE_QUERY:
        return None
    for media_type, content in contents(document, parameter):
        declared = {name: each.value for name, each in members(document, content, "encoding")}
        styles = {
            name: Part(
                style=str(part.get("style", "form")), explode=part.get("explode") is not False
            )
            for name, part in declared.items()
            if "style" in part or "explode" in part
        }
        return Content(media_type, parts=styles)
    return None


def lost_media_type(document: Document, parameter: Site) -> str | None:
    """Return the media type of a query string that only a form, JSON or a text can have.

    None if the value of the parameter can be sent.
    """
    if parameter.value.get("in") != WHOLE_QUERY:
        return None
    media_type, content = next(contents(document, parameter), ("no media type", parameter))
    is_text = schema(document, content).value.get("type") == "string"
    return None if essence(media_type) == _FORM or is_json(media_type) or is_text else media_type


def examples(document: Document, holder: Site) -> Iterator[tuple[Pointer, JsonValue]]:
    """Yield the example values of a media type, parameter or header object, with their places."""
    if "example" in holder.value:
        yield holder / "example", holder.value["example"]
    for name, example in members(document, holder, "examples"):
        at = holder.pointer + join("examples", name)
        for field in ("value", "dataValue"):
            if field in example.value:
                # The target of a reference is checked where it is used.
                yield (example / field if example.pointer == at else at), example.value[field]


def essence(media_type: str) -> str:
    """Return a media type without its parameters, in lower case (RFC 9110, 8.3.1)."""
    return media_type.partition(";")[0].strip().lower()


def is_json(media_type: str) -> bool:
    """Return whether content of a media type is JSON (RFC 6839, 3.1), or may be."""
    plain = essence(media_type)
    return plain in _RANGES or plain.endswith(("+json", "/json"))


def is_xml(media_type: str) -> bool:
    """Return whether content of a media type is XML (RFC 7303, 9)."""
    return essence(media_type).endswith(("/xml", "+xml"))


def fits(media_type: str, declared: str) -> bool:
    """Return whether a media type is the declared one, or in the declared range."""
    plain, wanted = essence(media_type), essence(declared)
    kind = wanted.partition("/")[0]
    return wanted in (plain, "*/*") or (wanted.endswith("/*") and plain.startswith(f"{kind}/"))


def is_range(media_type: str) -> bool:
    """Return whether this is a range of media types (RFC 9110, 12.5.1)."""
    return "*" in media_type

"""Conversion of Swagger 2.0 documents to OpenAPI 3.0."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import takewhile
from urllib.parse import quote, unquote

from jsonschema_rs.canonical.schema import clone

from specwright.document.model import Document
from specwright.document.moves import Moves
from specwright.document.shape import SWAGGER_OBJECTS, Node, walk
from specwright.document.sources.swagger.access import security_scheme, servers
from specwright.document.sources.swagger.bodies import body, request_body
from specwright.document.sources.swagger.draft import Draft, SentParameter, sent
from specwright.document.sources.swagger.responses import response
from specwright.document.sources.swagger.values import PARAMETER, value_schema, without_schema
from specwright.json_values import JsonObject, JsonValue, mapping
from specwright.pointer import ROOT, Pointer, join

VERSION = "3.0.4"

_METHODS = frozenset(
    name for name, kind in SWAGGER_OBJECTS["pathItem"].items() if kind == "operation"
)
_OF_DOCUMENT = frozenset(
    (
        *("swagger", "host", "basePath", "schemes", "consumes", "produces", "paths"),
        *("definitions", "parameters", "responses", "securityDefinitions", "pathItems"),
    )
)
_OF_OPERATIONS = frozenset(("consumes", "produces", "schemes", "parameters", "responses"))

# A part of the new document from one of the old: its value, its new place and its old one.
_Part = Callable[[JsonObject, Pointer, Pointer], JsonObject]


def converted(document: Document) -> Document:
    """Return a document of Swagger 2.0 as the same API in OpenAPI 3.0.

    Parts without an equivalent are named in the remarks of the document.
    """
    draft = Draft.of(document)
    data = _document(draft)
    # While it is walked, so that parts of converted schemas are visited where they are now.
    for node in walk(data):
        if node.kind == "schema":
            _complete_schema(node, draft.moves)
        if node.ref is not None and node.ref.startswith("#/"):
            node.value["$ref"] = _reference(node.ref, draft.moves)
    return document.upgraded(data, draft.moves, (*draft.remarks, *draft.media_types.remarks()))


def _document(draft: Draft) -> JsonObject:
    """Return the new document, with references and schemas as they were."""
    old, data = draft.document.data, dict[str, JsonValue](openapi=VERSION)
    draft.moves.add(join("openapi"), join("swagger"))
    data.update({name: clone(old[name]) for name in old if name not in _OF_DOCUMENT})
    if urls := servers(old, old.get("schemes"), ROOT, draft.moves):
        data["servers"] = urls
    if "paths" in old:
        place = join("paths")
        data["paths"] = _members(old["paths"], place, place, partial(_path_item, draft))
    components = {**mapping(data.get("components")), **dict(_components(draft))}
    if components:
        data["components"] = components
    return data


def _components(draft: Draft) -> Iterator[tuple[str, JsonValue]]:
    """Yield the sections of the components."""
    old = draft.document.data
    draft.moves.add_inner(join("components"), ROOT)
    sections: dict[str, tuple[str, _Part]] = {
        "definitions": ("schemas", lambda schema, new, at: clone(schema)),
        "parameters": ("parameters", partial(_parameter, draft)),
        "responses": (
            "responses",
            partial(response, draft, draft.media_types.of(old, ROOT, "produces")),
        ),
        "pathItems": ("pathItems", partial(_path_item, draft)),
        "securityDefinitions": ("securitySchemes", partial(security_scheme, draft.moves)),
    }
    shared = {
        name: SentParameter.of(draft.document, value, join("parameters", name))
        for name, value in mapping(old.get("parameters")).items()
    }
    bodies = {name: parameter for name, parameter in shared.items() if parameter.is_in_body}
    for section, (new, part) in sections.items():
        if section in old:
            members = old[section]
            if section == "parameters" and isinstance(members, dict):
                members = {name: value for name, value in members.items() if name not in bodies}
            draft.moves.add(join("components", new), join(section))
            yield new, _members(members, join("components", new), join(section), part)
    if bodies:
        yield "requestBodies", _request_bodies(draft, bodies)


def _request_bodies(draft: Draft, shared: Mapping[str, SentParameter]) -> JsonObject:
    """Return the shared bodies; shared fields of forms are written out in each form."""
    consumes = draft.media_types.of(draft.document.data, ROOT, "consumes")
    draft.moves.add_inner(join("components", "requestBodies"), join("parameters"))
    bodies: JsonObject = {}
    for name, parameter in shared.items():
        if parameter.place == "body":
            new = join("components", "requestBodies", name)
            draft.moves.add(new, parameter.listed)
            bodies[name] = body(draft, parameter, consumes, new)
    return bodies


def _members(value: JsonValue, new: Pointer, old: Pointer, part: _Part) -> JsonValue:
    """Return the members of a map; only objects are converted, and no extensions."""
    if not isinstance(value, dict):
        return clone(value)
    return {
        name: part(inner, new + join(name), old + join(name))
        if isinstance(inner, dict) and not name.startswith("x-")
        else clone(inner)
        for name, inner in value.items()
    }


def _path_item(draft: Draft, item: JsonObject, new: Pointer, old: Pointer) -> JsonObject:
    inherited = [*sent(draft.document, item.get("parameters"), old)]
    converted: JsonObject = {}
    for name, value in item.items():
        if name in _METHODS and isinstance(value, dict):
            at, place = new + join(name), old + join(name)
            converted[name] = _operation(draft, inherited, value, at, place)
        elif name == "parameters":
            if parameters := _parameters(draft, value, new, old):
                converted[name] = parameters
        else:
            converted[name] = clone(value)
    return converted


def _operation(
    draft: Draft,
    inherited: Sequence[SentParameter],
    operation: JsonObject,
    new: Pointer,
    old: Pointer,
) -> JsonObject:
    """Return an operation.

    Args:
        inherited: the parameters of its path item.
    """
    converted = {
        name: clone(value) for name, value in operation.items() if name not in _OF_OPERATIONS
    }
    listed = operation.get("parameters")
    if parameters := _parameters(draft, listed, new, old):
        converted["parameters"] = parameters
    own = [*sent(draft.document, listed, old)]
    consumes = draft.media_types.of(operation, old, "consumes")
    if body := request_body(draft, own, inherited, consumes, new + join("requestBody")):
        converted["requestBody"] = body
    if "responses" in operation:
        produces = draft.media_types.of(operation, old, "produces")
        places = new + join("responses"), old + join("responses")
        part = partial(response, draft, produces)
        converted["responses"] = _members(operation["responses"], *places, part)
    schemes = operation.get("schemes")
    if schemes and (urls := servers(draft.document.data, schemes, old, draft.moves)):
        converted["servers"] = urls
    return converted


def _parameters(draft: Draft, listed: JsonValue, new: Pointer, old: Pointer) -> JsonValue:
    """Return the parameters of a list that are not in the body."""
    if not isinstance(listed, list):
        return clone(listed)
    converted: list[JsonValue] = []
    for index, parameter in enumerate(sent(draft.document, listed, old)):
        if not parameter.is_in_body:
            at = new + join("parameters", len(converted))
            draft.moves.add(at, parameter.listed)
            value = listed[index]
            if isinstance(value, dict):
                value = _parameter(draft, value, at, parameter.listed)
            converted.append(value)
    return converted


def _parameter(draft: Draft, declared: JsonObject, new: Pointer, old: Pointer) -> JsonObject:
    if isinstance(declared.get("$ref"), str):
        return mapping(clone(declared))
    described = value_schema(declared, str(declared.get("in")), old, PARAMETER)
    draft.remarks.extend(described.remarks)
    draft.moves.add_inner(new + join("schema"), old)
    for name in described.style:
        draft.moves.add_inner(new + join(name), old + join("collectionFormat"))
    return {**without_schema(declared), **described.style, "schema": described.schema}


def _complete_schema(node: Node, moves: Moves) -> None:
    """Convert the keywords of a schema that have other names or shapes."""
    schema, old = node.value, moves.before(node.pointer)
    if isinstance(name := schema.get("discriminator"), str):
        schema["discriminator"] = {"propertyName": name}
        place = node.pointer + join("discriminator", "propertyName")
        moves.add_inner(place, old + join("discriminator"))
    if "x-nullable" in schema and "nullable" not in schema:
        schema["nullable"] = schema.pop("x-nullable")
        moves.add(node.pointer + join("nullable"), old + join("x-nullable"))
    if isinstance(schema.get("items"), list):
        schema["prefixItems"] = schema.pop("items")
        moves.add(node.pointer + join("prefixItems"), old + join("items"))


def _reference(ref: str, moves: Moves) -> str:
    """Return a reference to the new place of its target."""
    written = ref.removeprefix("#").split("/")
    new = moves.after(unquote("/".join(written)))[0].split("/")
    # Names stay as the author has written them, encoded or not.
    ends = zip(reversed(written), reversed(new), strict=False)
    same = len([*takewhile(lambda end: unquote(end[0]) == end[1], ends)])
    moved = map(quote, new[: len(new) - same])
    return "#" + "/".join([*moved, *written[len(written) - same :]])

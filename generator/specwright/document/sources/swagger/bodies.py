"""Request bodies of OpenAPI 3, which are parameters in Swagger 2.0."""

from __future__ import annotations

from collections.abc import Sequence

from jsonschema_rs.canonical.schema import clone

from specwright.document.sources.swagger.draft import Draft, SentParameter
from specwright.document.sources.swagger.media_types import MediaTypeList
from specwright.document.sources.swagger.values import BODY, value_schema, without_schema
from specwright.json_values import JsonObject, JsonValue
from specwright.pointer import Pointer, join

# The id of the rule that reports parameters without effect.
IGNORED = "swagger-ignored"

_NOT_KEPT = frozenset(("name", "in", "schema"))
# An empty text is valid for every property that is text.
_NOT_OF_PROPERTIES = frozenset(("name", "in", "required", "allowEmptyValue"))


def request_body(
    draft: Draft,
    own: Sequence[SentParameter],
    inherited: Sequence[SentParameter],
    consumes: MediaTypeList,
    new: Pointer,
) -> JsonObject | None:
    """Return the request body of an operation, if it has one.

    Args:
        own: the parameters of the operation.
        inherited: those of its path item.
        new: the place of the body in the new document.
    """
    keys = {parameter.key for parameter in own}
    all_of_them = [*own, *(parameter for parameter in inherited if parameter.key not in keys)]
    sent = [parameter for parameter in all_of_them if parameter.is_in_body]
    bodies = [parameter for parameter in sent if parameter.place == "body"]
    fields = [parameter for parameter in sent if parameter.place == "formData"]
    described = fields if not bodies or (fields and consumes.is_of_forms) else bodies[:1]
    for parameter in sent:
        if parameter not in described:
            draft.remark(IGNORED, parameter.listed, "the request has another body, so this is none")
    if described == fields:
        return _form(draft, fields, consumes, new) if fields else None
    (whole,) = described
    draft.moves.add(new, whole.listed)
    if whole.listed != whole.pointer and consumes.at == join("consumes"):
        return {"$ref": f"#{whole.pointer}"}
    return body(draft, whole, consumes, new)


def body(
    draft: Draft, parameter: SentParameter, consumes: MediaTypeList, new: Pointer
) -> JsonObject:
    """Return the request body that a parameter in `body` describes."""
    old, schema = parameter.pointer, parameter.value.get("schema")
    places = draft.media_types.of_body(schema, consumes, old)
    media_type: JsonObject = {} if schema is None else {"schema": schema}
    kept = {name: clone(value) for name, value in parameter.value.items() if name not in _NOT_KEPT}
    draft.move_contents(new, old, places)
    for name in places:
        draft.moves.add(new + join("content", name, "schema"), old + join("schema"))
    return {**kept, "content": {name: clone(media_type) for name in places}}


def _form(
    draft: Draft, fields: Sequence[SentParameter], consumes: MediaTypeList, new: Pointer
) -> JsonObject:
    """Return the request body of a form; its properties are the parameters in `formData`."""
    first = fields[0].listed
    has_file = any(parameter.value.get("type") == "file" for parameter in fields)
    places = draft.media_types.of_form(consumes, first, has_file=has_file)
    draft.moves.add_inner(new, first)
    properties: JsonObject = {}
    encoding: JsonObject = {}
    required: list[JsonValue] = []
    for parameter in fields:
        name = parameter.value.get("name")
        if not isinstance(name, str):
            continue
        described = value_schema(parameter.value, "formData", parameter.pointer, BODY)
        draft.remarks.extend(described.remarks)
        beside = without_schema(parameter.value)
        kept = {field: beside[field] for field in beside if field not in _NOT_OF_PROPERTIES}
        properties[name] = {**kept, **described.schema}
        if described.style:
            encoding[name] = described.style
        if parameter.value.get("required") is True:
            required.append(name)
            for media in places:
                listed = join("content", media, "schema", "required", len(required) - 1)
                draft.moves.add_inner(new + listed, parameter.pointer + join("required"))
    schema: JsonObject = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    media_type: JsonObject = {"schema": schema, **({"encoding": encoding} if encoding else {})}
    draft.move_contents(new, first, places)
    for name in places:
        at = new + join("content", name, "schema")
        draft.moves.add_inner(at, first)
        for parameter in fields:
            inner = at + join("properties", str(parameter.value.get("name")))
            draft.moves.add(inner, parameter.pointer)
    return {
        "content": {name: clone(media_type) for name in places},
        "required": bool(required),
    }

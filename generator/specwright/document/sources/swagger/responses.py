"""Responses of OpenAPI 3; Swagger 2.0 lists their media types elsewhere."""

from __future__ import annotations

from jsonschema_rs.canonical.schema import clone

from specwright.document.sources.swagger.bodies import IGNORED
from specwright.document.sources.swagger.draft import Draft
from specwright.document.sources.swagger.media_types import MediaTypeList
from specwright.document.sources.swagger.values import ANSWER, FILE, value_schema, without_schema
from specwright.json_values import JsonObject, JsonValue, mapping
from specwright.pointer import Pointer, join
from specwright.runtime.shared.media.table import essence


def response(
    draft: Draft, produces: MediaTypeList, declared: JsonObject, new: Pointer, old: Pointer
) -> JsonObject:
    """Return a response of an operation, or a shared one.

    Args:
        produces: the media types of the operation or the document.
        new: its place in the new document.
        old: its place in the document.
    """
    if isinstance(declared.get("$ref"), str):
        pointer, target = draft.document.end(old, declared)
        shared = mapping(target)
        if produces.at == join("produces") or not _has_content(shared):
            return mapping(clone(declared))
        # A shared response has the media types of the operation that refers to it.
        draft.moves.add_inner(new, pointer)
        return response(draft, produces, shared, new, pointer)
    converted: JsonObject = {
        name: clone(value)
        for name, value in declared.items()
        if name not in ("schema", "examples", "headers")
    }
    if "headers" in declared:
        converted["headers"] = _headers(draft, declared["headers"], new, old)
    if _has_content(declared):
        converted["content"] = _content(draft, declared, produces, new, old)
    return converted


def _has_content(response: JsonObject) -> bool:
    return bool(response.get("schema") is not None or response.get("examples"))


def _headers(draft: Draft, declared: JsonValue, new: Pointer, old: Pointer) -> JsonValue:
    headers: JsonObject = {}
    for name, value in mapping(declared).items():
        at, place = new + join("headers", name), old + join("headers", name)
        header = value_schema(mapping(value), "header", place, ANSWER)
        draft.remarks.extend(header.remarks)
        draft.moves.add_inner(at + join("schema"), place)
        headers[name] = {**without_schema(mapping(value)), "schema": header.schema}
    return headers if isinstance(declared, dict) else clone(declared)


def _content(
    draft: Draft, declared: JsonObject, produces: MediaTypeList, new: Pointer, old: Pointer
) -> JsonObject:
    schema, examples = declared.get("schema"), mapping(declared.get("examples"))
    places = draft.media_types.of_response(schema, examples, produces, old)
    if schema is None:
        places = {name: old + join("examples", name) for name in examples}
    elif mapping(schema).get("type") == "file":
        schema = {**mapping(schema), **FILE}
    draft.move_contents(new, old, places)
    by_type = {essence(name): name for name in reversed([*examples])}
    content: JsonObject = {}
    for name in places:
        at = new + join("content", name)
        media_type: JsonObject = {}
        if schema is not None:
            media_type["schema"] = clone(schema)
            draft.moves.add(at + join("schema"), old + join("schema"))
        if (example := by_type.get(essence(name))) is not None:
            media_type["example"] = clone(examples[example])
            draft.moves.add(at + join("example"), old + join("examples", example))
        content[name] = media_type
    known = set(map(essence, places))
    for name in examples:
        if essence(name) not in known:
            message = f"the response is not in this media type, but in {' or '.join(places)}"
            draft.remark(IGNORED, old + join("examples", name), message)
    return content

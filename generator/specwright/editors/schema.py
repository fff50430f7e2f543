"""The form of a schema for editors: draft 7, as SchemaStore takes it.

It passes the strict mode of Ajv: each keyword has its type beside it, a value has one type or null,
and a required member is declared.
"""

from __future__ import annotations

from collections.abc import Mapping

from specwright.json_values import JsonObject, JsonValue, mapping, sequence, texts

_DRAFT = "http://json-schema.org/draft-07/schema#"
# The address at which SchemaStore serves a schema; editors identify a schema by it.
_STORE = "https://www.schemastore.org"


def root(name: str, title: str, description: str, schema: JsonObject) -> JsonObject:
    """Return a whole schema.

    Args:
        name: the name of its file, without the suffix.
        schema: the rest.
    """
    return {
        "$schema": _DRAFT,
        "$id": f"{_STORE}/{name}.json",
        "title": title,
        "description": description,
        **schema,
    }


def reference(name: str) -> JsonObject:
    """Return a reference to a definition of the same schema."""
    return {"$ref": f"#/definitions/{name}"}


def closed(members: Mapping[str, JsonValue], *required: str) -> JsonObject:
    """Return the schema of objects with these members only."""
    needed: JsonObject = {"required": [*required]} if required else {}
    properties: JsonObject = {**members}
    return {"type": "object", "properties": properties, **needed, "additionalProperties": False}


def map_of(values: JsonValue, **limits: JsonValue) -> JsonObject:
    """Return the schema of objects with any names."""
    return {"type": "object", **limits, "additionalProperties": values}


def list_of(items: JsonValue) -> JsonObject:
    """Return the schema of arrays."""
    return {"type": "array", "items": items}


def draft_7(schema: JsonObject) -> JsonObject:
    """Return a schema of the vocabulary, which is of draft 2020-12, in the form for editors.

    The vocabulary uses only keywords that both drafts have. A choice has its meanings where editors
    show them.
    """
    converted = {name: _converted(name, value) for name, value in schema.items()}
    meanings = mapping(converted.pop("x-meanings", None))
    types = sequence(schema.get("type"))
    if types and len(types) > 1 + ("null" in types):
        converted["anyOf"] = [{"type": kind} for kind in types]
        del converted["type"]
    if "enum" in schema:
        converted["type"] = "string"
    if meanings:
        words = map(str, sequence(schema["enum"]))
        converted["enumDescriptions"] = [meanings.get(word, "") for word in words]
    return converted


def _converted(name: str, value: JsonValue) -> JsonValue:
    match name:
        case "properties":
            return {member: draft_7(mapping(inner)) for member, inner in mapping(value).items()}
        case "items" | "propertyNames" | "additionalProperties" if isinstance(value, dict):
            return draft_7(value)
        case "oneOf":
            return [_with_members(mapping(alternative)) for alternative in sequence(value)]
    return value


def _with_members(alternative: JsonObject) -> JsonObject:
    """Return a schema that only requires members, which Ajv wants to see beside that."""
    return {"properties": dict.fromkeys(texts(alternative["required"]), True), **alternative}

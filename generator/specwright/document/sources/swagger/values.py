"""Schemas of parameters, headers and items, which have keywords of their own in Swagger 2.0."""

from __future__ import annotations

from dataclasses import dataclass, field

from jsonschema_rs.canonical.schema import clone

from specwright.document.model import Remark
from specwright.document.shape import SWAGGER_OBJECTS
from specwright.json_values import JsonObject, JsonValue, mapping
from specwright.pointer import Pointer

# The keywords that belong to a schema: those of items, and whether null is allowed.
_OF_SCHEMAS = (SWAGGER_OBJECTS["items"].keys() | {"x-nullable"}) - {
    "allowEmptyValue",
    "collectionFormat",
}
# The fields of OpenAPI for arrays with a delimiter, by place; no fields where they are the
# defaults. What is not here has no equivalent (OAS 3.0.4, 4.7.12.2).
_STYLES: dict[str, dict[str, JsonObject]] = {
    "query": {
        "csv": {"explode": False},
        "ssv": {"style": "spaceDelimited", "explode": False},
        "pipes": {"style": "pipeDelimited", "explode": False},
        "multi": {},
    },
    "path": {"csv": {}},
    "header": {"csv": {}},
}
_STYLES["formData"] = _STYLES["query"]
# Ids of the rules that report arrays that are text.
PARAMETER, BODY, ANSWER = "unsupported-parameter", "unsupported-body", "unsupported-answer"
_DELIMITERS = {"csv": "commas", "ssv": "spaces", "tsv": "tabs", "pipes": "pipes"}


@dataclass(frozen=True, slots=True)
class ValueSchema:
    """The schema of a parameter or a header, and the fields beside it.

    Attributes:
        style: the fields that say how an array is written.
        remarks: arrays that OpenAPI cannot write, so that they are text.
    """

    schema: JsonObject
    style: JsonObject = field(default_factory=dict)
    remarks: tuple[Remark, ...] = ()


def value_schema(holder: JsonObject, place: str, at: Pointer, rule: str) -> ValueSchema:
    """Return the schema of a parameter or a header.

    Args:
        place: where the value is, such as `query`; headers of responses are in `header`.
        at: the place of the parameter in its document.
        rule: the id of the rule that reports a list without an equivalent.
    """
    if "schema" in holder and "type" not in holder:
        # Written as in OpenAPI 3, which the official schema reports.
        return ValueSchema(mapping(clone(holder["schema"])))
    schema = {name: clone(value) for name, value in holder.items() if name in _OF_SCHEMAS}
    if schema.get("type") == "file":
        schema.update(FILE)
    if schema.get("type") != "array":
        return ValueSchema(schema)
    delimiter = holder.get("collectionFormat", "csv")
    style = _STYLES.get(place, {}).get(str(delimiter))
    inner = mapping(schema.get("items"))
    if style is not None and inner.get("type") != "array":
        inner.pop("collectionFormat", None)
        return ValueSchema(schema, style)
    reason = (
        f"OpenAPI 3 has no style for '{delimiter}' here: the value is passed as text, with "
        f"{_DELIMITERS.get(str(delimiter), 'delimiters')} between the items"
        if style is None
        else "OpenAPI 3 has no style for arrays in arrays: the value is passed as text"
    )
    named = "collectionFormat" if style is None and "collectionFormat" in holder else "type"
    return ValueSchema({"type": "string"}, {}, (Remark(rule, f"{at}/{named}", reason),))


# A file in a form or in a response.
FILE: JsonObject = {"type": "string", "format": "binary"}


def without_schema(holder: JsonObject) -> dict[str, JsonValue]:
    """Return the fields of a parameter or a header that OpenAPI 3 has beside the schema."""
    kept = holder.keys() - _OF_SCHEMAS - {"collectionFormat", "schema"}
    return {name: clone(value) for name, value in holder.items() if name in kept}

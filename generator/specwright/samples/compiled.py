"""Compiled schemas of several documents, with references between them."""

from __future__ import annotations

from contextlib import suppress
from urllib.parse import unquote

import jsonschema_rs

from specwright.document.schemas.validators import Keywords, Schema, SchemaValidators
from specwright.json_values import JsonObject, JsonValue
from specwright.pointer import resolve
from specwright.samples.non_validating import ENFORCED
from specwright.samples.sides import Side


class Compiled(SchemaValidators):
    """The schemas of several documents, each compiled on first use.

    Args:
        keywords: the keywords that are enforced in addition to those of JSON Schema.
    """

    def __init__(self, sides: tuple[Side, ...], keywords: Keywords = ENFORCED) -> None:
        super().__init__({side.address: side.document.data for side in sides}, keywords)
        self._sides = {side.address: side for side in sides}
        self._schemas: JsonObject = {}

    def schema(self, ref: str) -> JsonValue:
        """Return the schema that a reference refers to; None if it does not exist."""
        if ref not in self._schemas:
            address, _, fragment = ref.partition("#")
            schema = None
            if side := self._sides.get(address):
                with suppress(KeyError, ValueError):
                    schema = side.absolute(resolve(side.document.data, unquote(fragment)))
            self._schemas[ref] = schema
        return self._schemas[ref]

    def canonical(self, schema: Schema | bool) -> jsonschema_rs.CanonicalSchema:
        """Return the schema in a form to compare with others, or raise one of `UNUSABLE`."""
        return jsonschema_rs.canonicalize(
            _exclusive(schema) if isinstance(schema, dict) else schema,
            draft=jsonschema_rs.Draft202012,
            registry=self.registry,
            offline=True,
        )


def _exclusive(schema: Schema) -> Schema:
    """Return the schema with `anyOf` for `oneOf`, as authors mean alternatives to be exclusive."""
    if isinstance(parts := schema.get("allOf"), list):
        exclusive = [_exclusive(part) if isinstance(part, dict) else part for part in parts]
        schema = {**schema, "allOf": exclusive}
    if "oneOf" not in schema:
        return schema
    others = {name: value for name, value in schema.items() if name != "oneOf"}
    return {"allOf": [others, {"anyOf": schema["oneOf"]}]}

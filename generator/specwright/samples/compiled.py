"""Compiled schemas of several documents, with references between them."""

from __future__ import annotations

from contextlib import suppress
from typing import ClassVar
from urllib.parse import unquote

import jsonschema_rs

from specwright.json_values import JsonObject, JsonValue
from specwright.pointer import resolve
from specwright.samples.non_validating import ENFORCED
from specwright.samples.sides import Side

Schema = JsonObject
# The errors of the library for schemas that it cannot reduce, compile or resolve.
UNUSABLE = (ValueError, TypeError, jsonschema_rs.ReferencingError)


class Compiled:
    """The schemas of several documents, each compiled on first use.

    Attributes:
        keywords: the keywords that are enforced in addition to those of JSON Schema.
    """

    keywords: ClassVar = ENFORCED

    def __init__(self, sides: tuple[Side, ...]) -> None:
        self._documents = {side.address: side for side in sides}
        self._registry = jsonschema_rs.Registry(
            [(side.address, side.document.data) for side in sides], draft=jsonschema_rs.Draft202012
        )
        self._targets: JsonObject = {}

    def target(self, ref: str) -> JsonValue:
        """Return the target of a reference; None if it does not exist."""
        if ref not in self._targets:
            address, _, fragment = ref.partition("#")
            schema = None
            if side := self._documents.get(address):
                with suppress(KeyError, ValueError):
                    schema = side.absolute(resolve(side.document.data, unquote(fragment)))
            self._targets[ref] = schema
        return self._targets[ref]

    def validator(self, schema: Schema | bool) -> jsonschema_rs.Validator:
        """Return a validator of the schema, or raise one of `UNUSABLE` if it cannot be compiled."""
        return jsonschema_rs.Draft202012Validator(
            schema, registry=self._registry, keywords=self.keywords, offline=True
        )

    def canonical(self, schema: Schema | bool) -> jsonschema_rs.CanonicalSchema:
        """Return the schema in a form to compare with others, or raise one of `UNUSABLE`."""
        return jsonschema_rs.canonicalize(
            _exclusive(schema) if isinstance(schema, dict) else schema,
            draft=jsonschema_rs.Draft202012,
            registry=self._registry,
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

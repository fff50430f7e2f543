"""Schemas whose references lead into any of several documents, compiled."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, ClassVar
from urllib.parse import unquote

import jsonschema_rs

from specwright.pointer import resolve
from specwright.samples.non_validating import ENFORCED
from specwright.samples.sides import Side

Schema = dict[str, Any]
# What the library says of schemas that it cannot reduce, compile or follow.
UNUSABLE = (ValueError, TypeError, jsonschema_rs.ReferencingError)


class Compiled:
    """The schemas of several documents, each compiled when it is first asked for.

    Attributes:
        keywords: those that count besides the ones of JSON Schema.
    """

    keywords: ClassVar = ENFORCED

    def __init__(self, sides: tuple[Side, ...]) -> None:
        self._documents = {side.address: side for side in sides}
        self._registry = jsonschema_rs.Registry(
            [(side.address, side.document.data) for side in sides], draft=jsonschema_rs.Draft202012
        )
        self._targets: dict[str, Any] = {}

    def target(self, ref: str) -> Any:
        """The schema that a reference leads to; None if there is none."""
        if ref not in self._targets:
            address, _, fragment = ref.partition("#")
            found = None
            if side := self._documents.get(address):
                with suppress(KeyError, ValueError):
                    found = side.absolute(resolve(side.document.data, unquote(fragment)))
            self._targets[ref] = found
        return self._targets[ref]

    def validator(self, schema: Schema | bool) -> jsonschema_rs.Validator:
        """What decides whether a value is valid; one of `UNUSABLE` if there can be none."""
        return jsonschema_rs.Draft202012Validator(
            schema, registry=self._registry, keywords=self.keywords, offline=True
        )

    def canonical(self, schema: Schema) -> jsonschema_rs.CanonicalSchema:
        """What can be held against another one; one of `UNUSABLE` if there can be none."""
        return jsonschema_rs.canonicalize(
            _exclusive(schema),
            draft=jsonschema_rs.Draft202012,
            registry=self._registry,
            offline=True,
        )


def _exclusive(schema: Schema) -> Schema:
    """The schema with alternatives that are taken to exclude each other, as writers mean them."""
    if isinstance(schema.get("allOf"), list):
        schema = {**schema, "allOf": [_exclusive(each) for each in schema["allOf"]]}
    if "oneOf" not in schema:
        return schema
    others = {name: value for name, value in schema.items() if name != "oneOf"}
    return {"allOf": [others, {"anyOf": schema["oneOf"]}]}

"""Values that a document hides from reports: what is shown once, and what is sensitive."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from specwright.conformance.contract.contract import Contract
from specwright.conformance.recording.exchange import Exchange, JsonValue, Request, Response
from specwright.document import sites
from specwright.document.model import Document
from specwright.document.shape import walk
from specwright.pointer import Pointer, join, resolve
from specwright.vocabulary.keywords.once import ONCE
from specwright.vocabulary.keywords.sensitive import SENSITIVE

_DEPTH = 16
# A shorter text would be found in everything.
_SHORTEST = 4
_ALTERNATIVES = ("allOf", "anyOf", "oneOf")
# Names that JSON has one way to write, as far as anybody writes it.
_PLAIN = re.compile("[A-Za-z0-9_.-]+")


def hidden(contract: Contract, exchanges: Iterable[Exchange]) -> set[str]:
    """The values in bodies that no report may show."""
    names = set(_names(contract.document))
    found = set[str]()
    for exchange in exchanges:
        for schema, message in _messages(contract, exchange):
            # Most bodies have none, and need not be read.
            if any(name in (message.body or b"") for name in names):
                found.update(_values(contract.document, schema, message.json_or_none, 0))
    return {each for each in found if len(each) >= _SHORTEST}


def _names(document: Document) -> Iterator[bytes]:
    """A part of each body with a hidden value: a name, or nothing where it may be escaped."""
    schemas = (node.value for node in walk(document.data) if node.kind == "schema")
    for schema in schemas:
        for name, described in (schema.get("properties") or {}).items():
            if _is_hidden(described) or _is_hidden(document.follow(described)):
                yield name.encode() if _PLAIN.fullmatch(name) else b""


def _messages(
    contract: Contract, exchange: Exchange
) -> Iterator[tuple[Pointer, Request | Response]]:
    """The request and the answer, with the schemas that describe their bodies."""
    operation = contract.operations.get(exchange.operation or "")
    if operation is not None:
        sent = contract.body_schema(operation)
        if sent is not None:
            yield sent, exchange.request
        declared = operation.response(exchange.response.status) if exchange.response else None
        answered = contract.schema_of(declared) if declared is not None else None
        if answered is not None and exchange.response is not None:
            yield answered, exchange.response
    for webhook in contract.webhooks:
        body = sites.request_body(contract.document, webhook)
        schema = contract.schema_of(body) if body is not None else None
        if webhook.pointer == exchange.operation and schema is not None:
            yield schema, exchange.request


def _values(document: Document, place: Pointer, value: JsonValue, depth: int) -> Iterator[str]:
    """The texts in a value at the places that are hidden."""
    schema = resolve(document.data, place)
    if not isinstance(schema, dict) or depth > _DEPTH:
        return
    if _is_hidden(schema):
        yield from _texts(value)
        return
    # What stands beside a reference holds, too.
    end, _ = document.end(place, schema)
    if end != place:
        yield from _values(document, end, value, depth + 1)
    for inner, part in _parts(schema, value):
        yield from _values(document, place + inner, part, depth + 1)


def _parts(schema: Mapping[str, Any], value: JsonValue) -> Iterator[tuple[Pointer, JsonValue]]:
    """The schemas within a schema, each with a part of the value that it may describe."""
    for keyword in _ALTERNATIVES:
        for number, _ in enumerate(schema.get(keyword) or ()):
            yield join(keyword, number), value
    if isinstance(value, dict):
        for name, member in value.items():
            if name in (schema.get("properties") or {}):
                yield join("properties", name), member
            elif "additionalProperties" in schema:
                yield join("additionalProperties"), member
            # Which names a pattern fits is not asked: rather too much is hidden than too little.
            for pattern in schema.get("patternProperties") or {}:
                yield join("patternProperties", pattern), member
    if isinstance(value, list):
        first = len(schema.get("prefixItems") or ())
        for number, item in enumerate(value):
            if number < first:
                yield join("prefixItems", number), item
            elif "items" in schema:
                yield join("items"), item


def _is_hidden(schema: object) -> bool:
    return isinstance(schema, dict) and (ONCE.name in schema or SENSITIVE.name in schema)


def _texts(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield json.dumps(value)
    elif isinstance(value, (dict, list)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)

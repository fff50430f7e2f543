"""Values that a document hides from reports: what is shown once, and what is sensitive."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from specwright.conformance.contract import Contract
from specwright.conformance.exchange import Exchange, JsonValue, Request, Response
from specwright.document import sites
from specwright.document.shape import walk
from specwright.pointer import Pointer, join, split
from specwright.vocabulary.keywords.once import ONCE
from specwright.vocabulary.keywords.sensitive import SENSITIVE

_DEPTH = 16
# A shorter text would be found in everything.
_SHORTEST = 4
_ALTERNATIVES = ("allOf", "anyOf", "oneOf")


def hidden(contract: Contract, exchanges: Iterable[Exchange]) -> set[str]:
    """The values in bodies that no report may show."""
    names = {
        split(node.pointer)[-1].encode()
        for node in walk(contract.document.data)
        if node.kind == "schema" and _is_hidden(node.value)
    }
    found = set[str]()
    for exchange in exchanges:
        for schema, message in _messages(contract, exchange):
            # Most bodies have none, and need not be read.
            if any(name in (message.body or b"") for name in names):
                found.update(_values(contract, schema, message.json_or_none, 0))
    return {each for each in found if len(each) >= _SHORTEST}


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


def _values(contract: Contract, schema: Pointer, value: JsonValue, depth: int) -> Iterator[str]:
    """The texts in a value at the places that are hidden."""
    at, found = contract.document.end(schema, {"$ref": f"#{schema}"})
    if not isinstance(found, dict) or depth > _DEPTH:
        return
    if isinstance(value, dict):
        for name, described in (found.get("properties") or {}).items():
            if name not in value:
                continue
            if _is_hidden(described) or _is_hidden(contract.document.follow(described)):
                yield from _texts(value[name])
            else:
                place = at + join("properties", name)
                yield from _values(contract, place, value[name], depth + 1)
    if isinstance(value, list) and "items" in found:
        for item in value:
            yield from _values(contract, at + join("items"), item, depth + 1)
    for keyword in _ALTERNATIVES:
        for number, _ in enumerate(found.get(keyword) or ()):
            yield from _values(contract, at + join(keyword, number), value, depth + 1)


def _is_hidden(schema: object) -> bool:
    return isinstance(schema, dict) and (ONCE.name in schema or SENSITIVE.name in schema)


def _texts(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)

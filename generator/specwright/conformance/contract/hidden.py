"""Values hidden from reports: secrets with well-known names, and those that a document hides."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from specwright.conformance.contract.contract import Contract
from specwright.conformance.contract.value_parts import subschema_at, value_parts
from specwright.conformance.recording.concealment import Concealment, texts
from specwright.conformance.recording.exchange import Exchange, HttpRequest, HttpResponse
from specwright.conformance.recording.record import Record
from specwright.document.operations import sites
from specwright.document.schemas.applicators import Subschema, reachable
from specwright.json_values import JsonValue
from specwright.pointer import Pointer
from specwright.report.redaction import Redaction
from specwright.vocabulary.keywords.once import ONCE
from specwright.vocabulary.keywords.sensitive import SENSITIVE

# A shorter text would match almost anywhere.
_SHORTEST = 4
# For a value that is secret by its name alone, which may also occur elsewhere by chance.
_SHORTEST_NAMED = 6


def conceal(contract: Contract, record: Record, keys: Iterable[str]) -> Redaction:
    """Remove the secrets from the exchanges of a record; return a redaction for other texts."""
    values = hidden(contract, record.exchanges)
    concealment = Concealment(texts([contract.document.data]).__contains__)
    record.change(concealment)
    values |= {secret for secret in concealment.values if len(secret) >= _SHORTEST_NAMED}
    return Redaction(keys, values)


def hidden(contract: Contract, exchanges: Iterable[Exchange]) -> set[str]:
    """Return the values in bodies that no report may show."""
    document = contract.document

    known = dict[Pointer, bool]()

    def may_hold_any(schema: Subschema) -> bool:
        if schema.pointer not in known:
            known[schema.pointer] = any(map(_is_hidden, reachable(document, schema)))
        return known[schema.pointer]

    values = set[str]()
    for exchange in exchanges:
        for pointer, message in _messages(contract, exchange):
            schema = subschema_at(document, pointer)
            # Most bodies cannot hold any, and need not be parsed.
            if may_hold_any(schema):
                for part in value_parts(document, schema, message.json_or_none, may_hold_any):
                    if any(map(_is_hidden, part.applied)):
                        values.update(_texts(part.value))
    return {value for value in values if len(value) >= _SHORTEST}


def _messages(
    contract: Contract, exchange: Exchange
) -> Iterator[tuple[Pointer, HttpRequest | HttpResponse]]:
    """Yield the schema of each body in an exchange, with the request or response that has it."""
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
        if webhook.pointer == exchange.operation:
            body = sites.request_body(contract.document, webhook)
            schema = contract.schema_of(body) if body is not None else None
            if schema is not None:
                yield schema, exchange.request


def _is_hidden(schema: Subschema) -> bool:
    value = schema.value
    return isinstance(value, dict) and (ONCE.name in value or SENSITIVE.name in value)


def _texts(value: JsonValue) -> Iterator[str]:
    pending = [value]
    while pending:
        match pending.pop():
            case str(text):
                yield text
            case bool() | None:
                pass
            case dict(members):
                pending += members.values()
            case list(items):
                pending += items
            case number:
                yield json.dumps(number)

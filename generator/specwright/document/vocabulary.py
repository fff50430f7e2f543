"""Where each x-contract key may stand, and which parts of the document its value refers to."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Any

PREFIX = "x-contract-"


class Place(StrEnum):
    """The kinds of objects that may carry a declaration."""

    DOCUMENT = "document"
    OPERATION = "operation"
    WEBHOOK = "webhook"
    PARAMETER = "parameter"
    SCHEMA = "schema"
    PROPERTY = "property"


class Target(StrEnum):
    """What a reference names, and so where lint looks for it."""

    SCHEMA = "a schema of the document"
    ERROR_BODY = "a place in the error body"
    REQUEST_BODY = "a place in the request body"
    RESPONSE_BODY = "a place in the body of the first 2XX response"
    ITEM = "a place in an item of the list"
    QUERY_PARAMETER = "a query parameter of the operation"
    HEADER_PARAMETER = "a header parameter of the webhook"
    RESPONSE_HEADER = "a response header"
    RESPONSE_STATUS = "a response of the operation"
    ERROR_CODE = "a code of x-contract-error"
    RATE_LIMIT_CLASS = "a rate limit class of the document"
    OPERATION = "an operationId"
    REQUEST_EXAMPLE = "a request body example of the operation"


@dataclass(frozen=True, slots=True)
class Keyword:
    """One key at one place; `definition` names its shape in `contract.schema.json`."""

    name: str
    place: Place
    definition: str


KEYWORDS = (
    Keyword("x-contract-error", Place.DOCUMENT, "error"),
    Keyword("x-contract-rate-limit", Place.DOCUMENT, "rate_limits"),
    Keyword("x-contract-body-limit", Place.DOCUMENT, "body_limit"),
    Keyword("x-contract-rate-limit", Place.OPERATION, "rate_limit"),
    Keyword("x-contract-idempotency", Place.OPERATION, "idempotency"),
    Keyword("x-contract-pagination", Place.OPERATION, "pagination"),
    Keyword("x-contract-order", Place.OPERATION, "order"),
    Keyword("x-contract-requires-one-of", Place.OPERATION, "requires_one_of"),
    Keyword("x-contract-capacity", Place.OPERATION, "capacity"),
    Keyword("x-contract-signature", Place.WEBHOOK, "signature"),
    Keyword("x-contract-delivery", Place.WEBHOOK, "delivery"),
    Keyword("x-contract-trigger", Place.WEBHOOK, "trigger"),
    Keyword("x-contract-filter", Place.PARAMETER, "filter"),
    Keyword("x-contract-once", Place.PROPERTY, "once"),
    Keyword("x-contract-invalid", Place.PROPERTY, "invalid"),
    Keyword("x-extensible-enum", Place.SCHEMA, "extensible_enum"),
    Keyword("x-extensible-enum", Place.PROPERTY, "extensible_enum"),
)


@dataclass(frozen=True, slots=True)
class Reference:
    """Something that a declaration names and that must exist.

    `at` is the pointer of the naming member inside the declaration. `status` narrows a response
    header to one response, and says which status an error code must have. `operation` is the
    operationId in which to look when that is not the operation that carries the declaration.
    """

    target: Target
    name: str
    at: str
    status: int | None = None
    operation: str | None = None


Declaration = Mapping[str, Any]


def places(name: str) -> tuple[Place, ...]:
    """Where the key may stand; empty when the vocabulary does not have it."""
    return tuple(keyword.place for keyword in KEYWORDS if keyword.name == name)


def keyword(name: str, place: Place) -> Keyword | None:
    return next((each for each in KEYWORDS if (each.name, each.place) == (name, place)), None)


@cache
def schema_text() -> str:
    return resources.files(__package__).joinpath("contract.schema.json").read_text("utf-8")


def schema_for(each: Keyword) -> dict[str, Any]:
    """The JSON Schema of the key's value, complete in itself."""
    vocabulary = json.loads(schema_text())
    return {
        "$schema": vocabulary["$schema"],
        "$ref": f"#/$defs/{each.definition}",
        "$defs": vocabulary["$defs"],
    }


def references(each: Keyword, declared: Any) -> tuple[Reference, ...]:
    """What the declaration, which has the right shape, refers to."""
    find = _REFERENCES.get(each.definition)
    return () if find is None else tuple(find(declared))


_References = Callable[[Declaration], Iterator[Reference]]


def _named(declared: Declaration, target: Target, *members: str) -> Iterator[Reference]:
    for member in members:
        if declared.get(member) is not None:
            yield Reference(target, declared[member], f"/{member}")


def _error(declared: Declaration) -> Iterator[Reference]:
    yield from _named(declared, Target.SCHEMA, "schema")
    pointers = ("type", "code", "message", "param", "request_id", "details")
    yield from _named(declared, Target.ERROR_BODY, *pointers)
    yield from _named(declared, Target.RESPONSE_HEADER, "request_id_header")


def _rate_limits(declared: Declaration) -> Iterator[Reference]:
    for member, header in declared.get("headers", {}).items():
        yield Reference(Target.RESPONSE_HEADER, header, f"/headers/{member}")


def _rate_limit(declared: Declaration) -> Iterator[Reference]:
    yield from _named(declared, Target.RATE_LIMIT_CLASS, "class")


def _answer(answer: Declaration, at: str) -> Iterator[Reference]:
    status = answer["status"]
    yield Reference(Target.RESPONSE_STATUS, str(status), f"{at}/status")
    yield Reference(Target.ERROR_CODE, answer["code"], f"{at}/code", status)


def _idempotency(declared: Declaration) -> Iterator[Reference]:
    yield from _named(declared, Target.REQUEST_BODY, "key")
    replay = declared["replay"]
    yield Reference(Target.RESPONSE_STATUS, str(replay["status"]), "/replay/status")
    yield Reference(Target.RESPONSE_HEADER, replay["header"], "/replay/header", replay["status"])
    yield from _answer(declared["in_progress"], "/in_progress")
    yield from _answer(declared["changed"], "/changed")


def _pagination(declared: Declaration) -> Iterator[Reference]:
    yield from _named(declared, Target.QUERY_PARAMETER, "cursor", "limit")
    yield from _named(declared, Target.RESPONSE_BODY, "items", "next", "more")
    yield from _named(declared, Target.ITEM, "id")


def _order(declared: Declaration) -> Iterator[Reference]:
    yield from _named(declared, Target.ITEM, "by")


def _requires_one_of(declared: Declaration) -> Iterator[Reference]:
    for index, name in enumerate(declared["parameters"]):
        yield Reference(Target.QUERY_PARAMETER, name, f"/parameters/{index}")
    yield from _named(declared, Target.ERROR_CODE, "code")


def _capacity(declared: Declaration) -> Iterator[Reference]:
    yield from _answer(declared, "")
    yield from _named(declared, Target.OPERATION, "release")


def _filter(declared: Declaration) -> Iterator[Reference]:
    yield from _named(declared, Target.ITEM, "property")


def _invalid(declared: Declaration) -> Iterator[Reference]:
    yield from _named(declared, Target.ERROR_CODE, "code")


def _signature(declared: Declaration) -> Iterator[Reference]:
    yield from _named(declared, Target.HEADER_PARAMETER, "header")


def _delivery(declared: Declaration) -> Iterator[Reference]:
    yield from _named(declared, Target.RESPONSE_STATUS, "success")
    yield from _named(declared, Target.HEADER_PARAMETER, "event_id_header", "event_type_header")


def _trigger(declared: Declaration) -> Iterator[Reference]:
    operation = declared["operation"]
    yield from _named(declared, Target.OPERATION, "operation")
    if declared["scenario"] is not None:
        yield Reference(
            Target.REQUEST_EXAMPLE, declared["scenario"], "/scenario", operation=operation
        )


_REFERENCES: Mapping[str, _References] = {
    "error": _error,
    "rate_limits": _rate_limits,
    "rate_limit": _rate_limit,
    "idempotency": _idempotency,
    "pagination": _pagination,
    "order": _order,
    "requires_one_of": _requires_one_of,
    "capacity": _capacity,
    "filter": _filter,
    "invalid": _invalid,
    "signature": _signature,
    "delivery": _delivery,
    "trigger": _trigger,
}

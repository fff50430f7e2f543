"""One keyword of the contract changed: what breaks partners is found, and nothing else."""

import copy
import json
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from specwright.compare.run import compare
from specwright.compare.sameness import references
from specwright.document.model import Document
from specwright.document.sites import operations
from specwright.document.sources.load import load
from specwright.pointer import resolve

from .documents import TODAY, breaking

Mutation = Callable[[dict[str, Any]], bool]


def narrowed(schema: dict[str, Any]) -> bool:
    """Move a limit, or take a value away."""
    for keyword, step in (("maximum", -1), ("maxLength", -1), ("minimum", 1), ("minLength", 1)):
        if isinstance(schema.get(keyword), int):
            schema[keyword] += step
            return True
    if len(schema.get("enum", ())) > 1:
        schema["enum"] = schema["enum"][1:]
        return True
    return False


def widened(schema: dict[str, Any]) -> bool:
    """Move a limit, or add a value."""
    for keyword, step in (("maximum", 1), ("maxLength", 1), ("minimum", -1)):
        if isinstance(schema.get(keyword), int) and schema[keyword] + step >= 0:
            schema[keyword] += step
            return True
    if "enum" in schema and schema["type"] == "string":
        schema["enum"] = [*schema["enum"], "something_new"]
        return True
    return False


def demanding(schema: dict[str, Any]) -> bool:
    """Require a property that was optional."""
    optional = sorted(schema.get("properties", {}).keys() - set(schema.get("required", ())))
    schema["required"] = [*schema.get("required", ()), *optional[:1]]
    return bool(optional)


def generous(schema: dict[str, Any]) -> bool:
    """Require one property less."""
    required = schema.pop("required", [])
    schema["required"] = required[1:]
    return bool(required)


def described(schema: dict[str, Any]) -> bool:
    """Change words only."""
    schema["description"] = "Other words."
    schema["title"] = "Other words"
    return True


def directions(document: Document) -> dict[str, set[str]]:
    """Whether each component schema is sent by partners, to them, or both."""
    found: dict[str, set[str]] = {}
    for operation in operations(document):
        asks = operation.direction == "path"
        bodies = {
            "client" if asks else "api": [
                operation.value.get("requestBody"),
                operation.value.get("parameters"),
                operation.item.value.get("parameters"),
            ],
            "api" if asks else "client": [operation.value.get("responses")],
        }
        for sender, values in bodies.items():
            for pointer in reached(document.data, values):
                found.setdefault(pointer, set()).add(sender)
    return found


def reached(data: dict[str, Any], values: list[Any]) -> Iterator[str]:
    stack, seen = [ref for value in values for ref in references(value)], set()
    while stack:
        ref = stack.pop()
        if ref not in seen:
            seen.add(ref)
            stack.extend(references(resolve(data, ref[1:])))
            yield ref[1:]


@pytest.fixture(scope="module")
def contract(root: Path) -> Document:
    return load(root / "spec" / "openapi.json")


def mutants(document: Document, mutation: Mutation) -> Iterator[tuple[str, Document, set[str]]]:
    """The document with each component schema changed by itself."""
    for pointer, senders in sorted(directions(document).items()):
        if pointer.startswith("/components/schemas/"):
            changed = copy.deepcopy(document.data)
            if mutation(resolve(changed, pointer)):
                yield pointer, document.with_data(changed), senders


@pytest.mark.parametrize(
    ("mutation", "breaks"),
    [
        (narrowed, "client"),
        (widened, "api"),
        (demanding, "client"),
        (generous, "api"),
        (described, ""),
    ],
)
def test_a_mutation_breaks_those_it_is_for(
    contract: Document, mutation: Mutation, breaks: str
) -> None:
    made = list(islice(mutants(contract, mutation), 15))
    wrong = [
        pointer
        for pointer, mutant, senders in made
        if bool(breaking(compare(contract, mutant, today=TODAY))) is not (breaks in senders)
    ]
    assert len(made) > 3
    assert wrong == []


# Members of declarations, by their way in the document, with whether the change breaks a promise.
DECLARATIONS: list[tuple[str, Any, bool]] = [
    ("/x-contract-body-limit/max_bytes", 1, True),
    ("/x-contract-body-limit/max_bytes", 10**9, False),
    ("/x-contract-rate-limit/classes/read/limit", 1, True),
    ("/x-contract-rate-limit/classes/read/limit", 10**6, False),
    ("/x-contract-rate-limit/classes/read/window_seconds", 10**6, True),
    ("/x-contract-rate-limit/classes/read/window_seconds", 1, False),
    ("/x-contract-error/codes/rate_limited/status", 503, True),
    ("/x-contract-error/codes/rate_limited", None, True),
    ("/x-contract-error/codes/new_code", {"status": 400, "type": "invalid_request_error"}, False),
    ("/paths/~1orders/post/x-contract-idempotency/key", "/other", True),
    ("/paths/~1orders/post/x-contract-idempotency/scope", ["key"], True),
    ("/paths/~1orders/post/x-contract-idempotency", None, True),
    ("/paths/~1orders/get/x-contract-order/direction", "other", True),
    ("/paths/~1orders/get/x-contract-pagination/items", "/items", True),
    ("/paths/~1webhook-endpoints/post/x-contract-capacity/limit", 1, True),
    ("/paths/~1webhook-endpoints/post/x-contract-capacity/limit", 50, False),
    ("/webhooks/order.completed/post/x-contract-delivery/retry_after_seconds", [60], True),
    ("/webhooks/order.completed/post/x-contract-delivery/timeout_seconds", 60, False),
    ("/webhooks/order.completed/post/x-contract-signature/tolerance_seconds", 301, True),
    ("/webhooks/order.completed/post/x-contract-trigger", None, True),
    (
        "/components/schemas/WebhookEndpointCreated/properties/signing_secret/x-contract-once",
        None,
        True,
    ),
]


@pytest.mark.parametrize(("pointer", "value", "breaks"), DECLARATIONS)
def test_a_declaration_that_promises_less_breaks(
    contract: Document, pointer: str, value: Any, breaks: bool
) -> None:
    data = json.loads(json.dumps(contract.data))
    parent, _, name = pointer.rpartition("/")
    holder = resolve(data, parent)
    if value is None:
        del holder[name]
    else:
        holder[name] = value
    found = compare(contract, contract.with_data(data), today=TODAY).findings
    assert bool(breaking_of(found)) is breaks, found
    assert [each for each in found if not each.rule.startswith("version-")]


def breaking_of(found: Any) -> list[Any]:
    return [each for each in found if each.level == "error"]

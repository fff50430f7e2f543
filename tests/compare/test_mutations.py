"""One keyword of the contract changed: what breaks partners is found, and nothing else."""

import copy
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from specwright.compare.rules import UNPROVEN
from specwright.compare.run import compare
from specwright.compare.sameness import references
from specwright.document.model import Document
from specwright.document.shape import walk
from specwright.document.sites import operations
from specwright.document.sources.load import load
from specwright.findings import Finding
from specwright.pointer import resolve, split

from .documents import TODAY, breaking
from .edits import EDITS, Edit, Effect

# The rules whose findings a value can show.
PAYLOAD = ("-narrowed", "-widened", "property-required", "property-not-sent", "property-refused")
# Whose values an edit takes away or adds to, and so breaks the other side.
HARMED = {
    Effect.NARROWS: {"client"},
    Effect.WIDENS: {"api", "webhook"},
    Effect.REPLACES: {"client", "api", "webhook"},
    Effect.NEITHER: set(),
}
# In these, a schema is not what decides about a value.
ASIDE = ("not", "if", "then", "else", "oneOf", "anyOf", "allOf")


@dataclass(frozen=True)
class Mutant:
    """An edit of one schema of the contract."""

    edit: str
    pointer: str
    senders: frozenset[str]
    breaks: bool


@dataclass(frozen=True)
class Judged:
    """A mutant, and what the review says of it."""

    mutant: Mutant
    findings: tuple[Finding, ...]

    @property
    def breaking(self) -> list[Finding]:
        return breaking(self.findings)


def senders(document: Document) -> dict[str, set[str]]:
    """Who sends the values of what stands below a pointer: partners, the API, or its webhooks."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for operation in operations(document):
        asks, answers = (
            ("client", "api") if operation.direction == "path" else ("webhook", "client")
        )
        places = (
            (asks, operation / "requestBody"),
            (asks, operation / "parameters"),
            (asks, operation.item / "parameters"),
            (answers, operation / "responses"),
        )
        for sender, place in places:
            for pointer in reached(document.data, place):
                found[pointer].add(sender)
    return found


def reached(data: dict[str, Any], pointer: str) -> Iterator[str]:
    """A place, and all that references from it lead to."""
    stack, seen = [pointer], set()
    while stack:
        place = stack.pop()
        if place not in seen:
            seen.add(place)
            yield place
            with suppress(KeyError):
                stack.extend(ref[1:] for ref in references(resolve(data, place)))


@pytest.fixture(scope="module")
def contract(root: Path) -> Document:
    return load(root / "spec" / "openapi.json")


@pytest.fixture(scope="module")
def schemas(contract: Document) -> dict[str, set[str]]:
    """Every schema by its pointer, with those who send its values."""
    owners = senders(contract)
    return {
        node.pointer: {
            sender
            for owner in owners
            if is_below(node.pointer, (owner,))
            for sender in owners[owner]
        }
        for node in walk(contract.data)
        if node.kind == "schema"
        and not set(ASIDE) & set(split(node.pointer))
        and not {"readOnly", "writeOnly"} & node.value.keys()
    }


def is_below(pointer: str, owners: Iterable[str]) -> bool:
    return any(pointer == owner or pointer.startswith(f"{owner}/") for owner in owners)


@pytest.fixture(scope="module")
def judged(contract: Document, schemas: dict[str, set[str]]) -> tuple[Judged, ...]:
    """Every edit of every schema: as many as are not inside of each other in one revision."""
    return tuple(
        result
        for name, (effect, edit) in EDITS.items()
        for chosen in apart([each for each in schemas if edit(resolve(contract.data, each))])
        for result in judged_at_once(contract, name, edit, effect, chosen, schemas)
    )


def apart(pointers: list[str]) -> Iterator[list[str]]:
    """The pointers in groups in which none is below another."""
    left = pointers
    while left:
        group = [each for each in left if not is_below(each, set(left) - {each})]
        yield group
        left = [each for each in left if each not in group]


def judged_at_once(
    contract: Document,
    name: str,
    edit: Edit,
    effect: Effect,
    pointers: list[str],
    schemas: dict[str, set[str]],
) -> Iterator[Judged]:
    data = copy.deepcopy(contract.data)
    for pointer in pointers:
        parent, _, key = pointer.rpartition("/")
        resolve(data, parent)[split(f"/{key}")[0]] = edit(resolve(data, pointer))
    found = compare(contract, contract.with_data(data), today=TODAY).findings
    places = tuple(pointers)
    assert all(is_below(each.pointer or "", places) for each in breaking(found))
    for pointer in pointers:
        findings = tuple(each for each in found if is_below(each.pointer or "", (pointer,)))
        yield Judged(
            Mutant(
                name, pointer, frozenset(schemas[pointer]), bool(HARMED[effect] & schemas[pointer])
            ),
            findings,
        )


def named(judged: list[Judged]) -> list[str]:
    return [f"{each.mutant.edit}: {each.mutant.pointer}" for each in judged]


def test_edits_that_break_are_found(judged: tuple[Judged, ...]) -> None:
    broken = [each for each in judged if each.mutant.breaks]
    missed = [each for each in broken if not each.breaking]
    assert len(broken) > 250
    assert any(each.mutant.senders == {"webhook"} for each in broken)
    assert len(missed) <= 0.05 * len(broken), named(missed)


def test_other_edits_raise_no_alarm(judged: tuple[Judged, ...]) -> None:
    safe = [each for each in judged if not each.mutant.breaks]
    alarms = [each for each in safe if each.breaking]
    assert len(safe) > 500
    assert len(alarms) <= 0.01 * len(safe), named(alarms)


def test_an_edit_has_few_findings(judged: tuple[Judged, ...]) -> None:
    changed = [each for each in judged if each.findings]
    assert sum(len(each.findings) for each in changed) <= 1.5 * len(changed)


def test_breaks_are_shown_with_a_value_and_hardly_any_is_unproven(
    judged: tuple[Judged, ...],
) -> None:
    found = [finding for each in judged for finding in each.breaking]
    payload = [each for each in found if each.rule.endswith(PAYLOAD)]
    shown = [each for each in payload if each.counterexample is not None]
    assert len(shown) >= 0.9 * len(payload)
    assert sum(each.rule == UNPROVEN.id for each in found) <= 0.03 * len(found)


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

"""The coverage of a contract by a run, with reasons for the gaps.

A document may declare the same statuses for every operation, most of which a correct server never
sends; coverage of all pairs would then say little. A list of exceptions would hide pairs that a
test should have reached, so a pair is unreachable by the document's content, never by its name.
It stays in the table with its reason, and the share still counts everything declared.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from specwright.conformance.checks.table import DESCRIPTIONS as RULES
from specwright.conformance.checks.webhooks.checks import EVENT_HEADERS
from specwright.conformance.checks.webhooks.judge import EVENT_MISSING
from specwright.conformance.contract.contract import Contract, ContractOperation
from specwright.conformance.contract.value_parts import subschema_at
from specwright.conformance.recording.exchange import Exchange
from specwright.conformance.recording.record import Record
from specwright.document.operations import sites
from specwright.document.schemas.polarity import Polarity, is_left_out
from specwright.findings import Table
from specwright.json_values import JsonValue, mapping
from specwright.pointer import Pointer, join
from specwright.vocabulary.keywords.capacity import CAPACITY
from specwright.vocabulary.keywords.charge import CHARGE
from specwright.vocabulary.keywords.error import Condition
from specwright.vocabulary.keywords.extensible_enum import EXTENSIBLE_ENUM
from specwright.vocabulary.keywords.idempotency import IDEMPOTENCY

_DEPTH = 8
_NOT_REQUIRED = "nothing in the contract or run requires it"
# The kinds of parts that an exchange has or not, in the plural.
_PARTS = {
    "status": "statuses",
    "parameter": "parameters",
    "property": "properties",
    "enum value": "enum values",
    "event": "events",
}
# The most items to name in a group that was not reached.
_NAMED = 3


@dataclass(frozen=True, slots=True)
class Item:
    """An item that the contract declares, and how often it was reached.

    Attributes:
        is_out_of_reach: whether no test from outside can reach it.
    """

    kind: str
    name: str
    pointer: Pointer
    reached: int
    reason: str = ""
    is_out_of_reach: bool = False


def coverage(contract: Contract, record: Record) -> list[Item]:
    """Return everything that the contract declares, with a reason for each item not reached."""
    by_operation = defaultdict[Pointer, list[Exchange]](list)
    for exchange in record.exchanges:
        by_operation[exchange.operation or ""].append(exchange)
    items = list(_of_operations(contract, by_operation))
    reasons = {skip.rule: skip.reason for skip in record.skips}
    looked_at = record.checked.get(EVENT_HEADERS, set())
    for webhook in contract.webhooks:
        count = sum(1 for pointer in looked_at if pointer.startswith(webhook.pointer))
        reason = "" if count else reasons.get(EVENT_MISSING, "no delivery was observed")
        items.append(Item("event", webhook.key, webhook.pointer, count, reason))
    for rule in RULES:
        count = len(record.checked.get(rule.id, ()))
        reason = "" if count else reasons.get(rule.id, _NOT_REQUIRED)
        items.append(Item("rule", rule.id, "", count, reason))
    return items


def never_succeeded(contract: Contract, record: Record) -> list[ContractOperation]:
    """Return the operations that never succeeded, so that nothing of them was tested."""
    never = dict(contract.operations)
    for exchange in record.exchanges:
        operation = never.get(exchange.operation or "")
        if operation is not None and operation.is_success(exchange.response):
            del never[operation.pointer]
    return list(never.values())


def tables(items: Sequence[Item]) -> tuple[Table, ...]:
    """Return a table of the coverage in numbers, then one of the items that were not reached."""
    kinds = dict.fromkeys(item.kind for item in items)
    of_kind = {kind: [item for item in items if item.kind == kind] for kind in kinds}
    rows = tuple(
        (
            kind,
            str(_reached(items_of_kind)),
            str(len(items_of_kind)),
            f"{share(items_of_kind)} %",
            str(sum(1 for item in items_of_kind if item.is_out_of_reach)),
        )
        for kind, items_of_kind in of_kind.items()
    )
    missing = defaultdict[tuple[str, str], list[str]](list)
    for item in items:
        if not item.reached:
            missing[item.kind, item.reason].append(item.name)
    groups = tuple(
        (kind, reason, str(len(names)), ", ".join(names[:_NAMED]) + (", …" * (len(names) > _NAMED)))
        for (kind, reason), names in missing.items()
    )
    return (
        Table(
            "Coverage of the contract", ("", "reached", "declared", "share", "unreachable"), rows
        ),
        Table("Not reached", ("", "reason", "count", "such as"), groups),
    )


def unreached(items: Sequence[Item]) -> Iterator[str]:
    """Yield the numbers of statuses and parts of bodies that no exchange had."""
    for kind, plural in _PARTS.items():
        of_kind = [item for item in items if item.kind == kind and not item.is_out_of_reach]
        missing = len(of_kind) - _reached(of_kind)
        if missing:
            yield f"{missing} of {len(of_kind)} {plural}"


def skipped_rules(items: Sequence[Item]) -> list[tuple[str, list[str]]]:
    """Return the rules that something prevented, by the reason, the most frequent one first."""
    rules = defaultdict[str, list[str]](list)
    for item in items:
        if item.kind == "rule" and item.reason not in ("", _NOT_REQUIRED):
            rules[item.reason].append(item.name)
    return sorted(rules.items(), key=lambda entry: -len(entry[1]))


def linked(record: Record) -> Table:
    """Return a table of the sources of parameter values that no link of the document names."""
    takers = defaultdict[tuple[str, str, str], list[str]](list)
    for (operation, parameter), (source, place) in list(record.linked.items()):
        takers[parameter, source, place].append(operation)
    rows = tuple(
        (*key, ", ".join(names[:_NAMED]) + (", …" * (len(names) > _NAMED)))
        for key, names in sorted(takers.items())
    )
    return Table("Linked by names", ("parameter", "from", "at", "for"), rows)


def share(items: Sequence[Item]) -> int:
    """Return the share of the items that were reached, in percent."""
    return 100 * _reached(items) // max(len(items), 1)


def _reached(items: Sequence[Item]) -> int:
    return sum(1 for item in items if item.reached)


def _of_operations(
    contract: Contract, by_operation: dict[Pointer, list[Exchange]]
) -> Iterator[Item]:
    for operation in contract.operations.values():
        exchanges = by_operation.get(operation.pointer, [])
        succeeded = [exchange for exchange in exchanges if operation.is_success(exchange.response)]
        reason = "" if succeeded else "it never succeeded"
        yield Item("operation", operation.name, operation.pointer, len(succeeded), reason)
        yield from _statuses(contract, operation, exchanges)
        yield from _parameters(operation, succeeded)
        yield from _properties(contract, operation, succeeded)


def _statuses(
    contract: Contract, operation: ContractOperation, exchanges: list[Exchange]
) -> Iterator[Item]:
    seen = Counter(
        str(exchange.response.status) for exchange in exchanges if exchange.response is not None
    )
    for status, response in operation.responses.items():
        count = sum(number for key, number in seen.items() if _is_of(key, status, operation))
        name, place = f"{operation.name} {status}", response.pointer
        if count:
            yield Item("status", name, place, count)
        else:
            why = why_not(contract, operation, status)
            yield Item("status", name, place, 0, why.text, why.is_final)


def _is_of(status: str, pattern: str, operation: ContractOperation) -> bool:
    if pattern == "default":
        return status not in operation.responses and f"{status[0]}XX" not in operation.responses
    return pattern in (status, f"{status[0]}XX" if status not in operation.responses else status)


def _parameters(operation: ContractOperation, succeeded: list[Exchange]) -> Iterator[Item]:
    reason = "no successful request had it"
    for slot in operation.slots:
        place, name = slot.written.location, slot.written.wire
        count = sum(1 for exchange in succeeded if _is_given(place, name, exchange))
        yield Item(
            "parameter",
            f"{operation.name} {name}",
            slot.site.pointer,
            count,
            "" if count else reason,
        )


def _is_given(place: str, name: str, exchange: Exchange) -> bool:
    match place:
        case "query":
            query = urlsplit(exchange.request.url).query
            return any(key == name for key, _ in parse_qsl(query, keep_blank_values=True))
        case sites.WHOLE_QUERY:
            return bool(urlsplit(exchange.request.url).query)
        case "header":
            return exchange.request.header(name) is not None
        case "cookie":
            pairs = (exchange.request.header("cookie") or "").split(";")
            return any(pair.strip().startswith(f"{name}=") for pair in pairs)
    return True


def _properties(
    contract: Contract, operation: ContractOperation, succeeded: list[Exchange]
) -> Iterator[Item]:
    """Yield the properties and enum values of requests and responses, with their declarations."""
    sides = {
        "request": (
            Polarity.TO_SERVER,
            contract.body_schema(operation),
            [_sent(exchange) for exchange in succeeded],
        ),
    }
    for status, response in operation.responses.items():
        if status.startswith("2"):
            values = [exchange.response.json_or_none for exchange in succeeded if exchange.response]
            sides[status] = (Polarity.TO_CLIENT, contract.schema_of(response), values)
    for side, (polarity, schema, values) in sides.items():
        if schema is not None:
            for kind, name, pointer, count in _walk(contract, polarity, schema, values, "", 0):
                reason = "" if count else "no body had it"
                yield Item(kind, f"{operation.name} {side} {name}", pointer, count, reason)


def _sent(exchange: Exchange) -> JsonValue:
    return exchange.request.json_or_none


def _walk(
    contract: Contract,
    polarity: Polarity,
    schema: Pointer,
    values: list[JsonValue],
    name: str,
    depth: int,
) -> Iterator[tuple[str, str, Pointer, int]]:
    at, described = contract.document.end(schema, {"$ref": f"#{schema}"})
    if not isinstance(described, dict) or depth > _DEPTH:
        return
    listed = described.get("enum") or described.get(EXTENSIBLE_ENUM.name)
    if isinstance(listed, list) and not described.get("properties"):
        for member in listed:
            count = sum(1 for value in values if value == member)
            yield "enum value", f"{name}={member}", at, count
    for key in mapping(described.get("properties")):
        place, path = at + join("properties", key), f"{name}.{key}".lstrip(".")
        if is_left_out(contract.document, [subschema_at(contract.document, place)], polarity):
            continue
        inner = [value[key] for value in values if isinstance(value, dict) and key in value]
        yield "property", path, place, len(inner)
        # Schemas that refer to each other have more paths than anything could list.
        if inner:
            yield from _walk(contract, polarity, place, inner, path, depth + 1)
    if "items" in described:
        inner = [item for value in values if isinstance(value, list) for item in value]
        yield from _walk(contract, polarity, at + join("items"), inner, f"{name}[]", depth + 1)


@dataclass(frozen=True, slots=True)
class UnreachableReason:
    """A reason why a status of an operation was not seen.

    Attributes:
        status: as written in the document; None for any.
        holds: whether the reason applies to an operation.
        is_final: whether no test from outside can change it.
    """

    status: str | None
    text: str
    holds: Callable[[Contract, ContractOperation], bool]
    is_final: bool = True


def why_not(contract: Contract, operation: ContractOperation, status: str) -> UnreachableReason:
    """Return the first reason that applies."""
    return next(
        reason
        for reason in _REASONS
        if reason.status in (status, None) and reason.holds(contract, operation)
    )


def _always(contract: Contract, operation: ContractOperation) -> bool:
    return True


def _charges_nothing(contract: Contract, operation: ContractOperation) -> bool:
    """Return whether other operations declare a charge, and this one does not."""
    return operation.get(CHARGE) is None and any(contract.declaring(CHARGE))


def _cannot_be_malformed(contract: Contract, operation: ContractOperation) -> bool:
    """Return whether a request has nothing but path parameters that accept any text."""
    return not operation.has_body and all(
        slot.written.location == "path"
        and not any(
            problem for text in _TEXTS for problem in contract.instances.problems(slot.schema, text)
        )
        for slot in operation.slots
    )


def _cannot_be_missing(contract: Contract, operation: ContractOperation) -> bool:
    return not operation.template.names


def _lacks_the_declaration(status: int) -> Callable[[Contract, ContractOperation], bool]:
    """Return a check that all codes of a status need declarations that an operation lacks."""

    def holds(contract: Contract, operation: ContractOperation) -> bool:
        if contract.errors is None:
            return False
        codes = {
            code.raw: each for code, each in contract.errors.codes.items() if each.status == status
        }
        named = {capacity.code.raw for _, capacity in contract.declaring(CAPACITY)}
        tied = all(each.condition in _IDEMPOTENCY or code in named for code, each in codes.items())
        capacity = operation.get(CAPACITY)
        own = capacity is not None and capacity.status == status
        return bool(codes) and tied and not own and operation.get(IDEMPOTENCY) is None

    return holds


# A schema with a pattern, a format, a length or a list of values does not accept both.
_TEXTS = ("~", "any text, ü" * 100)
_IDEMPOTENCY = (Condition.IDEMPOTENCY_IN_PROGRESS, Condition.IDEMPOTENCY_CHANGED)
_REASONS = (
    UnreachableReason("400", "no part of the request can be malformed", _cannot_be_malformed),
    UnreachableReason("402", "the operation declares no charge", _charges_nothing),
    UnreachableReason(
        "404", "the path has no variable, so nothing can be missing", _cannot_be_missing
    ),
    UnreachableReason(
        "409", "none of its codes applies to the operation", _lacks_the_declaration(409)
    ),
    UnreachableReason(
        "422", "none of its codes applies to the operation", _lacks_the_declaration(422)
    ),
    UnreachableReason(
        "429", "needs a key with limits that may be used up", _always, is_final=False
    ),
    UnreachableReason("500", "a correct server never returns it", _always),
    UnreachableReason("502", "needs a fault behind the server", _always),
    UnreachableReason("503", "needs an unavailable server", _always),
    UnreachableReason(None, "no response had this status", _always, is_final=False),
)

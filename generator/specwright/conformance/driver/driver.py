"""Calls that succeed, made from examples, linked values and samples."""

from __future__ import annotations

import secrets
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from itertools import count

from specwright.conformance.contract.calls import ABSENT, Absent, Key, OperationCall
from specwright.conformance.contract.choosing import choosing
from specwright.conformance.contract.contract import Contract, ContractOperation, ParameterSlot
from specwright.conformance.contract.links import Unknown, evaluate
from specwright.conformance.contract.samples import sample
from specwright.conformance.driver.ids import KnownIds, is_reference
from specwright.conformance.driver.roles import MAIN
from specwright.conformance.driver.target import TargetServer
from specwright.conformance.recording.exchange import Exchange, HttpRequest, HttpResponse, value_at
from specwright.conformance.recording.record import Violation
from specwright.document.operations import sites
from specwright.errors import SpecwrightError
from specwright.json_values import JsonValue, mapping
from specwright.pointer import Pointer, resolve
from specwright.vocabulary.keywords.idempotency import IDEMPOTENCY
from specwright.vocabulary.keywords.requires_one_of import REQUIRES_ONE_OF

# The failure of a request that is not sent, as there is an error in this program.
_UNMADE = "the request could not be made"
# How many of the newest values of each parameter are kept.
_KEPT = 20
_CANDIDATES = 12
# Before a call is sent again to a server that is busy, and all pauses that were of no use.
_PAUSES_SECONDS, _PATIENCE_SECONDS = (0.1, 0.3, 0.9), 3.0
# For an operation that was busy before: a lock may be free only for moments.
_AT_ONCE_SECONDS = (0.0,) * 4


class Driver:
    """A builder of calls that collects values from every response for later calls.

    Attributes:
        successes: the latest successful call of each operation, with its exchange.
        busy_operations: those whose latest call the server was too busy for.
        conditional: those that require the ETag of the current version.
    """

    def __init__(self, contract: Contract, target: TargetServer, source: str) -> None:
        self.contract = contract
        self.target = target
        self.source = source
        token = secrets.token_hex(4)
        self.successes: dict[Pointer, tuple[OperationCall, Exchange]] = {}
        self.busy_operations = set[Pointer]()
        self.conditional = set[Pointer]()
        self._values: dict[tuple[Pointer, Key], list[JsonValue]] = defaultdict(list)
        self._members: dict[Pointer, list[JsonValue]] = defaultdict(list)
        self._ids = KnownIds(contract, target.base_url, target.record.linked)
        self._tried: dict[Pointer, list[tuple[object, object]]] = defaultdict(list)
        # The number of responses that there was something to learn from: now, and at that time.
        self._learned, self._tried_after = 0, dict[Pointer, int]()
        self._patience = _PATIENCE_SECONDS
        # Independent of the seed: a repeated run must not reuse the keys of the first one.
        self._token, self._numbers = f"{source[:8]}-{token}", count(1)
        self._waiting: dict[object, tuple[float, OperationCall]] = {}

    def send(self, call: OperationCall, role: str = MAIN, *, key: str | None = None) -> Exchange:
        """Send a call, and learn from its response."""
        call = call if key is None else with_key(call, key)
        exchange = self.probe(call, role)
        if role == MAIN:
            self._learn(call, exchange)
        return exchange

    def probe(self, call: OperationCall, role: str = MAIN) -> Exchange:
        """Send a call, without learning from its response."""
        if call.operation.pointer in self.conditional and not call.conditions:
            call = replace(call, conditions=self._current(call, role))
        pointer = call.operation.pointer
        try:
            request = self.target.request(
                call.operation.method,
                call.path,
                role=role,
                headers=call.headers,
                body=call.content,
                operation=pointer,
            )
        except SpecwrightError:
            raise
        except Exception as error:
            self.target.record.fail(pointer, error, "the request is not sent")
            url = self.target.base_url + call.operation.site.key
            unmade = HttpRequest(call.operation.method, url, ())
            return Exchange(0, self.source, role, pointer, unmade, None, _UNMADE, time.time(), 0.0)
        waiting = object()
        self._waiting[waiting] = time.monotonic(), call
        try:
            return self.target.send(request, self.source, pointer, role)
        finally:
            del self._waiting[waiting]

    def fresh_key(self) -> str:
        """Return a new idempotency key, or any other unique text."""
        return f"{self._token}-{next(self._numbers)}"

    def slow(self, seconds: float) -> list[OperationCall]:
        """Return the calls that have waited longer than some seconds for their response."""
        latest = time.monotonic() - seconds
        return [call for began, call in [*self._waiting.values()] if began <= latest]

    def first_success(self, operation: ContractOperation) -> tuple[OperationCall, Exchange] | None:
        """Return the first call of an operation that succeeds; None if no candidate does.

        A body that is refused as there is one with its values, such as a name, gets others.
        """
        can_vary = operation.pointer in self.successes
        conflict = None
        for call in self.candidates(operation):
            exchange = self._send_while_busy(call)
            is_new = not operation.is_safe and operation.pointer not in self.conditional
            if is_new and _requires_condition(exchange):
                self.conditional.add(operation.pointer)
                exchange = self._send_while_busy(call)
            if operation.is_success(exchange.response):
                return call, exchange
            if can_vary and is_conflict(exchange) and isinstance(call.body, dict):
                conflict = conflict or call
        if conflict is None:
            return None
        call = self.renewed(conflict)
        exchange = self._send_while_busy(call)
        return (call, exchange) if operation.is_success(exchange.response) else None

    def renewed(self, call: OperationCall) -> OperationCall:
        """Return a call with values that no earlier one had, as far as its schema has room.

        It has all members, except those that refer to other resources.
        """
        schema = self.contract.body_schema(call.operation)
        if schema is None or not isinstance(call.body, dict):
            return self.with_fresh_key(call)
        whole = self.contract.sampled_body(call.operation, is_whole=True)
        more = {name: value for name, value in mapping(whole).items() if not is_reference(name)}
        body = {**more, **call.body}
        problems = self.contract.strict_requests.problems
        for name, value in [*body.items()]:
            for other in () if is_reference(name) else _others(value):
                if not any(problems(schema, {**body, name: other})):
                    body[name] = other
                    break
        return self.with_fresh_key(replace(call, body=body))

    def _current(self, call: OperationCall, role: str) -> tuple[tuple[str, str], ...]:
        """Return If-Match for the current version of a resource; nothing without a tag."""
        reader = self.contract.reader(call.operation)
        if reader is None:
            return ()
        names = zip(reader.template.names, call.operation.template.names, strict=True)
        path = {("path", own): call.arguments.get(("path", other)) for own, other in names}
        read = self.probe(OperationCall(reader, path), role).response
        tag = read.header("etag") if read is not None else None
        return () if tag is None else (("If-Match", tag),)

    def _send_while_busy(self, call: OperationCall) -> Exchange:
        """Send a call, some more times if the server is busy: after pauses, and later at once."""
        was_busy = call.operation.pointer in self.busy_operations
        exchange, waited = self.send(call), 0.0
        for pause in _AT_ONCE_SECONDS if was_busy else _PAUSES_SECONDS:
            if not exchange.is_busy or pause > self._patience:
                break
            time.sleep(pause)
            waited += pause
            self._patience -= pause
            exchange = self.send(self.with_fresh_key(call))
        if exchange.is_busy:
            self.busy_operations.add(call.operation.pointer)
        else:
            self.busy_operations.discard(call.operation.pointer)
            self._patience += waited
        return exchange

    def candidates(self, operation: ContractOperation) -> Iterator[OperationCall]:
        """Yield calls that may succeed, those that did before first, each with a fresh key."""
        if operation.pointer in self.target.hanging:
            return
        tried = self._tried[operation.pointer] = []
        self._tried_after[operation.pointer] = self._learned
        for call in self._candidates(operation):
            if _plain(call) not in tried:
                tried.append(_plain(call))
                yield self.with_fresh_key(call)
            if len(tried) >= _CANDIDATES:
                return

    def has_new_candidates(self, operation: ContractOperation) -> bool:
        """Return whether there are candidates that were not among those of the last time."""
        if self._tried_after.get(operation.pointer) == self._learned:
            return False
        tried = self._tried[operation.pointer]
        return any(_plain(call) not in tried for call in self._candidates(operation))

    def with_fresh_key(self, call: OperationCall) -> OperationCall:
        """Return the same call with a fresh idempotency key, if the operation has one."""
        return with_key(call, self.fresh_key())

    def example(self, operation: ContractOperation, name: str) -> OperationCall | None:
        """Return the call for a named example of the request body; None if it cannot be made."""
        if operation.body is None:
            return None
        for each, example in sites.members(self.contract.document, operation.body[1], "examples"):
            if each == name and "value" in example.value:
                arguments = next(self._arguments(operation), None)
                if arguments is not None:
                    return self.with_fresh_key(
                        OperationCall(operation, arguments, example.value["value"])
                    )
        return None

    def known(self, operation: ContractOperation, slot: ParameterSlot) -> list[JsonValue]:
        """Return the values that links gave to a parameter, newest first."""
        linked = self._values[operation.pointer, slot.key]
        return linked or self._ids.path(operation).get(slot.key, [])

    def _candidates(self, operation: ContractOperation) -> Iterator[OperationCall]:
        if operation.pointer in self.successes:
            before = self.successes[operation.pointer][0]
            # Resources in the earlier arguments may be gone; those of links are newer.
            for arguments in self._arguments(operation):
                yield replace(before, arguments={**before.arguments, **arguments})
        bodies = list(self._bodies(operation))
        for arguments in self._arguments(operation):
            for body in bodies:
                yield OperationCall(operation, arguments, body)

    def _arguments(self, operation: ContractOperation) -> Iterator[dict[Key, JsonValue]]:
        """Yield values for all needed parameters, each time with the next choice for each."""
        needed = [slot for slot in operation.slots if self._is_needed(operation, slot)]
        path = self._ids.path(operation)
        choices = {
            slot.key: self._choices(operation, slot, path.get(slot.key, [])) for slot in needed
        }
        if not all(choices.values()):
            return
        for turn in range(max(map(len, choices.values()), default=1)):
            yield {key: values[min(turn, len(values) - 1)] for key, values in choices.items()}

    def violate(
        self,
        rule: str,
        operation: ContractOperation | None,
        message: str,
        *exchanges: Exchange,
        at: Pointer | None = None,
        cause: str = "",
        values: tuple[str, ...] = (),
    ) -> None:
        """Note that a rule was broken.

        Args:
            operation: None if the message names the request.
            at: the part of the document that it breaks; by default the operation.
            exchanges: those that show it; the last is the proof.
            cause: the fault in words for every operation and value; by default the message.
            values: what identifies the fault beside rule and place, as JSON texts.
        """
        name, pointer = (operation.name, operation.pointer) if operation is not None else ("", "")
        place = pointer if at is None else at
        self.target.record.violate(
            Violation(rule, place, message, exchanges, cause, name, values=values)
        )

    def _is_needed(self, operation: ContractOperation, slot: ParameterSlot) -> bool:
        one_of = operation.get(REQUIRES_ONE_OF)
        first = one_of.parameters[0].raw if one_of is not None else None
        return bool(slot.written.required) or slot.key == ("query", first)

    def _choices(
        self, operation: ContractOperation, slot: ParameterSlot, inferred: list[JsonValue]
    ) -> list[JsonValue]:
        linked = self._values[operation.pointer, slot.key][:3] or inferred[:3]
        linked = linked or self._ids.parameter(operation, slot)
        document = self.contract.document
        described = sites.described(document, slot.site)
        examples: list[JsonValue] = [value for _, value in sites.examples(document, described)]
        if linked and slot.written.location == "path":
            return linked
        return [*linked, *(examples or [sample(document, described.value.get("schema"))])]

    def _bodies(self, operation: ContractOperation) -> Iterator[JsonValue | Absent]:
        declared = operation.body or operation.other_body
        if declared is None:
            yield ABSENT
            return
        document, content = self.contract.document, declared[1]
        examples: list[JsonValue] = [value for _, value in sites.examples(document, content)]
        plain = examples or [self.contract.sampled_body(operation)]
        first = {**self._ids.members(operation, plain[0]), **self._chosen(operation)}
        linked = [{**plain[0], **first}] if first and isinstance(plain[0], dict) else []
        for members in self._members[operation.pointer]:
            for body in plain:
                if isinstance(body, dict) and isinstance(members, dict):
                    yield {**body, **members}
        # An example may refer to an existing resource; a sample never does.
        yield from (*plain[:1], *linked) if examples else (*linked, *plain[:1])
        yield from plain[1:]
        if not examples:
            yield from self._whole(operation, plain[0])

    def _chosen(self, operation: ContractOperation) -> dict[str, JsonValue]:
        """Return the members that choose an item, with the first one of its list."""
        members: dict[str, JsonValue] = {}
        for member in choosing(self.contract, operation):
            page, lister = member.page, member.lister
            success = None if lister is None else self.successes.get(lister.pointer)
            if page is None or page.id is None or success is None or success[1].response is None:
                continue
            items = success[1].response.at(page.items.raw)
            if isinstance(items, list) and items:
                members[member.name] = value_at(items[0], page.id.raw)
        return members

    def _whole(self, operation: ContractOperation, least: JsonValue) -> Iterator[JsonValue]:
        """Yield a body with optional members, which a server may require all the same.

        Optional references to unknown resources are left out.
        """
        whole = self.contract.sampled_body(operation, is_whole=True)
        if isinstance(whole, dict) and isinstance(least, dict) and whole.keys() != least.keys():
            known = self._ids.members(operation, whole)
            yield {
                name: known.get(name, value)
                for name, value in whole.items()
                if name in least or name in known or not is_reference(name)
            }

    def _learn(self, call: OperationCall, exchange: Exchange) -> None:
        response = exchange.response
        if response is None or not call.operation.is_success(response):
            return
        self.successes[call.operation.pointer] = (call, exchange)
        self._learned += 1
        self._ids.learn(call, exchange)
        for link in self.contract.links(call.operation, response.status):
            target = self.contract.operations[link.target]
            values = {
                slot.key: value
                for name, expression in link.parameters.items()
                if (slot := target.slot(name)) is not None
                and (value := _value(expression, call, response)) is not None
            }
            path = {name: value for (place, name), value in values.items() if place == "path"}
            is_whole = self._ids.link(target, path, call.operation.name)
            for key, value in values.items():
                if key[0] != "path" or not is_whole:
                    self._remember(target, key, value)
            if isinstance(link.body, dict):
                try:
                    members = evaluate(link.body, call, response)
                except Unknown:
                    continue
                if members not in self._members[link.target]:
                    self._members[link.target].insert(0, members)

    def _remember(self, target: ContractOperation, key: Key, value: JsonValue) -> None:
        values = self._values[target.pointer, key]
        if value in values:
            values.remove(value)
        values.insert(0, value)
        del values[_KEPT:]


def _requires_condition(exchange: Exchange) -> bool:
    """Return whether a change is refused without the tag of the current version.

    With 428 there was no If-Match (RFC 6585, 3), with 412 an invented one.
    """
    response = exchange.response
    return response is not None and response.status in (412, 428)


def is_conflict(exchange: Exchange) -> bool:
    """Return whether a request is refused for the state of the server (RFC 9110, 15.5.10)."""
    return exchange.response is not None and exchange.response.status == 409


def key_header(operation: ContractOperation) -> Key | None:
    """Return the header parameter for an operation's idempotency key; None if it has none."""
    declared = operation.get(IDEMPOTENCY)
    if declared is None or declared.header is None:
        return None
    wanted = ("header", declared.header.raw.lower())
    slots = (slot.key for slot in operation.slots)
    return next((slot for slot in slots if (slot[0], slot[1].lower()) == wanted), None)


def with_key(call: OperationCall, key: str) -> OperationCall:
    """Return the same call with an idempotency key, if the operation has one."""
    declared = call.operation.get(IDEMPOTENCY)
    header = key_header(call.operation)
    if header is not None:
        return call.with_argument(header, key)
    if declared is None or declared.key is None or isinstance(call.body, Absent):
        return call
    try:
        resolve(call.body, declared.key.raw)
    except KeyError:
        # The call omits the key on purpose.
        return call
    return call.with_member(declared.key.raw, key)


def _others(value: JsonValue) -> Iterator[JsonValue]:
    """Yield values that are likely to be new."""
    if isinstance(value, str):
        new = secrets.token_hex(4)
        yield from (value + new, new + value, new, new[: len(value)])
    elif isinstance(value, int) and not isinstance(value, bool):
        yield from (value + 1 + secrets.randbelow(most) for most in (100_000, 1_000, 10))


def _plain(call: OperationCall) -> tuple[object, object]:
    """Return the values of a call, to compare it with others."""
    return dict(call.arguments), call.body


def _value(expression: JsonValue, call: OperationCall, response: HttpResponse) -> JsonValue:
    """Return the value of an expression; None if it has none."""
    try:
        return evaluate(expression, call, response)
    except Unknown:
        return None

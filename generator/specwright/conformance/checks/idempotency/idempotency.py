"""Requests repeated with their idempotency key (`x-contract-idempotency`)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from specwright.conformance.checks.idempotency.used_keys import (
    IDEMPOTENCY_CHANGED,
    IDEMPOTENCY_CONCURRENT,
    IDEMPOTENCY_FAILURE,
    IDEMPOTENCY_REPLAY,
    IDEMPOTENCY_SCOPE,
    Keys,
    missing,
)
from specwright.conformance.checks.requests.explore import renew
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import ContractOperation
from specwright.conformance.driver.driver import Driver, with_key
from specwright.conformance.driver.ids import is_reference
from specwright.conformance.driver.roles import OTHER_TENANT
from specwright.conformance.recording.exchange import Exchange, HttpResponse
from specwright.json_values import JsonObject, JsonValue, mapping
from specwright.pointer import Pointer, join, split
from specwright.vocabulary.keywords.idempotency import IDEMPOTENCY, ErrorResponse, Idempotency

_AT_ONCE = 4
# The maximum rounds of concurrent requests, until one is refused because of another.
_ROUNDS = 5
# The scope in which each operation has its own keys.
_OPERATION = "operation"
# Keywords of texts that not every text fits.
_FORMS = {"format", "pattern", "enum", "const"}


@scenario(after="precedence", share=3, needs=IDEMPOTENCY)
def idempotency(driver: Driver) -> None:
    """Test every operation that declares a key."""
    keyed = list(driver.contract.declaring(IDEMPOTENCY))
    if keyed:
        # The resources that their requests refer to may have been deleted.
        renew(driver)
    for operation, declared in keyed:
        _Trial(driver, operation, declared).run()


@dataclass(frozen=True, slots=True)
class _Trial:
    driver: Driver
    operation: ContractOperation
    declared: Idempotency

    @property
    def place(self) -> Pointer:
        return self.operation.pointer + join(IDEMPOTENCY.name)

    @property
    def _member(self) -> str | None:
        """The member of the body that contains the key."""
        key = self.declared.key
        return None if key is None else split(key.raw)[0]

    def _is_replay(self, response: HttpResponse) -> bool:
        """Return whether a response is marked as a replay."""
        replay = self.declared.replay
        value = None if replay.header is None else response.header(replay.header.raw)
        return replay.marks(value)

    def run(self) -> None:
        success = self.driver.first_success(self.operation)
        if success is None:
            self.driver.target.record.skip(
                IDEMPOTENCY_REPLAY, self.place, "the operation never succeeded"
            )
            return
        call, first = success
        self.replay(call, first)
        self.changed(call, first)
        self.concurrent(call)
        self.failure(call)
        self.scope(call, first)
        self.other_keys(call)
        Keys(self.driver, self.operation, self.declared).of_another_path(call)

    def replay(self, call: OperationCall, first: Exchange) -> None:
        """Repeat the request, also with equivalent payloads."""
        for request, repeated in {"the same request": call, **dict(self._equal(call))}.items():
            exchange = self.driver.send(repeated)
            response = self._response(IDEMPOTENCY_REPLAY, exchange)
            if response is None or first.response is None:
                continue
            replay = self.declared.replay
            if response.status != replay.status:
                message = f"repeating {request} returned {response.status}, not {replay.status}"
                self._violate(IDEMPOTENCY_REPLAY, message, first, exchange)
            elif response.body != first.response.body:
                self._violate(
                    IDEMPOTENCY_REPLAY,
                    f"repeating {request} returned a different body",
                    first,
                    exchange,
                )
            elif replay.header is not None and not self._is_replay(response):
                message = f"repeating {request} is not marked as a replay by {replay.header.raw}"
                self._violate(IDEMPOTENCY_REPLAY, message, first, exchange)
        if first.response is not None and self._is_replay(first.response):
            self._violate(IDEMPOTENCY_REPLAY, "the first response is marked as a replay", first)

    def changed(self, call: OperationCall, first: Exchange) -> None:
        """Send other payloads with the key."""
        others = list(self._different(call))
        if not others:
            self.driver.target.record.skip(
                IDEMPOTENCY_CHANGED, self.place, "the body has no other member to change"
            )
        for name, other in others:
            exchange = self.driver.send(other)
            self._refused(IDEMPOTENCY_CHANGED, f"another {name}", exchange, first)

    def concurrent(self, call: OperationCall) -> None:
        """Send concurrent requests: all that succeed must be the same one."""
        for _ in range(_ROUNDS):
            if self._at_once(self.driver.with_fresh_key(call)):
                return

    def _at_once(self, call: OperationCall) -> bool:
        """Send concurrent requests; return whether one was refused because of another."""
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            exchanges = list(pool.map(self.driver.send, [call] * _AT_ONCE))
        rule = IDEMPOTENCY_CONCURRENT
        responses = [(exchange, self._response(rule, exchange)) for exchange in exchanges]
        succeeds = self.operation.is_success
        bodies = {response.body for _, response in responses if response and succeeds(response)}
        if len(bodies) > 1:
            self._violate(rule, "concurrent requests took effect more than once", *exchanges)
        refused = [each for each, response in responses if response and not succeeds(response)]
        for exchange in refused:
            self._answered(rule, "a concurrent request", exchange, self.declared.in_progress)
        return bool(refused)

    def failure(self, call: OperationCall) -> None:
        """Send a request that is refused, and then a valid one with its key."""
        rule = IDEMPOTENCY_FAILURE
        for wrong in self._wrong(call):
            key = self.driver.fresh_key()
            refused = self.driver.send(wrong, key=key)
            if refused.response is None or not 400 <= refused.response.status < 500:
                continue
            if refused.response.status in (401, 429):
                continue
            right = self.driver.send(call, key=key)
            response = self._response(rule, right)
            if response is not None and not self.operation.is_success(response):
                before, after = refused.response.status, response.status
                message = f"after {before}, a valid request with its key returned {after}"
                self._violate(rule, message, refused, right)
            return
        self.driver.target.record.skip(rule, self.place, "no request that is refused could be made")

    def scope(self, call: OperationCall, first: Exchange) -> None:
        """Send the request as another tenant, which must not get this tenant's response."""
        rule = IDEMPOTENCY_SCOPE
        if OTHER_TENANT not in self.driver.target.keys:
            self.driver.target.record.skip(rule, self.place, "no key of another tenant was given")
            return
        exchange = self.driver.send(call, OTHER_TENANT)
        response = self._response(rule, exchange)
        if (
            response is not None
            and first.response is not None
            and (response.body == first.response.body or self._is_replay(response))
        ):
            self._violate(rule, "another tenant got the response to the same key", first, exchange)

    def other_keys(self, call: OperationCall) -> None:
        """Send keys that must count as new: a used one in another case, or at another operation."""
        rule = IDEMPOTENCY_SCOPE
        key = self.driver.fresh_key()
        used = self.driver.send(call, key=key)
        if not used.succeeded:
            return
        folded = with_key(call, key.swapcase())
        if not self._problems(folded):
            message = "a key that differs only in case was treated as the same key"
            self._is_new(rule, message, used, self.driver.send(folded))
        for other, other_call in self._others_of_scope():
            message = f"its key was treated as used for {other.name}"
            self._is_new(rule, message, used, self.driver.send(other_call, key=key))

    def _others_of_scope(self) -> Iterator[tuple[ContractOperation, OperationCall]]:
        """Yield calls of other operations with keys, if the scope of keys is the operation."""
        if _OPERATION not in [text.raw for text in self.declared.scope]:
            return
        for other, _ in self.driver.contract.declaring(IDEMPOTENCY):
            success = self.driver.successes.get(other.pointer)
            if other.pointer != self.operation.pointer and success is not None:
                yield other, success[0]

    def _is_new(self, rule: str, message: str, used: Exchange, exchange: Exchange) -> None:
        """Check that the response to a key is the one that an unused key gets."""
        response, declared = self._response(rule, exchange), self.declared
        if response is None:
            return
        errors = [error for error in (declared.changed, declared.in_progress) if error is not None]
        if self._is_replay(response) or any(self._is(response, error) for error in errors):
            self._violate(rule, message, used, exchange)

    def _equal(self, call: OperationCall) -> Iterator[tuple[str, OperationCall]]:
        """Yield equivalent payloads: with reordered members, and defaults added or left out."""
        if not isinstance(call.body, dict):
            return
        yield (
            "the request with reordered members",
            OperationCall(call.operation, call.arguments, _turned(call.body)),
        )
        for name, schema in self._properties().items():
            if "default" not in schema:
                continue
            if name not in call.body:
                written = call.with_member(join(name), schema["default"])
                yield f"the request with the default of '{name}' written out", written
            elif call.body[name] == schema["default"]:
                body = {key: each for key, each in call.body.items() if key != name}
                yield (
                    f"the request without '{name}', which has its default",
                    replace(call, body=body),
                )

    def _different(self, call: OperationCall) -> Iterator[tuple[str, OperationCall]]:
        """Yield calls with one valid change each: another value of a member."""
        body = call.body
        if not isinstance(body, dict):
            return
        for name, schema in self._properties().items():
            if name == self._member or (name not in body and is_reference(name)):
                continue
            for value in _others(schema, body.get(name)):
                other = call.with_member(join(name), value)
                if not self._problems(other):
                    yield f"'{name}'", other
                    break

    def _wrong(self, call: OperationCall) -> Iterator[OperationCall]:
        """Yield requests that refer to missing resources, then ones that violate the schema."""
        if not isinstance(call.body, dict):
            return
        texts = [
            name
            for name, value in call.body.items()
            if isinstance(value, str) and name != self._member
        ]
        for name in texts:
            unknown = call.with_member(join(name), f"{call.body[name]}-unknown"[-60:])
            if not self._problems(unknown):
                yield unknown
        for name in texts:
            yield call.with_member(join(name), 17)

    def _properties(self) -> dict[str, JsonObject]:
        contract = self.driver.contract
        schema = contract.body_schema(self.operation)
        if schema is None:
            return {}
        _, value = contract.document.end(schema, {"$ref": f"#{schema}"})
        declared = mapping(mapping(value).get("properties"))
        # A default is declared next to the reference to its schema.
        return {
            name: {**followed, **mapping(each)}
            for name, each in declared.items()
            if isinstance(followed := contract.document.follow(each), dict)
        }

    def _problems(self, call: OperationCall) -> bool:
        contract = self.driver.contract
        schema = contract.body_schema(self.operation)
        return schema is None or any(contract.requests.problems(schema, call.body))

    def _response(self, rule: str, exchange: Exchange) -> HttpResponse | None:
        self.driver.target.record.check(rule, self.place)
        response = exchange.response
        return None if response is None or response.status == 429 else response

    def _refused(self, rule: str, how: str, exchange: Exchange, first: Exchange) -> None:
        response = self._response(rule, exchange)
        if response is None:
            return
        if self.operation.is_success(response):
            self._violate(rule, f"{how} under the same key was accepted", first, exchange)
        else:
            self._answered(rule, f"{how} under the same key", exchange, self.declared.changed)

    def _is(self, response: HttpResponse, wanted: ErrorResponse) -> bool:
        errors = self.driver.contract.errors
        if errors is None or wanted.code is None:
            return response.status == wanted.status
        return (response.status, response.at(errors.code.raw)) == (wanted.status, wanted.code.raw)

    def _answered(
        self, rule: str, how: str, exchange: Exchange, wanted: ErrorResponse | None
    ) -> None:
        response = exchange.response
        assert response is not None
        if wanted is not None and not self._is(response, wanted):
            code = "" if wanted.code is None else f" {wanted.code.raw}"
            message = f"{how} was answered {response.status}, not {wanted.status}{code}"
            self._violate(rule, message, exchange)
        elif wanted is not None and (name := missing(response, wanted)):
            self._violate(rule, f"{how} was answered without {name}", exchange)

    def _violate(self, rule: str, message: str, *exchanges: Exchange) -> None:
        self.driver.violate(rule, self.operation, message, *exchanges, at=self.place)


def _turned(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return {name: _turned(value[name]) for name in reversed(value)}
    return value


def _others(schema: JsonValue, value: JsonValue) -> Iterator[JsonValue]:
    """Yield values that differ from this one, or from the default of a missing one.

    What may be the id of something else stays as it is: another one would be refused as unknown.
    """
    if not isinstance(schema, dict):
        return
    default = schema.get("default")
    now = default if value is None else value
    candidates: list[JsonValue] = []
    if isinstance(now, bool):
        candidates = [not now]
    elif isinstance(now, int):
        candidates = [now + 1, now - 1]
    elif isinstance(now, str):
        candidates = [now[:-1] + ("a" if now[-1:] != "a" else "b")]
    elif isinstance(now, dict):
        candidates = [{**now, "other": "value"}]
    elif isinstance(now, list) and now and isinstance(now[0], dict):
        counts = {name: old for name, old in now[0].items() if type(old) is int}
        candidates = [[{**now[0], name: old + 1}, *now[1:]] for name, old in counts.items()]
    elif now is None and schema.get("type") == "string" and not _FORMS & schema.keys():
        candidates = ["text"]
    for candidate in candidates:
        if json.dumps(candidate) != json.dumps(now):
            yield candidate

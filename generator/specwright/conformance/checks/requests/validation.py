"""Requests that violate the document in one place, and requests that are just valid."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from specwright.conformance.checks.limits.capacity import release_all
from specwright.conformance.checks.requests.accepted import (
    INVALID_ACCEPTED,
    SentValue,
    accepted_form,
    accepted_value,
    spelled,
)
from specwright.conformance.checks.requests.coercion import COERCION, LISTED_CASE
from specwright.conformance.checks.requests.explore import success_now
from specwright.conformance.checks.requests.variants import ValueVariant, odd, variants
from specwright.conformance.checks.responses.error_codes import ERROR_CODE
from specwright.conformance.checks.responses.whole_numbers import WHOLE_NUMBER
from specwright.conformance.checks.robustness.failures import SERVER_ERROR
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.checks.verdicts import judge_acceptance
from specwright.conformance.contract.calls import ABSENT, Absent, OperationCall
from specwright.conformance.contract.contract import Contract, ContractOperation, ParameterSlot
from specwright.conformance.contract.samples import sample
from specwright.conformance.contract.value_parts import in_place, subschema_at
from specwright.conformance.driver.driver import Driver, key_header
from specwright.conformance.recording.exchange import (
    Exchange,
    HttpResponse,
    readings,
    text_of,
    value_at,
)
from specwright.document.operations import sites
from specwright.document.schemas.instances import Instances
from specwright.document.schemas.polarity import Polarity, is_left_out
from specwright.findings import values_of
from specwright.json_values import JsonObject, JsonValue, mapping, sequence, texts
from specwright.pointer import Pointer, join, resolve, split
from specwright.runtime.client.wire.headers import is_cookie_pair
from specwright.runtime.client.wire.query import parts
from specwright.runtime.shared.operation import Parameter
from specwright.vocabulary.keywords.capacity import CAPACITY
from specwright.vocabulary.keywords.error import MALFORMED, Condition
from specwright.vocabulary.keywords.idempotency import IDEMPOTENCY
from specwright.vocabulary.keywords.invalid import INVALID

VALID_REFUSED = BehaviourRule(
    "valid-refused",
    BehaviourCategory.VALIDATION,
    (
        "A request that fits the document is answered as the operation declares, and not refused "
        "as malformed."
    ),
    example='POST /items {"price": 0} -> 422, and `price` has "minimum": 0',
    advice=(
        "Accept the value, or declare the reason for the refusal in the schema: a limit, a "
        "pattern, an enumeration, a required member."
    ),
    weight=4,
    expected="a response other than a rejection as malformed",
    judge=judge_acceptance,
)

_UNKNOWN = "unknownMember"
# A member of an object that may have arbitrary ones.
_ADDITIONAL = "key"
# The maximum depth of nested objects.
_DEPTH = 2


@dataclass(frozen=True, slots=True)
class _Spot:
    """The changed value: its name, by which a response may refer to it, and its declaration.

    Attributes:
        sent: the parameter, or the body with the change in it.
    """

    name: str
    place: Pointer
    sent: SentValue


@scenario(after="permission", share=8)
def validation(driver: Driver) -> None:
    """Change one value at a time in a successful request, to each side of its limits."""
    for operation in driver.contract.operations.values():
        if not operation.slots and operation.body is None:
            continue
        success = driver.successes.get(operation.pointer)
        if success is not None and operation.body is not None:
            success = success_now(driver, operation) or success
        if success is None:
            driver.target.record.skip(
                INVALID_ACCEPTED, operation.pointer, "the operation never succeeded"
            )
            continue
        trial = _Trial(driver, operation, driver.with_fresh_key(success[0]))
        trial.parameters()
        trial.query_strings()
        trial.body()
        # Later calls must not use the values tried here.
        driver.successes[operation.pointer] = success


@dataclass(frozen=True, slots=True)
class _Trial:
    driver: Driver
    operation: ContractOperation
    call: OperationCall

    @property
    def contract(self) -> Contract:
        return self.driver.contract

    def parameters(self) -> None:
        """Test values of query and header parameters with an unambiguous text."""
        for slot in self.operation.slots:
            document, schema = self.contract.document, slot.site.value.get("schema")
            usual = self._usual(slot)
            # The text of lists and objects depends on the style.
            is_plain = isinstance(usual, (bool, int, float, str))
            if is_plain and slot.written.location in ("query", "header"):
                # A parameter that may be missing was not sent before, not even with a usual value.
                tried = [*variants(document, schema, usual)]
                if slot.written.location == "header":
                    # The case of many values does not matter there, such as that of codings.
                    tried = [one for one in tried if not (one.is_same and one.condition)]
                if slot.key not in self.call.arguments:
                    others = [replace(variant, is_same=False) for variant in tried]
                    tried = [ValueVariant("", usual, None), *others]
                distinct = [variant for variant in tried if self._is_distinct(slot, variant)]
                for variant in distinct:
                    self._parameter(slot, variant)
                self._twice(slot, usual, distinct)
            elif slot.written.location == "query":
                for variant in self._lists(slot, usual):
                    self._parameter(slot, variant)
            for value in odd(document, schema):
                if _can_be_written(slot.written, value):
                    self._survive(self.call.with_argument(slot.key, value))

    def _parameter(self, slot: ParameterSlot, variant: ValueVariant) -> None:
        call = self.call.with_argument(slot.key, variant.value)
        name, place = slot.written.wire, slot.site.pointer
        sent = SentValue(name, place, slot.schema, variant.value)
        self._send(call, _Spot(name, place, sent), variant)

    def _lists(self, slot: ParameterSlot, usual: JsonValue) -> Iterator[ValueVariant]:
        """Yield lists with another first item, where an enumeration says which ones there are."""
        document = self.contract.document
        for _, part in in_place(document, slot.schema):
            item = document.follow(part.get("items"))
            if part.get("type") != "array" or "enum" not in mapping(item):
                continue
            first, *others = sequence(usual) or [None]
            for variant in variants(document, part["items"], first):
                value = [variant.value, *others]
                problems = self._judge_of(variant).problems(slot.schema, value)
                fits = not any(problems)
                # The text of other values depends on the style.
                if isinstance(variant.value, str) and fits is (variant.condition is None):
                    yield replace(variant, value=value, is_same=False)

    def _usual(self, slot: ParameterSlot) -> JsonValue:
        """Return a value of a parameter that is valid, as far as is known."""
        if slot.key in self.call.arguments:
            return self.call.arguments[slot.key]
        document = self.contract.document
        described = sites.described(document, slot.site)
        examples = [value for _, value in sites.examples(document, described)]
        value: JsonValue = (
            examples[0] if examples else sample(document, described.value.get("schema"))
        )
        return value

    def _is_distinct(self, slot: ParameterSlot, variant: ValueVariant) -> bool:
        """Return whether the text of a value is valid or invalid as the value is."""
        if variant.value is None or isinstance(variant.value, (dict, list)):
            return False
        text = text_of(variant.value)
        if slot.written.location == "header" and not (text.isascii() and text == text.strip()):
            return False
        # As text, `17` is also a number that may be out of range.
        if isinstance(variant.value, str) and text.isdecimal():
            return False
        problems = self._judge_of(variant).problems
        fits = [not any(problems(slot.schema, reading)) for reading in readings(text)]
        return any(fits) if variant.condition is None else not any(fits)

    def _judge_of(self, variant: ValueVariant) -> Instances:
        """Return the validators that a valid value fits, or that an invalid one does not fit."""
        is_valid = variant.condition is None
        return self.contract.strict_requests if is_valid else self.contract.requests

    def _twice(self, slot: ParameterSlot, usual: JsonValue, variants: list[ValueVariant]) -> None:
        """Send a parameter twice, once with an invalid value."""
        wrong = next((code for code in variants if code.condition is not None), None)
        if slot.written.location != "query" or self.contract.errors is None or wrong is None:
            return
        for first, second in ((usual, wrong.value), (wrong.value, usual)):
            call = self.call.with_argument(slot.key, first)
            path = "&".join([call.path, *parts(slot.written, second)])
            request = self.driver.target.request(
                self.operation.method, path, headers=call.headers, operation=self.operation.pointer
            )
            exchange = self.driver.target.send(request, self.driver.source, self.operation.pointer)
            self._note(slot.site.pointer)
            if exchange.succeeded:
                how = f"{slot.written.wire} with two values"
                place, rule = slot.site.pointer, INVALID_ACCEPTED
                accepted = accepted_form(self.operation, exchange, place, how, rule)
                self.driver.target.record.violate(accepted)

    def query_strings(self) -> None:
        """Test the members of JSON that is a whole query string, one by one."""
        for slot in self.operation.slots:
            content, usual = slot.written.content, self._usual(slot)
            # The text of a form is less than its values.
            if content is None or not sites.is_json(content.media_type):
                continue
            for place, name, variant in self._changes(slot, usual):
                members = {**mapping(usual), name: variant.value}
                if variant.condition is Condition.MISSING_FIELD:
                    del members[name]
                call = self.call.with_argument(slot.key, members)
                sent = SentValue(slot.written.wire, slot.site.pointer, slot.schema, members)
                self._member(call, _Spot(name, place, sent), variant)

    def _changes(
        self, slot: ParameterSlot, usual: JsonValue
    ) -> Iterator[tuple[Pointer, str, ValueVariant]]:
        """Yield the changes of the members of an object: place of the schema, name, and value."""
        document, is_sent = self.contract.document, slot.key in self.call.arguments
        for at, part in in_place(document, slot.schema):
            for name, declared in mapping(part.get("properties")).items():
                value = mapping(usual).get(name)
                value = sample(document, declared) if value is None else value
                for variant in variants(document, declared, value):
                    changed = variant if is_sent else replace(variant, is_same=False)
                    yield at + join("properties", name), name, changed
            for name in texts(part.get("required")):
                yield at, name, ValueVariant(f"without '{name}'", None, Condition.MISSING_FIELD)

    def body(self) -> None:
        """Test the members of the JSON body one by one, and missing and unknown members."""
        document, schema = self.contract.document, self.contract.body_schema(self.operation)
        if schema is None or isinstance(self.call.body, Absent):
            return
        if not self.contract.needs_body(self.operation):
            self._without_body(schema)
        for pointer, place, declared in self._members(schema, "", 0):
            name = split(pointer)[-1]
            usual = self._member_of_call(pointer, declared)
            is_sent = _in_body(self.call, pointer) is not None
            for variant in variants(document, declared, usual):
                variant = variant if is_sent else replace(variant, is_same=False)
                call = self.call.with_member(pointer, variant.value)
                self._body_member(call, schema, name, place, variant)
            for value in odd(document, declared):
                self._survive(self.call.with_member(pointer, value))
        for pointer, holder in self._objects(schema):
            for name in texts(holder.get("required")):
                missing = ValueVariant(f"without '{name}'", None, Condition.MISSING_FIELD)
                call = self.call.without_member(pointer, name)
                self._body_member(call, schema, name, schema, missing)
            if holder.get("additionalProperties") is False:
                unknown = ValueVariant(f"'{_UNKNOWN}' at '{pointer}'", 1, Condition.UNKNOWN_FIELD)
                call = self.call.with_member(pointer + join(_UNKNOWN), 1)
                self._body_member(call, schema, _UNKNOWN, schema, unknown)

    def _without_body(self, schema: Pointer) -> None:
        """Send a request without its body, which is optional."""
        exchange = self._ask(replace(self.call, body=ABSENT))
        self.driver.target.record.check(VALID_REFUSED, schema)
        if exchange.response is not None and self._is_refused_alone(exchange):
            cause = "a request without its optional body is refused as malformed"
            message = f"{cause}: {exchange.response.status}"
            self.driver.violate(
                *(VALID_REFUSED, self.operation, message, exchange),
                at=schema,
                cause=cause,
                values=values_of("no body"),
            )

    def _is_refused_alone(self, exchange: Exchange) -> bool:
        """Return whether a request is refused as malformed, and the usual one is not refused."""
        response = exchange.response
        if response is None or not self.contract.calls_malformed(self.operation, response):
            return False
        return self.operation.is_success(self._ask(self.call).response)

    def _body_member(
        self, call: OperationCall, schema: Pointer, name: str, place: Pointer, variant: ValueVariant
    ) -> None:
        assert not isinstance(call.body, Absent)
        sent = SentValue("", place, schema, call.body)
        self._member(call, _Spot(name, place, sent), variant)

    def _member(self, call: OperationCall, spot: _Spot, variant: ValueVariant) -> None:
        problems = [*self._judge_of(variant).problems(spot.sent.schema, spot.sent.value)]
        # Clients that read a tag alone may send what fits several alternatives.
        is_wrong = any(not problem.is_ambiguous for problem in problems)
        if is_wrong if variant.condition is not None else not problems:
            self._send(call, spot, variant)

    def _member_of_call(self, pointer: Pointer, schema: JsonObject) -> JsonValue:
        """Return the value at a pointer of the call, else a sample; for a key, an unused one."""
        if pointer == self._key:
            return self.driver.fresh_key()
        value = _in_body(self.call, pointer)
        return sample(self.contract.document, schema) if value is None else value

    @property
    def _key(self) -> Pointer | None:
        """The pointer to the idempotency key in the body."""
        declared = self.operation.get(IDEMPOTENCY)
        return None if declared is None or declared.key is None else declared.key.raw

    def _members(
        self, schema: Pointer, pointer: Pointer, depth: int
    ) -> Iterator[tuple[Pointer, Pointer, JsonObject]]:
        """Yield the members of the body with the pointers of their schemas, and these.

        Of a list, this is the first item.
        """
        document = self.contract.document
        if depth > _DEPTH:
            return
        places: dict[str, Pointer] = {}
        now = _in_body(self.call, pointer)
        for at, part in in_place(document, schema):
            for name in mapping(part.get("properties")):
                places.setdefault(name, at + join("properties", name))
            if _has_items(part, now):
                places.setdefault("0", at + join("items"))
            if isinstance(part.get("additionalProperties"), dict):
                name = next(iter(now), _ADDITIONAL) if isinstance(now, dict) else _ADDITIONAL
                places.setdefault(name, at + join("additionalProperties"))
        for name, place in places.items():
            yield from self._members_at(place, pointer + join(name), depth)

    def _members_at(
        self, place: Pointer, pointer: Pointer, depth: int
    ) -> Iterator[tuple[Pointer, Pointer, JsonObject]]:
        declared = resolve(self.contract.document.data, place)
        document = self.contract.document
        is_read_only = is_left_out(document, [subschema_at(document, place)], Polarity.TO_SERVER)
        if isinstance(declared, dict) and not is_read_only:
            yield pointer, place, declared
            yield from self._members(place, pointer, depth + 1)

    def _objects(
        self, schema: Pointer, pointer: Pointer = "", depth: int = 0
    ) -> Iterator[tuple[Pointer, JsonObject]]:
        """Yield the objects that are present in the body, with their schemas."""
        now, document = _in_body(self.call, pointer), self.contract.requests.document
        for at, part in in_place(document, schema) if depth <= _DEPTH else ():
            below: dict[str, Pointer] = {}
            if isinstance(now, dict):
                yield pointer, part
                names = mapping(part.get("properties")).keys() & now.keys()
                below = {name: at + join("properties", name) for name in sorted(names)}
            elif _has_items(part, now):
                below = {"0": at + join("items")}
            for name, place in below.items():
                yield from self._objects(place, pointer + join(name), depth + 1)

    def _send(self, call: OperationCall, spot: _Spot, variant: ValueVariant) -> None:
        self._judge(self._ask(call), spot, variant)

    def _survive(self, call: OperationCall) -> None:
        """Send a request; the monitors notice whether the server fails at it."""
        self.driver.target.record.check(SERVER_ERROR, self.operation.pointer)
        self._ask(call)

    def _ask(self, call: OperationCall) -> Exchange:
        """Send a call with its own key, and again after freeing capacity if that is used up."""
        key, header = self._key, key_header(self.operation)
        is_same = key is None or _in_body(self.call, key) == _in_body(call, key)
        if header is not None:
            is_same = self.call.arguments.get(header) == call.arguments.get(header)
        if is_same:
            call = self.driver.with_fresh_key(call)
        capacity = self.operation.get(CAPACITY)
        exchange = self.driver.send(call)
        if capacity is None or exchange.response is None:
            return exchange
        if exchange.response.status != capacity.status:
            return exchange
        release_all(self.driver, capacity)
        return self.driver.send(call)

    def _judge(self, exchange: Exchange, spot: _Spot, variant: ValueVariant) -> None:
        response, place = exchange.response, spot.place
        if response is None or response.status in (429, 500):
            return
        record, name = self.driver.target.record, self.operation.name
        if variant.condition is None:
            rule = WHOLE_NUMBER if isinstance(variant.value, float) else VALID_REFUSED
            record.check(rule, place)
            is_alone = variant.is_same and self._is_refused_alone(exchange)
            if is_alone or self._is_malformed(response, spot):
                change = f"{spot.name} = {spelled(variant.value)}"
                message = f"{name} refused {change} as malformed: {response.status}"
                cause, values = "a valid value is refused as malformed", values_of()
                if variant.is_same:
                    cause = "a value is refused as malformed in another form"
                    values = values_of("another form")
                self.driver.violate(
                    *(rule, None, message, exchange), at=place, cause=cause, values=values
                )
            return
        self._note(place)
        if response.is_success:
            record.violate(accepted_value(self.contract, self.operation, exchange, spot.sent))
        elif response.status < 500:
            self._code(exchange, spot, variant)

    def _note(self, place: Pointer) -> None:
        for rule in (INVALID_ACCEPTED, COERCION, LISTED_CASE):
            self.driver.target.record.check(rule, place)

    def _is_malformed(self, response: HttpResponse, spot: _Spot) -> bool:
        """Return whether the response says that the request is malformed."""
        errors = self.contract.errors
        if response.is_success or errors is None:
            return False
        code = response.at(errors.code.raw)
        param = response.at(errors.param.raw) if errors.param is not None else None
        listed = {each.raw: value.condition for each, value in errors.codes.items()}
        # Another member may be at fault: a valid value may require one that is missing.
        at_fault = param is None or str(param).split(".")[-1] == spot.name
        is_malformed = listed.get(str(code)) in MALFORMED or code == self._own_code(spot.place)
        return is_malformed and at_fault

    def _code(self, exchange: Exchange, spot: _Spot, variant: ValueVariant) -> None:
        """Compare the code of a refusal with those declared for its condition."""
        place = spot.place
        errors, response = self.contract.errors, exchange.response
        if errors is None or response is None:
            return
        wanted = {
            code.raw for code, each in errors.codes.items() if each.condition is variant.condition
        }
        own = self._own_code(place)
        code = response.at(errors.code.raw)
        conditions = {each.raw: value.condition for each, value in errors.codes.items()}
        if not wanted or code in wanted or code == own or conditions.get(str(code)) is None:
            return
        cause = f"refused with '{code}', not '{min(wanted)}'"
        message = f"{spot.name}: {variant.how} is {cause}: {response.status}"
        self.driver.violate(
            ERROR_CODE,
            self.operation,
            message,
            exchange,
            at=place,
            cause=cause,
            values=values_of(code, min(wanted)),
        )

    def _own_code(self, place: Pointer) -> str | None:
        described = self.contract.document.end(place, {"$ref": f"#{place}"})[1]
        declared = INVALID.read(described) if isinstance(described, dict) else None
        return None if declared is None else declared.code.raw


def _can_be_written(parameter: Parameter, value: JsonValue) -> bool:
    """Return whether a request can carry any text as the value of a parameter.

    In headers, and in cookies that are not encoded, most characters are invalid or read otherwise.
    """
    if parameter.location == "cookie":
        return all(map(is_cookie_pair, parts(parameter, value)))
    return parameter.location != "header"


def _has_items(schema: JsonObject, value: JsonValue) -> bool:
    """Return whether a value is a list with items, and a schema describes them."""
    return isinstance(schema.get("items"), dict) and isinstance(value, list) and bool(value)


def _in_body(call: OperationCall, pointer: Pointer) -> JsonValue:
    """Return the value at a pointer of a call's body; None if it is missing."""
    return None if isinstance(call.body, Absent) else value_at(call.body, pointer)

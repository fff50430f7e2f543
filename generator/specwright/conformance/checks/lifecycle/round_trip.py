"""Values that reveal changes on their way into a store and back."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from itertools import zip_longest

from specwright.conformance.checks.lifecycle.read_after_write import WRITTEN_IS_READ
from specwright.conformance.checks.lifecycle.readers import reader_of, reader_of_created
from specwright.conformance.checks.lifecycle.written_members import (
    WrittenMember,
    makes_freely,
    object_after,
    written_members,
)
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import ContractOperation
from specwright.conformance.contract.routes import ContractRoutes
from specwright.conformance.contract.samples import alternatives
from specwright.conformance.contract.write_only import is_masked
from specwright.conformance.driver.driver import Driver
from specwright.conformance.recording.exchange import Exchange, decimal_of, seconds_of
from specwright.findings import Level, values_of
from specwright.json_values import JsonObject, JsonValue, sequence
from specwright.pointer import resolve

VALUE_IS_KEPT = BehaviourRule(
    "value-is-kept",
    BehaviourCategory.STATE,
    "A number, an amount of money, a time or a value of a list of values is read as it was "
    "written.",
    example='PATCH /items/7 {"price": "1234567.89"} -> 200, then GET /items/7 -> "1234567.90"',
    advice=(
        "Store money as a decimal or in its smallest unit, and a time with its offset or in UTC."
    ),
    weight=8,
)
TEXT_IS_KEPT = BehaviourRule(
    "text-is-kept",
    BehaviourCategory.STATE,
    "A text is read as it was written; a server that changes it on purpose should say so.",
    example='PATCH /items/7 {"code": "007"} -> 200, then GET /items/7 -> "7"',
    advice="Store texts as they are, or describe the change, such as that outer spaces are cut.",
    level=Level.INFO,
)


def _is_moment(written: JsonValue, read: JsonValue) -> bool:
    """Return whether two times are the same to the second."""
    one, other = seconds_of(written), seconds_of(read)
    return one is not None and other is not None and abs(one - other) < 1


def _is_amount(written: JsonValue, read: JsonValue) -> bool:
    one, other = decimal_of(written), decimal_of(read)
    return one is not None and other is not None and abs(one - other) < Decimal("0.001")


def _is_equal(written: JsonValue, read: JsonValue) -> bool:
    return written == read


def _is_equal_or_another(written: JsonValue, read: JsonValue) -> bool:
    """Return whether a listed value is the same; another one may have been chosen for it."""
    return written == read or str(written).casefold() != str(read).casefold()


@dataclass(frozen=True, slots=True)
class _Telling:
    """A value that servers change by accident.

    Attributes:
        what: the part of it that may be lost, in words.
        is_kept: whether a value that is read is the written one.
    """

    value: JsonValue
    what: str
    is_kept: Callable[[JsonValue, JsonValue], bool]
    rule: BehaviourRule


_text = partial(_Telling, is_kept=_is_equal, rule=TEXT_IS_KEPT)
_exact = partial(_Telling, rule=VALUE_IS_KEPT)
_TEXTS = (
    _text(" outer spaces ", "outer spaces"),
    _text("007", "leading zeros"),
    _text("MiXed Case", "case"),
    _text(unicodedata.normalize("NFD", "zoë"), "a letter with a combining mark"),
    _text("\ufb01ne \u00bd", "compatibility characters"),
)
_AMOUNTS = ("1234567.89", "1000.01", "0.07")
_OFFSETS = ("2031-05-06T07:08:09+02:00", "2031-01-01T00:30:00-05:30")
_LARGE = (2**53 - 1, 2**31, 1_000_003)


@scenario(after="written", share=2)
def round_trip(driver: Driver) -> None:
    """Write values that servers change by accident, and read them.

    They are values of members that are both written and read.
    """
    routes = ContractRoutes(driver.contract, driver.target.base_url)
    for writer in driver.contract.operations.values():
        changes = writer.method in ("PUT", "PATCH")
        success = driver.successes.get(writer.pointer)
        if writer.body is not None and success is not None and (makes_freely(writer) or changes):
            _Trial(driver, routes, writer, reader_of(driver.contract, writer), success[0]).run()
            # Later calls must not use the values tried here.
            driver.successes[writer.pointer] = success


@dataclass(frozen=True, slots=True)
class _Trial:
    driver: Driver
    routes: ContractRoutes
    writer: ContractOperation
    reader: ContractOperation
    call: OperationCall

    def run(self) -> None:
        """Write a value of each member at once, and one after the other if that is refused."""
        members = [
            (member, list(self._telling(member)))
            for member in written_members(self.driver.contract, self.writer, self.reader)
            if self._is_stored(member)
        ]
        for row in zip_longest(*(tellings for _, tellings in members)):
            change = {
                member.name: (member, telling)
                for (member, _), telling in zip(members, row, strict=True)
                if telling is not None
            }
            if not self._write(change) and len(change) > 1:
                for name, one in change.items():
                    self._write({name: one})

    def _is_stored(self, member: WrittenMember) -> bool:
        """Return whether a member is stored at all; otherwise it has a finding of its own."""
        return not any(
            violation.rule == WRITTEN_IS_READ and violation.pointer == member.place
            for violation in self.driver.target.record.violations
        )

    def _telling(self, member: WrittenMember) -> Iterator[_Telling]:
        """Yield the values that the member may have."""
        document, requests = self.driver.contract.document, self.driver.contract.strict_requests
        for schema in alternatives(document, resolve(document.data, member.place)):
            for telling in _of_schema(schema):
                if not any(requests.problems(member.place, telling.value)):
                    yield telling

    def _write(self, change: Mapping[str, tuple[WrittenMember, _Telling]]) -> bool:
        """Write values, and judge those that are read; return whether they were accepted."""
        values = {name: telling.value for name, (_, telling) in change.items()}
        result = object_after(self.driver, self.call, self.reader, values)
        if result is None:
            return False
        shown, exchanges = result
        if self.reader is self.writer:
            # A server may return the body of the request, and store something else.
            read = reader_of_created(self.driver, self.routes, self.call, exchanges[-1])
            exchange = None if read is None else self.driver.send(read)
            response = exchange.response if exchange is not None else None
            body = response.json_or_none if response is not None else None
            if exchange is not None and isinstance(body, dict):
                shown, exchanges = {**shown, **body}, (*exchanges, exchange)
        for name, (member, telling) in change.items():
            if name in shown and not is_masked(shown[name]):
                self._judge(member, telling, shown[name], exchanges)
        return True

    def _judge(
        self,
        member: WrittenMember,
        telling: _Telling,
        shown: JsonValue,
        exchanges: Sequence[Exchange],
    ) -> None:
        self.driver.target.record.check(telling.rule, member.place)
        if not telling.is_kept(telling.value, shown):
            message = f"'{member.name}' loses {telling.what}"
            cause = f"{telling.what} of a written value is lost"
            rule, place, values = telling.rule, member.place, values_of(telling.what)
            self.driver.violate(
                rule, self.writer, message, *exchanges, at=place, cause=cause, values=values
            )


def _of_schema(schema: JsonObject) -> Iterator[_Telling]:
    kind, format_ = schema.get("type"), schema.get("format")
    if "const" in schema:
        return
    if "enum" in schema:
        for value in sequence(schema["enum"]):
            yield _exact(value, "the case of a listed value", _is_equal_or_another)
    elif kind == "string" and format_ == "date-time":
        yield from (_exact(value, "the instant", _is_moment) for value in _OFFSETS)
    elif kind == "string":
        # An amount fits texts with a pattern or a format for it; of others, it is any text.
        is_amount = format_ == "decimal" or ("pattern" in schema and format_ is None)
        amounts = _AMOUNTS if is_amount else ()
        yield from (_exact(value, "a part of the amount", _is_amount) for value in amounts)
        yield from _TEXTS if format_ is None else ()
    elif kind == "number":
        yield from (_exact(float(value), "a part of the amount", _is_amount) for value in _AMOUNTS)
    elif kind == "integer":
        yield from (_exact(value, "digits", _is_equal) for value in _LARGE)

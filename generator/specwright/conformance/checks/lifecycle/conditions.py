"""Conditional requests: tags of versions, and updates of outdated ones (RFC 9110, 13)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from specwright.conformance.checks.lifecycle.readers import reader_of, reading
from specwright.conformance.checks.lifecycle.written_members import WrittenMember, written_members
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import ContractOperation
from specwright.conformance.driver.driver import Driver
from specwright.conformance.recording.exchange import Exchange
from specwright.findings import Level
from specwright.json_values import JsonValue

ETAG_CHANGES = BehaviourRule(
    "etag-changes",
    BehaviourCategory.STATE,
    "Another version of a resource has another ETag (RFC 9110, 8.8.3).",
    example='GET /items/7 -> ETag: "1", PATCH /items/7 -> 200, GET /items/7 -> ETag: "1"',
    advice="Derive the tag from the content or from a version that each change increments.",
)
OUTDATED_IS_REFUSED = BehaviourRule(
    "outdated-is-refused",
    BehaviourCategory.STATE,
    "A change is refused with 412 if its If-Match names another version (RFC 9110, 13.1.1).",
    example='PATCH /items/7 with If-Match: "1", which is now "2" -> 200',
    advice="Compare the tag in the transaction that makes the change, and respond with 412.",
    weight=7,
)
CURRENT_IS_ACCEPTED = BehaviourRule(
    "current-is-accepted",
    BehaviourCategory.STATE,
    "A change is not refused if its If-Match names the current version (RFC 9110, 13.1.1).",
    example='GET /items/7 -> ETag: "2", then PATCH /items/7 with If-Match: "2" -> 412',
    advice="Compare If-Match with the tag that GET returns, with its quotes.",
)
NOT_MODIFIED = BehaviourRule(
    "not-modified",
    BehaviourCategory.STATE,
    "A resource that has not changed is answered with 304 (RFC 9110, 13.1.2).",
    example='GET /items/7 with If-None-Match: "1", which is still "1" -> 200 and the whole item',
    advice="Compare If-None-Match with the tag before the content is sent.",
    level=Level.INFO,
)
DECLARED_NOT_MODIFIED = BehaviourRule(
    "declared-not-modified",
    BehaviourCategory.STATE,
    "A resource that has not changed is answered with 304 where the document declares that status "
    "(RFC 9110, 13.1.2).",
    example='GET /items/7 with If-None-Match: "1", which is still "1" -> 200, and 304 is declared',
    advice="Compare If-None-Match with the tag that GET returns, or do not declare 304.",
    level=Level.WARNING,
)
CONDITION_IS_REQUIRED = BehaviourRule(
    "condition-is-required",
    BehaviourCategory.STATE,
    "A change without If-Match is refused where the operation has that parameter and declares 428 "
    "(RFC 6585, 3).",
    example="PUT /items/7 without If-Match -> 200, and 428 is declared",
    advice="Refuse a change that does not say which version it is of, or do not declare 428.",
    level=Level.WARNING,
)

_FAILED = 412


@scenario(after="round trip")
def conditions(driver: Driver) -> None:
    """Change resources that have an ETag, with and without conditions."""
    for writer in driver.contract.operations.values():
        reader = reader_of(driver.contract, writer)
        success = driver.successes.get(writer.pointer)
        if writer.method not in ("PUT", "PATCH") or reader is writer or success is None:
            continue
        members = written_members(driver.contract, writer, reader)
        member = next((member for member in members if member.values), None)
        if member is not None and isinstance(success[0].body, dict):
            _Trial(driver, writer, reader, success[0], member).run()
            # Later calls must not use the values tried here.
            driver.successes[writer.pointer] = success


@dataclass(frozen=True, slots=True)
class _Trial:
    driver: Driver
    writer: ContractOperation
    reader: ContractOperation
    call: OperationCall
    member: WrittenMember

    def run(self) -> None:
        """Read a version, change it, and change it once more with the tag of the first."""
        begun = self._write(self.member.values[0])
        if not begun.succeeded:
            return
        self._without_condition(begun)
        first = self._read()
        tag = _tag(first)
        if tag is None:
            return
        self._unchanged(tag, first)
        changed = self._write(self.member.values[1])
        second = self._read()
        if not changed.succeeded or _body(first) == _body(second) or _tag(second) is None:
            return
        self._check(ETAG_CHANGES)
        if _tag(second) == tag:
            self._violate(ETAG_CHANGES, "the ETag is the same after a change", first, second)
            return
        # Weak tags never match here (RFC 9110, 8.8.3.2).
        if not tag.startswith("W/"):
            self._conditions(tag, second)

    def _without_condition(self, changed: Exchange) -> None:
        """Judge a change that was made, by whether it had to name a version."""
        keys = {(place, name.lower()) for place, name in (slot.key for slot in self.writer.slots)}
        if "428" not in self.writer.responses or ("header", "if-match") not in keys:
            return
        self._check(CONDITION_IS_REQUIRED)
        if changed.request.header("if-match") is None:
            message = "a change without If-Match is made, and 428 is declared"
            self._violate(CONDITION_IS_REQUIRED, message, changed)

    def _unchanged(self, tag: str, first: Exchange) -> None:
        call = replace(self._reading(), conditions=(("If-None-Match", tag),))
        again = self.driver.probe(call)
        if again.response is None or _tag(again) not in (tag, None):
            return
        # Clients of a document that has the status rely on it.
        rule = DECLARED_NOT_MODIFIED if "304" in self.reader.responses else NOT_MODIFIED
        self._check(rule)
        if again.succeeded and _body(again) == _body(first):
            message = "what has not changed is sent again, in spite of If-None-Match"
            self._violate(rule, message, first, again)

    def _conditions(self, outdated: str, second: Exchange) -> None:
        third = self._write(self.member.values[0], outdated)
        self._check(OUTDATED_IS_REFUSED)
        if third.succeeded:
            message = "a change with the If-Match of an earlier version is made"
            self._violate(OUTDATED_IS_REFUSED, message, second, third)
            return
        current = self._read()
        tag = _tag(current)
        if tag is not None and third.response is not None and third.response.status == _FAILED:
            fourth = self._write(self.member.values[0], tag)
            self._check(CURRENT_IS_ACCEPTED)
            if fourth.response is not None and fourth.response.status == _FAILED:
                message = "a change with the If-Match of the current version is refused"
                self._violate(CURRENT_IS_ACCEPTED, message, current, fourth)

    def _write(self, value: JsonValue, tag: str | None = None) -> Exchange:
        call = self.driver.with_fresh_key(self.call)
        assert isinstance(call.body, dict), "a member of it was written"
        conditions = () if tag is None else (("If-Match", tag),)
        body = {**call.body, self.member.name: value}
        return self.driver.probe(replace(call, body=body, conditions=conditions))

    def _reading(self) -> OperationCall:
        return reading(self.driver, self.call, self.reader)

    def _read(self) -> Exchange:
        return self.driver.probe(self._reading())

    def _check(self, rule: str) -> None:
        self.driver.target.record.check(rule, self.writer.pointer)

    def _violate(self, rule: str, message: str, *exchanges: Exchange) -> None:
        self.driver.violate(rule, self.writer, message, *exchanges)


def _tag(exchange: Exchange) -> str | None:
    """Return the ETag of a response; None without a response or a tag."""
    return None if exchange.response is None else exchange.response.header("etag")


def _body(exchange: Exchange) -> JsonValue:
    return None if exchange.response is None else exchange.response.json_or_none

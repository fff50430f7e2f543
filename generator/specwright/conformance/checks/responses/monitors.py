"""Rules for all exchanges, regardless of their source."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from specwright.conformance.checks.lists.pages import of_list
from specwright.conformance.checks.responses.statuses import REDIRECT, UNDECLARED_STATUS, undeclared
from specwright.conformance.checks.responses.unicode_loss import letters
from specwright.conformance.checks.responses.write_only import WRITE_ONLY, WriteOnly
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.verdicts import (
    judge_any_response,
    judge_error_code,
    judge_shape,
    judge_status,
)
from specwright.conformance.contract.contract import Contract, Operation
from specwright.conformance.driver.roles import LIVE_MODE, OTHER_TENANT, STRANGERS
from specwright.conformance.recording.exchange import (
    FUZZING,
    Exchange,
    JsonValue,
    Response,
    readings,
    seconds_of,
    value_at,
)
from specwright.conformance.recording.record import Record, Violation
from specwright.document.operations import sites
from specwright.document.operations.sites import Site
from specwright.pointer import Pointer, join
from specwright.report.redaction import REDACTED
from specwright.vocabulary.keywords.error import ERROR
from specwright.vocabulary.keywords.order import ORDER, OrderContract, SortDirection
from specwright.vocabulary.keywords.pagination import PAGINATION
from specwright.vocabulary.keywords.rate_limit import RATE_LIMIT, RATE_LIMITS
from specwright.vocabulary.keywords.sort import SORT

UNDECLARED_MEDIA_TYPE = BehaviourRule(
    "undeclared-media-type",
    BehaviourCategory.SHAPE,
    "A body is of a media type that the response declares.",
    example=(
        "GET /items/7 -> 404 with Content-Type: text/html, and the response has application/json"
    ),
    advice=(
        "Send the declared media type, also for errors of the framework, or add this one to "
        "`content` of the response."
    ),
    judge=judge_shape,
)
RESPONSE_SCHEMA = BehaviourRule(
    "response-schema",
    BehaviourCategory.SHAPE,
    "The body of a response fits its schema.",
    example='GET /items/7 -> 200 {"id": 7, "price": "1.50"}, and `price` is a number',
    advice=(
        "Fix the code that writes the member, or the schema if clients rely on the current "
        "value. Remove an optional member from `required`; add null to `type` of a nullable one."
    ),
    weight=9,
    judge=judge_shape,
)
RESPONSE_HEADER = BehaviourRule(
    "response-header",
    BehaviourCategory.SHAPE,
    "A required response header is present, and fits its schema.",
    example="POST /items -> 201 without Location, which the response declares as required",
    advice="Send the header with each response of that status, or declare it without `required`.",
    weight=3,
    judge=judge_shape,
)
ERROR_CODE = BehaviourRule(
    "error-code",
    BehaviourCategory.SHAPE,
    (
        "An error has the shared error body, with a code that the contract lists and the status "
        "and type that belong to it."
    ),
    example='GET /items/7 -> 404 {"detail": "Not Found"}, and errors have the member `code`',
    advice=(
        "Give errors of the framework (no route, no such method, a body that cannot be read) the "
        "shared body as well, with a code that the document lists for the status."
    ),
    weight=2,
    judge=judge_error_code,
)
REQUEST_ID = BehaviourRule(
    "request-id",
    BehaviourCategory.SHAPE,
    "Every response has a request id of its own, and an error repeats it.",
    example="two responses with the same Request-Id, or one without it",
    advice=(
        "Generate an id for each request in the outermost layer, so that errors have one as well."
    ),
    judge=judge_shape,
)
RESPONSE_TIME = BehaviourRule(
    "response-time",
    BehaviourCategory.LIMITS,
    "A response is complete within the time in `--max-response-time`.",
    example="GET /items?limit=100 -> 200 after 2.4 s, with --max-response-time 1",
    advice=(
        "Look at the slowest responses in the traffic of the report. The usual fixes are an "
        "index, a smaller page, or work that is done after the response."
    ),
)
SHOWN_ONCE = BehaviourRule(
    "shown-once",
    BehaviourCategory.STATE,
    "A value that is shown once does not appear in any other response.",
    example="POST /keys -> 201 with a secret, then GET /keys/7 with the same secret",
    advice="Return the secret when it is created and never again; store only its digest.",
    weight=16,
    judge=judge_shape,
)
SERVER_ERROR = BehaviourRule(
    "server-error",
    BehaviourCategory.ROBUSTNESS,
    "No request makes the server fail.",
    example="POST /items with a single emoji as the name -> 500",
    advice=(
        "Look for the traceback in the log of the server at the time of the request. Any request "
        "must either succeed or be refused with 4xx."
    ),
    weight=18,
    judge=judge_status,
)
NO_ANSWER = BehaviourRule(
    "no-answer",
    BehaviourCategory.ROBUSTNESS,
    "Every request gets a response in time.",
    example="GET /report -> the connection is closed without a response",
    advice=(
        "Check whether the process crashed, was restarted or waits without a limit; set timeouts "
        "on its own requests."
    ),
    weight=17,
    judge=judge_any_response,
)
RATE_LIMIT_HEADERS = BehaviourRule(
    "rate-limit-headers",
    BehaviourCategory.LIMITS,
    "The headers for the rate limit are present and correct.",
    example="429 without Retry-After, or a number of remaining requests that does not fall",
    advice="Write the headers from the counter that decides, with each response.",
    judge=judge_shape,
)
ITEM_ORDER = BehaviourRule(
    "order",
    BehaviourCategory.LISTS,
    "Items are in the declared order.",
    example="GET /invoices shows the oldest first, and the newest first is declared",
    advice=(
        "Sort in the query, with the id as the last key, so that equal values keep their order."
    ),
)

# Headers that a response object does not describe (OpenAPI 3.1.1, 4.8.17).
_NOT_DESCRIBED = frozenset({"content-type"})
_POLICY = re.compile(r'"(?P<name>[^"]*)";q=(?P<quota>\d+);w=(?P<window>\d+)')
STATE = re.compile(r'"(?P<name>[^"]*)";r=(?P<left>\d+);t=(?P<reset>\d+)')
# Roles that any operation may refuse, by status.
_FOREIGN = {401: STRANGERS, 403: (*STRANGERS, OTHER_TENANT, LIVE_MODE)}
# The maximum number of problems reported per exchange.
_PROBLEMS = 3


@dataclass(frozen=True, slots=True)
class _Answer:
    """A response with its declaration in the document."""

    exchange: Exchange
    operation: Operation
    response: Response
    declared: Site

    def violation(self, rule: str, pointer: Pointer, message: str) -> Violation:
        return Violation(rule, pointer, message, (self.exchange,), operation=self.operation.name)


@dataclass(slots=True)
class Monitors:
    """The rules, with their state during a run.

    Attributes:
        max_seconds: the maximum time for a response; None for no limit.
    """

    contract: Contract
    record: Record
    max_seconds: float | None = None
    _request_ids: dict[str, Exchange] = field(default_factory=dict)
    _secrets: dict[str, Exchange] = field(default_factory=dict)
    _silent: set[str] = field(default_factory=set)
    _write_only: WriteOnly = field(init=False)

    def __post_init__(self) -> None:
        """Read which members are only for requests."""
        self._write_only = WriteOnly(self.contract.document)

    def __call__(self, exchange: Exchange) -> list[Violation]:
        """Return the violations in an exchange."""
        operation = self.contract.operations.get(exchange.operation or "")
        if exchange.response is None:
            return list(self._no_answer(exchange, operation))
        self._silent.discard(exchange.source)
        found = list(self._of_any(exchange, exchange.response))
        if operation is not None and exchange.request.method == operation.method:
            found += self._response_time(exchange, operation)
            found += self._of_operation(exchange, operation, exchange.response)
            found += of_list(self.contract, self.record, operation, exchange)
            found += letters(operation, exchange)
        return found

    def _no_answer(self, exchange: Exchange, operation: Operation | None) -> Iterator[Violation]:
        """Yield a violation for a missing response, unless the server had crashed before."""
        # The fuzzer does not report whether a request was received.
        is_dead = exchange.source == FUZZING and exchange.source in self._silent
        self._silent.add(exchange.source)
        if operation is not None and not is_dead and not exchange.is_unconnected:
            message = f"no response ({exchange.failure})"
            place, rule = operation.pointer, NO_ANSWER
            yield Violation(rule, place, message, (exchange,), "no response", operation.name)

    def _of_any(self, exchange: Exchange, response: Response) -> Iterator[Violation]:
        """Yield violations of the rules that also apply to requests that match no operation."""
        at = exchange.operation or ""
        if response.status >= 500 and not self._is_declared_failure(response):
            message, name = f"answered {response.status}", self._who(exchange)
            # The same for all paths that match no operation.
            cause = message
            yield Violation(SERVER_ERROR, at, message, (exchange,), cause, name)
        yield from self._request_id(exchange, response)
        yield from self._shown_once(exchange, response)

    def _of_operation(
        self, exchange: Exchange, operation: Operation, response: Response
    ) -> Iterator[Violation]:
        self.record.check(UNDECLARED_STATUS, operation.pointer)
        self.record.check(REDIRECT, operation.pointer)
        declared = operation.response(response.status)
        if declared is None:
            # The fuzzer writes slashes into variables, which make another path; and failures are
            # reported elsewhere.
            is_astray = exchange.source == FUZZING and operation.template.names
            is_nowhere = is_astray and response.status in (404, 405)
            failed = response.status >= 500 and not self._is_declared_failure(response)
            if not (is_nowhere or failed):
                is_foreign = exchange.role in _FOREIGN.get(response.status, ())
                yield undeclared(operation, exchange, response, is_foreign=is_foreign)
            return
        answer = _Answer(exchange, operation, response, declared)
        for rule in (self._body, self._headers, self._error, self._order, self._rate_headers):
            yield from rule(answer)

    def _response_time(self, exchange: Exchange, operation: Operation) -> Iterator[Violation]:
        if self.max_seconds is None:
            return
        self.record.check(RESPONSE_TIME, operation.pointer)
        if exchange.seconds > self.max_seconds:
            message = f"the response took more than {self.max_seconds:g} s"
            place, proofs, name = operation.pointer, (exchange,), operation.name
            yield Violation(RESPONSE_TIME, place, message, proofs, operation=name)

    def _who(self, exchange: Exchange) -> str:
        operation = self.contract.operations.get(exchange.operation or "")
        request = exchange.request
        asked = f"{request.method} {urlsplit(request.url).path}"
        return asked if operation is None else operation.name

    def _is_declared_failure(self, response: Response) -> bool:
        """Return whether the contract lists the code of a 5xx, other than for internal errors."""
        code = self._code(response)
        errors = self.contract.errors
        if code is None or errors is None:
            return False
        listed = {each.raw: value for each, value in errors.codes.items()}.get(code)
        return (
            listed is not None
            and listed.status == response.status
            and str(listed.condition or "") != "internal_error"
        )

    def _code(self, response: Response) -> str | None:
        errors = self.contract.errors
        found = response.at(errors.code.raw) if errors is not None else None
        return found if isinstance(found, str) else None

    def _body(self, answer: _Answer) -> Iterator[Violation]:
        document, response = self.contract.document, answer.response
        contents = dict(sites.contents(document, answer.declared))
        place = answer.declared.pointer
        if not contents or answer.exchange.request.method == "HEAD" or response.status == 204:
            return
        self.record.check(UNDECLARED_MEDIA_TYPE, place)
        given = sites.essence(response.header("content-type") or "")
        fitting = [each for name, each in contents.items() if sites.fits(given, name)]
        if not fitting:
            shown = f"with Content-Type {given}" if given else "without a Content-Type"
            said = f"{response.status} {shown} (declared: {', '.join(contents)})"
            yield answer.violation(UNDECLARED_MEDIA_TYPE, place, said)
            return
        if not sites.is_json(given) or "schema" not in fitting[0].value:
            return
        schema = fitting[0] / "schema"
        self.record.check(RESPONSE_SCHEMA, schema)
        try:
            value = response.json
        except (ValueError, RecursionError):
            yield answer.violation(RESPONSE_SCHEMA, schema, "the body is not JSON")
            return
        problems = (
            problem
            for problem in self.contract.answers.problems(schema, value)
            # A value that was redacted from a recording is not a violation.
            if value_at(value, problem.pointer) != REDACTED
        )
        for problem in itertools.islice(problems, _PROBLEMS):
            said = f"{response.status}: {problem.message} at '{_general(problem.pointer)}'"
            yield answer.violation(RESPONSE_SCHEMA, schema, said)
        yield from self._only_written(answer, schema, value)

    def _only_written(
        self, answer: _Answer, schema: Pointer, value: JsonValue
    ) -> Iterator[Violation]:
        if not self._write_only.may_have(schema):
            return
        self.record.check(WRITE_ONLY, schema)
        # All items of a list have the same members.
        found = {
            _general(at): place
            for at, place in self._write_only.members(schema, value)
            if value_at(value, at) != REDACTED
        }
        for at, place in itertools.islice(found.items(), _PROBLEMS):
            said = f"{answer.response.status}: a member that is only for requests at '{at}'"
            yield answer.violation(WRITE_ONLY, place, said)

    def _headers(self, answer: _Answer) -> Iterator[Violation]:
        for name, header in sites.members(self.contract.document, answer.declared, "headers"):
            if name.lower() in _NOT_DESCRIBED:
                continue
            self.record.check(RESPONSE_HEADER, header.pointer)
            given = answer.response.header(name)
            if given is None:
                if header.value.get("required") is True:
                    yield answer.violation(RESPONSE_HEADER, header.pointer, f"no {name}")
            elif "schema" in header.value:
                values = readings(given)
                schema = header / "schema"
                if all(any(self.contract.instances.problems(schema, value)) for value in values):
                    yield answer.violation(
                        RESPONSE_HEADER,
                        header.pointer,
                        f"the value of {name} is invalid",
                    )

    def _error(self, answer: _Answer) -> Iterator[Violation]:
        errors, response = self.contract.errors, answer.response
        if errors is None or response.status < 400:
            return
        place = join(ERROR.name, "codes")
        self.record.check(ERROR_CODE, answer.operation.pointer)
        code = self._code(response)
        codes = {each.raw: value for each, value in errors.codes.items()}
        if code is None or code not in codes:
            said = "no error code" if code is None else "an error code that is not listed"
            yield answer.violation(ERROR_CODE, place, f"{response.status} with {said}")
            return
        listed = codes[code]
        if listed.status != response.status:
            yield answer.violation(
                ERROR_CODE,
                place,
                f"'{code}' with status {response.status}, not {listed.status}",
            )
        if errors.type is not None and response.at(errors.type.raw) != listed.type.raw:
            yield answer.violation(ERROR_CODE, place, f"'{code}' with a different type")
        if not response.at(errors.message.raw):
            yield answer.violation(ERROR_CODE, place, f"'{code}' without a human-readable message")

    def _request_id(self, exchange: Exchange, response: Response) -> Iterator[Violation]:
        errors = self.contract.errors
        if errors is None or errors.request_id_header is None:
            return
        name, place = errors.request_id_header.raw, join(ERROR.name, "request_id_header")
        self.record.check(REQUEST_ID, place)
        given = response.header(name)
        who = self._who(exchange)
        if given is None:
            yield Violation(REQUEST_ID, place, f"no {name}", (exchange,), operation=who)
            return
        first = self._request_ids.setdefault(given, exchange)
        if first is not exchange:
            message = f"another response had the same {name}"
            yield Violation(REQUEST_ID, place, message, (first, exchange), operation=who)
        if errors.request_id is not None and response.status >= 400:
            repeated = response.at(errors.request_id.raw)
            if repeated is not None and repeated != given:
                message = f"the id in the body differs from {name}"
                yield Violation(REQUEST_ID, place, message, (exchange,), operation=who)

    def _shown_once(self, exchange: Exchange, response: Response) -> Iterator[Violation]:
        text = response.body.decode("utf-8", "replace")
        for value, first in self._secrets.items():
            if value in text:
                message = f"{self._who(exchange)} repeats a value that may be shown only once"
                place = first.operation or ""
                yield Violation(SHOWN_ONCE, place, message, (first, exchange))
        for value in self.contract.secrets(exchange.operation, response):
            self.record.check(SHOWN_ONCE, exchange.operation or "")
            if value != REDACTED:
                self._secrets.setdefault(value, exchange)

    def _order(self, answer: _Answer) -> Iterator[Violation]:
        place, order = _order_of(answer)
        page = answer.operation.get(PAGINATION)
        if order is None or page is None or not answer.response.is_success:
            return
        items = answer.response.at(page.items.raw)
        if not isinstance(items, list):
            return
        values = [sort_key(value_at(item, order.by.raw)) for item in items]
        if len(values) > 1:
            self.record.check(ITEM_ORDER, place)
        pairs = itertools.pairwise(values)
        down = order.direction is SortDirection.DESCENDING
        if any(one < other if down else one > other for one, other in pairs):
            yield answer.violation(
                ITEM_ORDER, place, f"not {order.direction.value} by {order.by.raw}"
            )

    def _rate_headers(self, answer: _Answer) -> Iterator[Violation]:
        limits, declared = self.contract.rate_limits, answer.operation.get(RATE_LIMIT)
        if limits is None or declared is None or answer.response.status == 401:
            return
        place = join(RATE_LIMITS.name, "headers")
        for header, form in ((limits.headers.policy, _POLICY), (limits.headers.state, STATE)):
            if header is None or not answer.exchange.role:
                continue
            self.record.check(RATE_LIMIT_HEADERS, place)
            given = answer.response.header(header.raw)
            found = form.search(given or "")
            if found is None or found["name"] != declared.class_.raw:
                yield answer.violation(
                    RATE_LIMIT_HEADERS, place, f"{header.raw} does not describe the limit"
                )
        if answer.response.status == 429 and limits.headers.retry is not None:
            after = answer.response.header(limits.headers.retry.raw) or ""
            window = {key.raw: each for key, each in limits.classes.items()}[
                declared.class_.raw
            ].window_seconds
            if not after.isdecimal() or not 0 < int(after) <= window:
                yield answer.violation(
                    RATE_LIMIT_HEADERS,
                    place,
                    f"{limits.headers.retry.raw} is not between 1 and {window} seconds",
                )


def _general(pointer: Pointer) -> str:
    """Return a place in a value, with `*` for the number of an item."""
    return re.sub(r"/\d+(?=/|$)", "/*", pointer)


def _order_of(answer: _Answer) -> tuple[Pointer, OrderContract | None]:
    """Return the pointer and the value of the requested order, else of the default one."""
    query = parse_qs(urlsplit(answer.exchange.request.url).query)
    for slot in answer.operation.slots:
        chosen = query.get(slot.written.wire) if slot.sort is not None else None
        if slot.sort is not None and chosen:
            orders = {name.raw: order for name, order in slot.sort.orders.items()}
            return slot.site.pointer + join(SORT.name), orders.get(chosen[-1])
    usual: OrderContract | None = answer.operation.get(ORDER)
    return answer.operation.pointer + join(ORDER.name), usual


def sort_key(value: JsonValue) -> Any:
    """Return a value for comparison: timestamps as points in time, numbers as numbers."""
    seconds = seconds_of(value)
    if seconds is not None:
        return seconds
    return value if value is not None else ""

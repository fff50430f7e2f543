"""Bodies of responses, with their media types and schemas."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Sequence

from specwright.conformance.checks.responses.checked_response import CheckedResponse, ResponseCheck
from specwright.conformance.checks.responses.whole_numbers import with_decimal_point
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.verdicts import judge_shape
from specwright.conformance.contract.contract import Contract
from specwright.conformance.contract.value_parts import any_item
from specwright.conformance.contract.xml_bodies import XmlBodies
from specwright.conformance.recording.exchange import value_at
from specwright.conformance.recording.record import Violation
from specwright.document.operations import sites
from specwright.document.operations.sites import Site
from specwright.document.schemas.applicators import Subschema
from specwright.document.schemas.event_schemas import EventSchema, fields_of_event
from specwright.findings import Level, values_of
from specwright.json_values import JsonValue
from specwright.pointer import Pointer
from specwright.report.redaction import REDACTED
from specwright.runtime.shared import rule_ids
from specwright.runtime.shared.media.event_stream import END_OF_EVENTS, ServerSentEvent
from specwright.runtime.shared.media.table import stream_medium_of
from specwright.samples.bodies import items
from specwright.samples.server_sent_events import event_object

# The most characters of a schema in a report.
_LONGEST = 1_500


def _schema_text(contract: Contract, schema: Pointer) -> str:
    """Return a schema as JSON, shortened."""
    written = json.dumps(
        contract.document.follow({"$ref": f"#{schema}"}), indent=2, ensure_ascii=False
    )
    return written[:_LONGEST] + ("\n…" if len(written) > _LONGEST else "")


UNDECLARED_MEDIA_TYPE = BehaviourRule(
    rule_ids.UNDECLARED_MEDIA_TYPE,
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
    rule_ids.RESPONSE_SCHEMA,
    BehaviourCategory.SHAPE,
    "The body of a response fits its schema.",
    example='GET /items/7 -> 200 {"id": 7, "price": "1.50"}, and `price` is a number',
    advice=(
        "Fix the code that writes the member, or the schema if clients rely on the current "
        "value. Remove an optional member from `required`; add null to `type` of a nullable one."
    ),
    weight=9,
    judge=judge_shape,
    expected=_schema_text,
)
AMBIGUOUS = BehaviourRule(
    "ambiguous-value",
    BehaviourCategory.SHAPE,
    (
        "A value fits one alternative of a `oneOf`. Where it fits several, it is invalid by JSON "
        "Schema (2020-12, core, 10.2.1.3), also if a discriminator names one of them (OAS 3.1.1, "
        "4.8.25); clients that read the tag alone understand it."
    ),
    example=(
        'GET /pets/7 -> 200 {"kind": "Cat"}, and the schemas of cats and dogs both allow any kind'
    ),
    advice=(
        "The cause is in the document: give the tag a `const` in each alternative, require what "
        "tells them apart, or write `anyOf`."
    ),
    level=Level.WARNING,
    judge=judge_shape,
)
WRITE_ONLY = BehaviourRule(
    "write-only",
    BehaviourCategory.SHAPE,
    "A member that is only for requests (`writeOnly`), such as a password, is not in a response.",
    example='GET /users/7 -> 200 {"id": 7, "password": "…"}, and `password` is writeOnly',
    advice="Leave the member out of responses, or remove `writeOnly` if clients may read it.",
    weight=15,
    judge=judge_shape,
)
# Numbers that may be beyond 32 bits.
_LARGE = re.compile(r"[0-9]{10,}|[0-9.]+e[+]?[0-9]+")
# The most problems to report for each body.
_PROBLEMS = 3


@ResponseCheck
def body_fits(checked: CheckedResponse) -> Iterator[Violation]:
    """Yield violations in the media type and the value of a body."""
    response, declared = checked.response, checked.declared
    if declared is None or checked.exchange.request.method == "HEAD" or response.status == 204:
        return
    contents = dict(sites.contents(checked.contract.document, declared))
    if not contents:
        return
    place = declared.pointer
    checked.record.check(UNDECLARED_MEDIA_TYPE, place)
    media_type = sites.essence(response.header("content-type") or "")
    matching = [content for name, content in contents.items() if sites.fits(media_type, name)]
    if not matching:
        header = f"with Content-Type {media_type}" if media_type else "without a Content-Type"
        message = f"{response.status} {header} (declared: {', '.join(contents)})"
        values = values_of(media_type)
        yield checked.violation(UNDECLARED_MEDIA_TYPE, place, message, values=values)
        return
    content = matching[0]
    if stream_medium_of(media_type) is not None:
        yield from _items(checked, media_type, content)
        return
    root = checked.contract.xml_bodies.root(media_type, content)
    if not (sites.is_json(media_type) or root) or "schema" not in content.value:
        return
    schema = content / "schema"
    checked.record.check(RESPONSE_SCHEMA, schema)
    checked.record.check(AMBIGUOUS, schema)
    try:
        if root is None:
            value = response.json
        else:
            body = XmlBodies.read(root, response.body, response.header("content-type") or "")
            value = body.value
            if body.fault:
                yield checked.violation(RESPONSE_SCHEMA, schema, f"{response.status}: {body.fault}")
    except (ValueError, RecursionError) as error:
        wrong = "the body is not JSON" if root is None else f"the body is not plain XML: {error}"
        yield checked.violation(RESPONSE_SCHEMA, schema, wrong)
        return
    yield from _invalid(checked, schema, value)
    yield from _write_only(checked, schema, value)
    yield from with_decimal_point(checked, schema, value)


def _items(checked: CheckedResponse, media_type: str, content: Site) -> Iterator[Violation]:
    """Yield violations in the complete items of a stream, of which the first part was received."""
    document = checked.contract.document
    kinds = sites.events(document, media_type, content)
    schema = sites.item_schema(document, content)
    if schema is None or not (kinds or sites.value_schema(document, media_type, content)):
        return
    checked.record.check(RESPONSE_SCHEMA, schema.pointer)
    checked.record.check(AMBIGUOUS, schema.pointer)
    try:
        for item in items(media_type, checked.response.body, are_events=bool(kinds)):
            if isinstance(item, ServerSentEvent):
                yield from _event(checked, schema, kinds, item)
            else:
                yield from _invalid(checked, schema.pointer, item)
                yield from _write_only(checked, schema.pointer, item)
    except (ValueError, RecursionError):
        yield _not_json(checked, schema.pointer)


def _event(
    checked: CheckedResponse,
    schema: Subschema,
    kinds: Sequence[EventSchema],
    event: ServerSentEvent,
) -> Iterator[Violation]:
    """Yield violations in the data of an event, or else in the event."""
    named = [kind for kind in kinds if kind.has_name(event.event)]
    if named and all(kind.is_json for kind in named) and event.data == END_OF_EVENTS:
        return
    wrong: list[Violation] = []
    is_bare = False
    for kind in named:
        wrong, is_bare = [*_data(checked, schema.pointer, kind, event.data)], kind.is_bare
        if not wrong:
            break
    yield from wrong
    if not wrong:
        fields = fields_of_event(checked.contract.document, schema)
        yield from _invalid(checked, schema.pointer, event_object(event, fields, is_bare=is_bare))


def _data(
    checked: CheckedResponse, schema: Pointer, kind: EventSchema, data: str
) -> Iterator[Violation]:
    """Yield violations in the JSON in the data of an event; none if it is a text."""
    if not kind.is_json:
        return
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        yield _not_json(checked, schema)
        return
    if kind.json_schema is not None:
        yield from _invalid(checked, kind.json_schema.pointer, value)
        yield from _write_only(checked, kind.json_schema.pointer, value)


def _not_json(checked: CheckedResponse, schema: Pointer) -> Violation:
    message = f"{checked.response.status}: an item is not JSON"
    return checked.violation(RESPONSE_SCHEMA, schema, message)


def _invalid(checked: CheckedResponse, schema: Pointer, value: JsonValue) -> Iterator[Violation]:
    contract = checked.contract
    problems = [*contract.responses.problems(schema, value)]
    if problems and _has_sent_number(checked, value):
        problems = [*contract.responses_of_any_number.problems(schema, value)]
    if all(problem.is_ambiguous for problem in problems):
        problems += contract.tagged_values.problems(schema, value)
    # A value that was redacted from a recording is not a violation.
    kept = (problem for problem in problems if value_at(value, problem.pointer) != REDACTED)
    for problem in itertools.islice(kept, _PROBLEMS):
        message = f"{problem.message} at '{any_item(problem.pointer)}'"
        message = f"{checked.response.status}: {message}"
        values = values_of(any_item(problem.pointer), problem.keyword, problem.missing)
        rule = AMBIGUOUS if problem.is_ambiguous else RESPONSE_SCHEMA
        yield checked.violation(rule, schema, message, values=values)


def _has_sent_number(checked: CheckedResponse, value: JsonValue) -> bool:
    """Return whether a body has a large number of a request, which the server may have stored.

    A server need not enforce the format of a number that it accepts.
    """
    numbers = {text.encode() for text in _LARGE.findall(json.dumps(value))}
    sent = [*checked.record.exchanges, checked.exchange]
    return any(
        number in (exchange.request.body or b"") or number in exchange.request.url.encode()
        for number in numbers
        for exchange in sent
    )


def _write_only(checked: CheckedResponse, schema: Pointer, value: JsonValue) -> Iterator[Violation]:
    members = checked.contract.write_only
    if not members.may_be_in(schema):
        return
    checked.record.check(WRITE_ONLY, schema)
    # All items of a list have the same members.
    places = {
        any_item(at): place
        for at, place in members.of(schema, value)
        if value_at(value, at) != REDACTED
    }
    for at, place in itertools.islice(places.items(), _PROBLEMS):
        message = f"{checked.response.status}: a member that is only for requests at '{at}'"
        yield checked.violation(WRITE_ONLY, place, message)

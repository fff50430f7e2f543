"""Declarations in sentences for callers of an API and for receivers of its webhooks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from specwright.json_values import JsonObject, JsonValue, mapping, sequence
from specwright.text import code_span
from specwright.vocabulary.keyword import Keyword
from specwright.vocabulary.keywords.body_limit import BODY_LIMIT
from specwright.vocabulary.keywords.capacity import CAPACITY
from specwright.vocabulary.keywords.charge import CHARGE
from specwright.vocabulary.keywords.delivery import DELIVERY
from specwright.vocabulary.keywords.filter import FILTER
from specwright.vocabulary.keywords.final import FINAL
from specwright.vocabulary.keywords.idempotency import IDEMPOTENCY
from specwright.vocabulary.keywords.order import ORDER
from specwright.vocabulary.keywords.pagination import PAGINATION
from specwright.vocabulary.keywords.rate_limit import RATE_LIMIT, RATE_LIMITS
from specwright.vocabulary.keywords.requires_one_of import REQUIRES_ONE_OF
from specwright.vocabulary.keywords.signature import SIGNATURE
from specwright.vocabulary.keywords.sort import SORT
from specwright.vocabulary.keywords.transition import TRANSITION

_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))
_MATCHES = {
    "equals": "equals the value, or has it as a member",
    "contains": "contains the value",
    "starts_with": "begins with the value",
    "at_least": "is at least the value",
    "more_than": "is more than the value",
    "at_most": "is at most the value",
    "less_than": "is less than the value",
}
_IGNORED = "_ignore_case"


def sentences(
    keyword: Keyword[object], value: JsonValue, top: Mapping[str, JsonValue]
) -> str | None:
    """Return a declaration in sentences of Markdown; None if its description has to do.

    Args:
        top: the document, which has the classes that declarations name.
    """
    write = _WRITERS.get(keyword)
    return None if write is None else " ".join(write(mapping(value), mapping(top)))


def _code(value: JsonValue) -> str:
    return code_span(value if isinstance(value, str) else str(value))


def _any_of(values: Iterable[JsonValue], word: str = "or") -> str:
    *others, last = map(_code, values)
    return f"{', '.join(others)} {word} {last}" if others else last


def _time(value: JsonValue) -> str:
    """Return a number of seconds in its largest whole unit."""
    seconds = value if isinstance(value, int) else 0
    size, unit = next((size, unit) for size, unit in _UNITS if seconds % size == 0 or size == 1)
    count = seconds // size
    return f"{count} {unit}" if count == 1 else f"{count} {unit}s"


def _error(value: JsonValue) -> str:
    error = mapping(value)
    code, header = error.get("code"), error.get("header")
    named = f"{error['status']} {_code(code)}" if code else f"{error['status']}"
    return f"{named} with the header {_code(header)}" if header else named


def _body_limit(value: JsonObject, top: JsonObject) -> Iterator[str]:
    yield f"A request body has at most {value['max_bytes']:,} bytes."


def _capacity(value: JsonObject, top: JsonObject) -> Iterator[str]:
    yield f"At most {value['limit']} may exist at once for each {_code(value['scope'])};"
    yield f"one more is refused with {_error(value)}."
    if value.get("release"):
        yield f"{_code(value['release'])} makes room."


def _charge(value: JsonObject, top: JsonObject) -> Iterator[str]:
    yield "Only a success is charged:"
    yield f"it takes the amount at {_code(value['amount'])} of the response from the balance that"
    yield f"{_code(value['balance'])} returns."


def _delivery(value: JsonObject, top: JsonObject) -> Iterator[str]:
    pauses = sequence(value["retry_after_seconds"])
    yield f"A response with {_code(value['success'])} within {_time(value['timeout_seconds'])}"
    yield "acknowledges a delivery."
    if pauses:
        yield f"A failed one is repeated after {', '.join(map(_time, pauses))}:"
        yield f"it is given up after {len(pauses) + 1} attempts."
    else:
        yield "A failed one is not repeated."
    yield f"{_code(value['event_id_header'])} has the id of the event, which is the same in each"
    yield f"attempt, and {_code(value['event_type_header'])} its type."


def _filter(value: JsonObject, top: JsonObject) -> Iterator[str]:
    match = str(value["match"])
    words = _MATCHES[match.removesuffix(_IGNORED)]
    case = ", in lower or upper case" if match.endswith(_IGNORED) else ""
    yield f"keeps items where {_code(value['property'])} {words}{case}"


def _final(value: JsonObject, top: JsonObject) -> Iterator[str]:
    yield f"{_code(value['at'])} changes until it is {_any_of(sequence(value['states']))}."
    yield f"While waiting, ask at most once in {_time(value['interval_seconds'])}."


def _idempotency(value: JsonObject, top: JsonObject) -> Iterator[str]:
    replay = mapping(value["replay"])
    place = (
        f"header {_code(value['header'])}"
        if value.get("header")
        else f"value at {_code(value['key'])} of the body"
    )
    yield f"Safe to repeat: requests with the same {place} have one effect."
    marked = f", marked by the header {_code(replay['header'])}" if replay.get("header") else ""
    value_ = f" with the value {_code(replay['value'])}" if replay.get("value") else ""
    yield f"A repetition gets the first response again, a {replay['status']}{marked}{value_}."
    yield f"The value belongs to one {_any_of(sequence(value['scope']), 'and')}."
    if value.get("in_progress"):
        yield "While the first request is in progress, the response is"
        yield f"{_error(value['in_progress'])}."
    if value.get("changed"):
        yield f"Another request with the same value is refused with {_error(value['changed'])}."


def _order(value: JsonObject, top: JsonObject) -> Iterator[str]:
    yield f"Items are in {value['direction']} order of {_code(value['by'])}."


def _pagination(value: JsonObject, top: JsonObject) -> Iterator[str]:
    items = (
        f"Items are at {_code(value['items'])} of the response"
        if value["items"]
        else "Items are the response"
    )
    yield f"{items}, a page at a time."
    if value.get("cursor"):
        yield f"{_code(value['cursor'])} takes {_code(value['next'])} of the page before."
    elif value.get("next_url"):
        yield f"{_code(value['next_url'])} has the URL of the next page."
    elif value.get("link"):
        yield "The header `Link` has the URL of the next page, with the relation `next`."
    elif value.get("page"):
        first = value.get("first_page", 1)
        yield f"{_code(value['page'])} is the number of the page, from {first}."
    elif value.get("offset"):
        yield f"{_code(value['offset'])} is the number of items to skip."
    else:
        yield "There is one page."
    if value.get("limit"):
        yield f"{_code(value['limit'])} is the number of items of a page."
    if value.get("resume"):
        yield "The last cursor remains: with it, a later request gets the items added since."
    if value.get("interval_seconds"):
        yield f"While waiting for them, ask at most once in {_time(value['interval_seconds'])}."
    if value.get("expired"):
        yield f"A cursor that is too old is refused with {_code(value['expired'])}."


def _rate_limit(value: JsonObject, top: JsonObject) -> Iterator[str]:
    limits = mapping(top[RATE_LIMITS.name])
    declared = mapping(mapping(limits["classes"])[str(value["class"])])
    window = _time(declared["window_seconds"]).removeprefix("1 ")
    yield f"At most {declared['limit']:,} requests in any {window}"
    yield f"for each {_code(declared['scope'])}, together with the other operations of the class"
    yield f"{_code(value['class'])}."
    if retry := mapping(limits.get("headers")).get("retry"):
        yield f"Once they are used up, {_code(retry)} has the seconds to wait."


def _requires_one_of(value: JsonObject, top: JsonObject) -> Iterator[str]:
    yield f"At least one of {_any_of(sequence(value['parameters']))} is required; without any,"
    yield f"the error is {_code(value['code'])}."


def _signature(value: JsonObject, top: JsonObject) -> Iterator[str]:
    yield f"{_code(value['header'])} signs a delivery, as {_code(value['template'])}:"
    yield f"the digest is the {value['encoding']} form of {value['algorithm']} over"
    yield f"{_code(value['payload'])}. Refuse it if the timestamp differs from your clock by more"
    yield f"than {_time(value['tolerance_seconds'])}."


def _sort(value: JsonObject, top: JsonObject) -> Iterator[str]:
    yield "; ".join(
        f"{_code(name)}: {mapping(order)['direction']} by {_code(mapping(order)['by'])}"
        for name, order in mapping(value["orders"]).items()
    )


def _transition(value: JsonObject, top: JsonObject) -> Iterator[str]:
    yield f"Allowed only while {_code(value['at'])} of {_code(value['read'])} is"
    yield f"{_any_of(mapping(value['moves']))}."
    moves = [
        f"from {_code(before)} to {_code(after)}"
        for before, after in mapping(value["moves"]).items()
        if after is not None
    ]
    if moves:
        yield f"A success changes it {', '.join(moves)}."


_Write = Callable[[JsonObject, JsonObject], Iterable[str]]
_WRITERS: Mapping[Keyword[object], _Write] = {
    BODY_LIMIT: _body_limit,
    CAPACITY: _capacity,
    CHARGE: _charge,
    DELIVERY: _delivery,
    FILTER: _filter,
    FINAL: _final,
    IDEMPOTENCY: _idempotency,
    ORDER: _order,
    PAGINATION: _pagination,
    RATE_LIMIT: _rate_limit,
    REQUIRES_ONE_OF: _requires_one_of,
    SIGNATURE: _signature,
    SORT: _sort,
    TRANSITION: _transition,
}

"""The options of calls, and their validation; the default of arguments that may be null."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypedDict, cast, final

from pydantic import JsonValue

from .errors import InvalidArgumentError
from .traffic_report import TrafficReport
from .transport.base import Headers, Timeout
from .wire.headers import is_header_name, is_header_value, merged

MAX_RESPONSE_BYTES = 64 * 1024 * 1024
# The client sets these itself, from the base URL and the body.
_KEPT = frozenset({"host", "content-length", "transfer-encoding"})
# Options that are headers.
_CONDITIONS = frozenset({"if_match", "if_none_match"})


@final
class Omit:
    """The type of `OMIT`, which omits an argument from a request."""

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "OMIT"


# The default of arguments that may be omitted or null; for them, None means null.
OMIT = Omit()


def given(
    members: Mapping[str, object], *, nullable: Collection[str] = ()
) -> Mapping[str, object] | Omit:
    """Return the members of a body that are not left out, or `OMIT` if there are none.

    Args:
        nullable: those for which None is null.
    """
    present = {
        name: value
        for name, value in members.items()
        if value is not OMIT and (value is not None or name in nullable)
    }
    return present or OMIT


class ClientOptions(TypedDict, total=False):
    """The options that `with_options` changes; omitted ones stay the same.

    Attributes:
        timeout: seconds for each step of an attempt, one number or a `Timeout`; None for no limit.
        max_retries: attempts after the first, for operations that are safe to repeat.
        deadline: seconds for a call including all attempts and pauses; None for no limit.
        headers: sent with every request, in addition to the client's headers of other names.
        check_responses: if False, a response that breaks the contract is returned as far as it
            fits its type; members that do not fit are JSON values, and missing ones are None.
        traffic_report: records where responses differ from the document; None for no records.
    """

    timeout: float | Timeout | None
    max_retries: int
    deadline: float | None
    headers: Mapping[str, str]
    check_responses: bool
    traffic_report: TrafficReport | None


class RequestOptions(TypedDict, total=False):
    """The options of one call; omitted ones are those of the client.

    Attributes:
        timeout: seconds for each step of an attempt, one number or a `Timeout`; None for no limit.
        max_retries: attempts after the first, if the operation is safe to repeat.
        deadline: seconds for the call including all attempts and pauses; None for no limit.
        extra_headers: added to the client's headers, replacing those of the same name.
        extra_query: query parameters, replacing those of the same name.
        extra_body: members of the JSON body, replacing those of the same name; not validated.
        if_match: the call applies only to the resource with this `ETag`, or with any for `*`; else
            it raises a `PreconditionFailedError`.
        if_none_match: the call applies only to a resource without this `ETag`; a read of one that
            has it raises a `NotModifiedError`.
    """

    timeout: float | Timeout | None
    max_retries: int
    deadline: float | None
    extra_headers: Mapping[str, str]
    extra_query: Mapping[str, JsonValue]
    extra_body: Mapping[str, JsonValue]
    if_match: str
    if_none_match: str


@dataclass(frozen=True, slots=True)
class CallOptions:
    """The options of a call.

    Attributes:
        timeout: seconds for each step of one attempt.
        max_retries: attempts after the first, for operations that are safe to repeat.
        deadline: seconds for a call including all attempts and pauses; None for no limit.
        headers: sent with the request.
        query: sent with the request, replacing parameters of the same name.
        body: members of the JSON body, replacing those of the same name.
        content_type: the media type of the request body; None for the default.
        accept: the requested media type of the response; None for the defaults.
        stream: whether the response body is left to be streamed.
        check_responses: whether a response that breaks the contract is an error.
        traffic_report: records where responses differ from the document.
    """

    timeout: Timeout = field(default_factory=Timeout)
    max_retries: int = 2
    deadline: float | None = None
    headers: Headers = field(default_factory=Headers, repr=False)
    query: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue], repr=False)
    body: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue], repr=False)
    content_type: str | None = None
    accept: str | None = None
    stream: bool = False
    check_responses: bool = True
    traffic_report: TrafficReport | None = None

    def changed(self, options: ClientOptions | RequestOptions | None) -> CallOptions:
        """Return these options with some changed.

        Raises:
            InvalidArgumentError: an option is unknown or has an invalid value.
        """
        if not options:
            return self
        changes: dict[str, Any] = {}
        conditions = Headers()
        for name, value in _mapping("request_options", options).items():
            if name not in _READERS:
                raise InvalidArgumentError(f"{name} is not an option; the options are {_NAMES}")
            read = _READERS[name](name, value)
            if name in _CONDITIONS:
                conditions.append((name.replace("_", "-"), cast("str", read)))
            else:
                changes[name.removeprefix("extra_")] = read
        headers = merged(changes.pop("headers", []), conditions)
        return replace(self, **changes, headers=merged(self.headers, headers))

    def within(self, seconds: float) -> CallOptions:
        """Return these options with a deadline of at most `seconds`."""
        deadline = seconds if self.deadline is None else min(seconds, self.deadline)
        return replace(self, deadline=deadline)


def positive_integer(name: str, value: Any) -> int:
    """Return a value such as a number of bytes.

    Raises:
        InvalidArgumentError: the value is not an integer above 0.
    """
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return value
    raise InvalidArgumentError(f"{name} must be an integer above 0")


def _seconds(name: str, value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < math.inf:
        return value
    raise InvalidArgumentError(f"{name} must be a number of seconds above 0, or None for no limit")


def _timeout(name: str, value: Any) -> Timeout:
    if not isinstance(value, Timeout):
        return Timeout(*[_seconds(name, value)] * 4)
    for step in fields(value):
        _seconds(f"{name}.{step.name}", getattr(value, step.name))
    return value


def _retries(name: str, value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise InvalidArgumentError(f"{name} must be an integer of at least 0")


def _flag(name: str, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise InvalidArgumentError(f"{name} must be True or False")


def _traffic_report(name: str, value: Any) -> TrafficReport | None:
    if value is None or isinstance(value, TrafficReport):
        return value
    raise InvalidArgumentError(f"{name} must be a TrafficReport, or None for no records")


def _headers(option: str, value: Any) -> Headers:
    headers = list(_mapping(option, value).items())
    for name, text in headers:
        if not isinstance(name, str) or not is_header_name(name):
            raise InvalidArgumentError(f"{option}: a header has an invalid name")
        if name.lower() in _KEPT:
            raise InvalidArgumentError(f"{option}: the client sets the header {name} itself")
        if not isinstance(text, str) or not is_header_value(text):
            raise InvalidArgumentError(f"{option}: the header {name} has an invalid value")
    return headers


def _entity_tag(name: str, value: Any) -> str:
    if isinstance(value, str) and value and is_header_value(value):
        return value
    raise InvalidArgumentError(f"{name} must be the ETag of a response, or *")


def _mapping(option: str, value: Any) -> Mapping[Any, Any]:
    if not isinstance(value, Mapping):
        raise InvalidArgumentError(f"{option} must be a mapping")
    # Cast to an object first: type checkers disagree on mappings of unknown types.
    return cast("Mapping[Any, Any]", cast("object", value))


_READERS = {
    "timeout": _timeout,
    "max_retries": _retries,
    "deadline": _seconds,
    "headers": _headers,
    "check_responses": _flag,
    "traffic_report": _traffic_report,
    "extra_headers": _headers,
    "extra_query": _mapping,
    "extra_body": _mapping,
    "if_match": _entity_tag,
    "if_none_match": _entity_tag,
}
_NAMES = ", ".join(_READERS)

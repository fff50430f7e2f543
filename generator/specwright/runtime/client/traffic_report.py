"""Where responses differ from the document: a bounded report without their values."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from threading import Lock
from typing import Any, NamedTuple, cast

from pydantic import ValidationError
from pydantic_core import PydanticKnownError

from ..shared import rule_ids
from ..shared.codec import MAX_LISTED, Codecs, shortened
from ..shared.free_json import parsed
from ..shared.media.table import essence, medium_of
from ..shared.operation import Content, Operation
from .transport.base import Response
from .wire.contents import declaring, has_body

# The version of the format of reports.
_VERSION = 1
# The methods with a field of their own in a path item (OpenAPI 3.2, 4.9).
_FIELDS = frozenset({"GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE", "QUERY"})
_MAX_RECORDS = 1000
# The texts of a message that are the document's; others are about the value.
_DECLARED = frozenset(
    {"class_name", "discriminator", "expected", "expected_tags", "field_type", "pattern"}
)
# Undeclared members with other names may be keys of a map, such as ids or addresses.
_NAME = re.compile(r"[A-Za-z_$][A-Za-z_$-]{0,39}[0-9]{0,3}")
_ANY = "*"
_ABSENT = object()

_Location = tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class RecordedDifference:
    """One kind of difference in one place of the responses to an operation.

    Attributes:
        operation: such as `GET /orders/{order_id}`.
        rule: an id that `specwright rules` explains.
        pointer: the place in the document as a JSON pointer (RFC 6901).
        message: the difference in words, without values of responses.
        values: what identifies it beside its place, as JSON texts.
        count: the number of responses that have it.
        first, last: when the first and the last one arrived, in seconds since 1970.
    """

    operation: str
    rule: str
    pointer: str
    message: str
    values: tuple[str, ...] = ()
    count: int = 0
    first: float = 0.0
    last: float = 0.0

    @property
    def level(self) -> str:
        """Its level: `error`, or `info` for refusals that documents often leave out."""
        return "info" if self.rule == rule_ids.UNDECLARED_REFUSAL else "error"

    @property
    def key(self) -> tuple[str, ...]:
        """Its identity among the differences of all responses."""
        return (self.rule, self.operation, self.pointer, *self.values)


class TrafficReport:
    """A report of where responses differ from the document, for the option `traffic_report`.

    It has a record for each operation, place and kind of difference. Values of responses are not
    kept; the names of undeclared members are, if they look like names. Clients and threads may
    share a report.

    Args:
        document: the file of the document, as the report is to name it.
        max_records: the most records; differences beyond them are only counted.
    """

    def __init__(self, document: str = "openapi.json", *, max_records: int = _MAX_RECORDS) -> None:
        self._document = document
        self._max_records = max_records
        self._lock = Lock()
        self._records: dict[tuple[str, ...], RecordedDifference] = {}
        self._responses = self._left_out = 0
        self.clock: Callable[[], float] = time.time

    @property
    def differences(self) -> tuple[RecordedDifference, ...]:
        """The records, in the order in which they were made."""
        with self._lock:
            return tuple(self._records.values())

    def add(self, operation: Operation[object], response: Response, codecs: Codecs) -> None:
        """Compare a response with the document; of a stream, only status and media type."""
        # Requests that no method covers have no place in the document.
        if not operation.handler:
            return
        differences = _differences(operation, response, codecs)
        unique = {difference.key: difference for difference in differences}
        with self._lock:
            self._responses += 1
            for key, difference in unique.items():
                self._count(key, difference)

    def as_json(self) -> str:
        """Return the report in the format of `specwright check-traffic --format json`.

        Findings have `count`, `first` and `last` in addition. Their line is the first one, as the
        package does not know the lines of the document.
        """
        with self._lock:
            differences = tuple(self._records.values())
            facts = {"Responses": self._responses, "Differences left out": self._left_out}
        levels = [difference.level for difference in differences]
        report = {
            "version": _VERSION,
            # The version of the toolkit is in the lock file alone.
            "tool": {"name": "specwright", "version": ""},
            "document": self._document,
            "summary": {
                "errors": levels.count("error"),
                "warnings": 0,
                "infos": levels.count("info"),
                "waived": 0,
            },
            "findings": [_finding(difference, self._document) for difference in differences],
            "waived": [],
            "facts": [{"label": label, "value": f"{n:,}"} for label, n in facts.items()],
        }
        return json.dumps(report, indent=2) + "\n"

    def _count(self, key: tuple[str, ...], difference: RecordedDifference) -> None:
        now, known = self.clock(), self._records.get(key)
        if known is not None:
            self._records[key] = replace(known, count=known.count + 1, last=now)
        elif len(self._records) < self._max_records:
            self._records[key] = replace(difference, count=1, first=now, last=now)
        else:
            self._left_out += 1


def _finding(difference: RecordedDifference, document: str) -> dict[str, object]:
    return {
        "fingerprint": sha256("\n".join(difference.key).encode()).hexdigest()[:16],
        "rule": difference.rule,
        "level": difference.level,
        "file": document,
        "line": 1,
        "column": 1,
        "pointer": difference.pointer,
        "message": difference.message,
        "operations": [difference.operation],
        "count": difference.count,
        "first": _written(difference.first),
        "last": _written(difference.last),
    }


def _written(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def _differences(
    operation: Operation[object], response: Response, codecs: Codecs
) -> Iterator[RecordedDifference]:
    # Nothing is promised without `responses` (OpenAPI 3.1.1, 4.8.10).
    if not operation.responses:
        return
    status = response.status
    patterns = (str(status), f"{status // 100}XX", "default")
    declared = next((pattern for pattern in patterns if pattern in operation.responses), None)
    if declared is None:
        yield _undeclared(operation, status)
        return
    contents = operation.responses[declared]
    if not contents or not has_body(operation, status):
        return
    place = _pointer(operation, "responses", declared)
    name = f"{operation.method} {operation.path}"
    header = response.header("content-type") or ""
    came, content = essence(header), next(declaring(contents, header), None)
    if content is None:
        type_ = f"with Content-Type {_media_type(came)}" if came else "without a Content-Type"
        media_types = ", ".join(content.media_type for content in contents)
        message = f"{status} {type_} (declared: {media_types})"
        values = (json.dumps(_media_type(came)),)
        yield RecordedDifference(name, rule_ids.UNDECLARED_MEDIA_TYPE, place, message, values)
    elif response.chunks is None:
        for at, kind, words in _mismatches(content, came, response.content, codecs):
            message = f"{status}: {words} at '{at}'"
            identity = (json.dumps(at), json.dumps(kind))
            yield RecordedDifference(name, rule_ids.RESPONSE_SCHEMA, place, message, identity)


def _undeclared(operation: Operation[object], status: int) -> RecordedDifference:
    """Return the difference of a status that is not declared, by the rule for its kind."""
    name, place = f"{operation.method} {operation.path}", _pointer(operation, "responses")
    values = (json.dumps(status),)
    if status >= 500:
        return RecordedDifference(name, rule_ids.SERVER_ERROR, place, f"answered {status}", values)
    message = f"status {status} is not declared (declared: {', '.join(operation.responses)})"
    if status in (404, 410) and "{" in operation.path:
        return RecordedDifference(name, rule_ids.UNDECLARED_REFUSAL, place, message, values)
    return RecordedDifference(name, rule_ids.UNDECLARED_STATUS, place, message, values)


def _pointer(operation: Operation[object], *below: str) -> str:
    """Return a place in an operation as a JSON pointer."""
    method = operation.method
    field = (method.lower(),) if method in _FIELDS else ("additionalOperations", method)
    return _joined(("paths", operation.path, *field, *below))


def _joined(tokens: Sequence[str]) -> str:
    escaped = (token.replace("~", "~0").replace("/", "~1") for token in tokens)
    return "".join(f"/{token}" for token in escaped)


def _media_type(came: str) -> str:
    # A header may contain anything.
    return came if re.fullmatch(r"[\w.+-]{1,60}/[\w.+-]{1,60}", came, re.ASCII) else "(invalid)"


def _mismatches(
    content: Content, came: str, data: bytes, codecs: Codecs
) -> Iterator[tuple[str, str, str]]:
    """Yield the places in a body that do not fit its schema, with the kind and its words."""
    medium = medium_of(came)
    if content.model is None or not (medium.is_json or content.xml is not None):
        return
    try:
        data = medium.to_json(content, data, came)
        codecs[content.model].decode(data)
        return
    except ValidationError as error:
        if error.error_count() > MAX_LISTED:
            yield "", "many", "many parts of the body do not fit"
            return
        problems = cast(
            "list[dict[str, Any]]", error.errors(include_url=False, include_input=False)
        )
    except (ValueError, RecursionError):
        yield "", "unreadable", "the body does not match its media type"
        return
    value: object = None
    with suppress(ValueError):
        value = parsed(data)
    located = [_located(problem, value, codecs.member_names) for problem in problems]
    # A value that fits none of several alternatives has the problems of all.
    labels: dict[_Location, set[object]] = {}
    for _, forks in located:
        for fork in forks:
            labels.setdefault(fork.location, set()).add(fork.label)
    for problem, (place, forks) in zip(problems, located, strict=True):
        union = next((fork for fork in forks if len(labels[fork.location]) > 1), None)
        if union is not None:
            yield union.place, "union", "Input should fit one of the alternatives"
        else:
            yield place, problem["type"], _words(problem)


class _Fork(NamedTuple):
    """A step to an alternative of a union.

    Attributes:
        location: the steps before it.
        place: the place of the value.
    """

    location: _Location
    place: str
    label: object


def _located(
    problem: dict[str, Any], value: object, names: frozenset[str]
) -> tuple[str, list[_Fork]]:
    """Return the place of a problem as a JSON pointer, and the alternatives on the way to it.

    Keys of maps and the numbers of items are `*`.
    """
    place: list[str] = []
    forks: list[_Fork] = []
    location, kind = problem["loc"], problem["type"]
    for index, step in enumerate(location):
        is_last = index == len(location) - 1
        inner = _member(value, step)
        following = None if is_last else location[index + 1]
        # The tag of an alternative may be the name of a member, too.
        is_tag = following is not None and not _has(inner, following) and _has(value, following)
        if inner is not _ABSENT and not is_tag:
            value = inner
            is_undeclared = is_last and kind == "extra_forbidden" and _NAME.fullmatch(str(step))
            place.append(str(step) if step in names or is_undeclared else _ANY)
        elif is_last and kind == "missing":
            place.append(str(step) if step in names else _ANY)
        else:
            forks.append(_Fork(location[:index], shortened(_joined(place)), step))
    return shortened(_joined(place)), forks


def _has(value: object, step: int | str) -> bool:
    return _member(value, step) is not _ABSENT


def _member(value: object, step: int | str) -> object:
    """Return the member or the item at a step into a value."""
    if isinstance(value, dict):
        return cast("dict[object, object]", value).get(step, _ABSENT)
    if isinstance(value, list) and isinstance(step, int):
        return next(iter(cast("list[object]", value)[step:]), _ABSENT)
    return _ABSENT


def _words(problem: dict[str, Any]) -> str:
    """Return the message of a problem, without the parts that are about the value."""
    context: dict[str, Any] = problem.get("ctx", {})
    about_value = {
        name for name, part in context.items() if isinstance(part, str) and name not in _DECLARED
    }
    if not about_value:
        return cast("str", problem["msg"])
    try:
        hidden = {**context, **dict.fromkeys(about_value, "…")}
        return PydanticKnownError(problem["type"], hidden).message()
    except (KeyError, TypeError):
        return "Input should be valid"

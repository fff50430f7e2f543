"""Errors of a server: exceptions for handlers, and bodies in the shape of the contract."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, NamedTuple

from pydantic import ValidationError

from ..shared.codec import MAX_LISTED, Codecs, shortened
from ..shared.operation import ErrorCode, ErrorShape, Operation
from .declared_errors import ErrorContent, declared_body, status_of

MAX_DETAILS = 20

# Conditions that a server detects itself, with their status if the contract has no code.
_STATUS = {
    **dict.fromkeys(("invalid_json", "missing_field", "unknown_field", "invalid_value"), 400),
    **dict.fromkeys(("out_of_range", "invalid_length", "invalid_cursor"), 400),
    "missing_credentials": 401,
    "invalid_credentials": 401,
    "route_not_found": 404,
    "method_not_allowed": 405,
    "idempotency_in_progress": 409,
    "body_too_large": 413,
    "unsupported_media_type": 415,
    "idempotency_changed": 422,
    "rate_limited": 429,
    "internal_error": 500,
    "not_implemented": 501,
    "unavailable": 503,
}
_CONDITIONS = {
    "missing": "missing_field",
    "union_tag_not_found": "missing_field",
    "extra_forbidden": "unknown_field",
    "json_invalid": "invalid_json",
    **dict.fromkeys(
        ("greater_than", "greater_than_equal", "less_than", "less_than_equal", "finite_number"),
        "out_of_range",
    ),
    **dict.fromkeys(
        ("string_too_short", "string_too_long", "too_short", "too_long"), "invalid_length"
    ),
}


class Problem(Exception):  # noqa: N818 (an error of the contract, not of the program)
    """Ends a request with an error of the contract.

    `code` is one of the contract's codes, or the name of a condition (`invalid_cursor`), which is
    replaced by the contract's code for it. Status and type follow from the code.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        param: str | None = None,
        status: int | None = None,
        details: Sequence[Mapping[str, object]] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.param = param
        self.status = status
        self.details = details
        self.headers = dict(headers or {})


class Unimplemented(Problem):
    """The operation has no implementation yet."""

    def __init__(self) -> None:
        super().__init__("not_implemented", "This operation is not implemented.")


@dataclass(frozen=True, slots=True)
class Fault:
    """One error in a request; `code` is as in `Problem`."""

    code: str
    param: str
    message: str


def faults(error: ValidationError, root: str, value: object) -> list[Fault]:
    """Convert Pydantic's errors about `value` to faults with paths that start with `root`."""
    if error.error_count() > MAX_LISTED:
        return [Fault("invalid_value", root, f"{error.error_count()} parts of it are invalid")]
    unique: dict[tuple[str, str], Fault] = {}
    for detail in error.errors(include_url=False, include_context=False, include_input=False):
        condition = _CONDITIONS.get(detail["type"], "invalid_value")
        param = shortened(".".join(filter(None, (root, *_path(detail["loc"], value)))))
        unique.setdefault((param, condition), Fault(condition, param, detail["msg"]))
    return list(unique.values())


def _path(location: tuple[int | str, ...], value: Any) -> list[str]:
    # Pydantic also names the branches of unions; only steps into the value are kept.
    path: list[str] = []
    for step in location:
        is_object, is_list = isinstance(value, dict), isinstance(value, list)
        if is_object and (step in value or step == location[-1] != "[key]"):
            value = value.get(step)
        elif is_list and isinstance(step, int):
            value = value[step] if step < len(value) else None
        else:
            continue
        path.append(str(step))
    return path


class ServerResponse(NamedTuple):
    """An outgoing response."""

    status: int
    body: bytes | AsyncIterator[bytes]
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ErrorWriter:
    """Writes errors in the contract's shape, or else as declared, or else by RFC 9457."""

    shape: ErrorShape
    codecs: Codecs | None = None
    _is_declared: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_is_declared", bool(self.shape.code))
        if not self._is_declared:
            object.__setattr__(self, "shape", _PROBLEM_DETAILS)

    def meaning(self, problem: Problem) -> tuple[str, ErrorCode]:
        """Return the contract's code for a problem, and the meaning of that code.

        Raises:
            LookupError: the contract does not declare the code, and the problem has no status.
        """
        shape, code = self.shape, problem.code
        if code not in shape.codes:
            code = shape.conditions.get(code, code)
        meaning = shape.codes.get(code)
        status = problem.status or (meaning.status if meaning else _STATUS.get(code))
        if status is None:
            raise LookupError(f"{code!r} is not an error code of the contract")
        return code, ErrorCode(status, meaning.type if meaning else self._type_of(status))

    def invalid(self, faults: Sequence[Fault]) -> Problem:
        """Return one problem for all errors in a request."""
        first, *others = faults
        more = f" (and {len(others)} more)" if others else ""
        return Problem(
            first.code,
            f"{first.param}: {first.message}{more}" if first.param else first.message + more,
            param=first.param or None,
            details=[
                {
                    "param": fault.param or None,
                    "code": self.shape.conditions.get(fault.code, fault.code),
                    "message": fault.message,
                }
                for fault in faults[:MAX_DETAILS]
            ],
        )

    def response(
        self, problem: Problem, request_id: str, operation: Operation[Any] | None = None
    ) -> ServerResponse:
        """Return the error response of an operation, or of a request that matches none."""
        code, meaning = self.meaning(problem)
        status = meaning.status
        if not self._is_declared and problem.status is None:
            status = status_of(operation, status)
        if not self._is_declared and operation is not None and self.codecs is not None:
            error = ErrorContent(code, problem.message, problem.details)
            declared = declared_body(operation, self.codecs, status, error)
            if declared is not None:
                return ServerResponse(
                    status, declared[1], {"content-type": declared[0], **problem.headers}
                )
        body: dict[str, Any] = {}
        if not self._is_declared:
            body = {"status": status, "title": _title(status)}
        for path, value in (
            (self.shape.type, meaning.type),
            (self.shape.code, code),
            (self.shape.message, problem.message),
            (self.shape.param, problem.param),
            (self.shape.request_id, request_id),
            (self.shape.details, list(problem.details) or None),
        ):
            if path and value is not None:
                target = body
                for name in path[:-1]:
                    target = target.setdefault(name, {})
                target[path[-1]] = value
        media_type = "application/json" if self._is_declared else "application/problem+json"
        data = json.dumps(body, separators=(",", ":")).encode()
        return ServerResponse(status, data, {"content-type": media_type, **problem.headers})

    def _type_of(self, status: int) -> str:
        known = self.shape.codes.values()
        same = [problem.type for problem in known if problem.status == status]
        alike = [problem.type for problem in known if problem.status // 100 == status // 100]
        return next(iter(same + alike), "about:blank")


def _title(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Error"


_PROBLEM_DETAILS = ErrorShape(
    code=("code",),
    message=("detail",),
    type=("type",),
    param=("param",),
    request_id=("request_id",),
    details=("errors",),
)

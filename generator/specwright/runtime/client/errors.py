"""What can go wrong with a call, as exceptions that share one base."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from email.utils import parsedate_to_datetime
from time import time
from typing import Any

from ..shared.operation import ErrorShape, at
from .transport import Response


class ApiError(Exception):
    """Base of all errors of this package."""


class InvalidArgumentError(ApiError, ValueError):
    """An argument breaks the contract; nothing was sent."""


class ClientStateError(ApiError, RuntimeError):
    """The client is closed, or its `http_client` is another process's or event loop's."""


class ApiConnectionError(ApiError):
    """No answer came: the connection could not be made, or broke."""


class ApiTimeoutError(ApiConnectionError):
    """No answer came in time."""


class InvalidResponseError(ApiError):
    """An answer came that breaks the contract.

    Attributes:
        response: the answer.
    """

    def __init__(self, message: str, response: Response) -> None:
        super().__init__(message)
        self.response = response


class PaginationError(ApiError):
    """A list cannot be read on: it gave no cursor, or one twice, which would never end."""


class WaitTimeoutError(ApiError, TimeoutError):
    """What was waited for did not come to a final state in time.

    Attributes:
        value: what the last answer said; None when none came.
    """

    def __init__(self, operation_id: str, timeout: float, value: Any) -> None:
        super().__init__(f"{operation_id}: not final after {timeout:g} s")
        self.value = value


class ApiStatusError(ApiError):
    """The answer's status is not a success.

    Attributes:
        status: HTTP status code.
        code: what went wrong, for programs; None when the body did not say.
        type: group of the code.
        message: what went wrong, for people.
        param: the argument at fault, such as `end_user.label`.
        request_id: how the service calls this request.
        retry_after: seconds to wait before another attempt, if the service said so.
        details: all problems of a request with several.
        response: the answer.
    """

    def __init__(self, response: Response, shape: ErrorShape) -> None:
        try:
            body = json.loads(response.content)
        except (ValueError, RecursionError):
            body = None
        self.response = response
        self.status = response.status
        self.code = _text(at(body, shape.code)) if shape.code else None
        self.type = _text(at(body, shape.type)) if shape.type else None
        self.param = _text(at(body, shape.param)) if shape.param else None
        message = _text(at(body, shape.message)) if shape.message else None
        self.message = message or f"the answer has the status {response.status}"
        request_id = _text(at(body, shape.request_id)) if shape.request_id else None
        if request_id is None and shape.request_id_header is not None:
            request_id = response.header(shape.request_id_header)
        self.request_id = request_id
        self.retry_after = retry_after(response)
        details = at(body, shape.details) if shape.details else None
        self.details: Sequence[Mapping[str, object]] = (
            [each for each in details if isinstance(each, dict)]
            if isinstance(details, list)
            else []
        )
        known = f"{self.status} {self.code}" if self.code else str(self.status)
        super().__init__(f"{known}: {self.message}")


class CursorExpiredError(ApiStatusError):
    """The list does not reach back to the cursor any more; start again without one."""


class BadRequestError(ApiStatusError):
    """400: the request breaks the contract."""


class AuthenticationError(ApiStatusError):
    """401: the key is missing, unknown or revoked."""


class PaymentRequiredError(ApiStatusError):
    """402: the balance does not cover the request."""


class PermissionDeniedError(ApiStatusError):
    """403: the key may not do this."""


class NotFoundError(ApiStatusError):
    """404: the resource does not exist."""


class ConflictError(ApiStatusError):
    """409: the request conflicts with the state of the resource."""


class UnprocessableContentError(ApiStatusError):
    """422: the request is well-formed and cannot be carried out."""


class RateLimitError(ApiStatusError):
    """429: too many requests."""


class ServerError(ApiStatusError):
    """5XX: the service failed."""


STATUS_ERRORS: Mapping[int, type[ApiStatusError]] = {
    400: BadRequestError,
    401: AuthenticationError,
    402: PaymentRequiredError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    422: UnprocessableContentError,
    429: RateLimitError,
}


def status_error(
    response: Response, shape: ErrorShape, expired: str | None = None
) -> ApiStatusError:
    """Make the exception for an answer that is not a success.

    Args:
        expired: the error code of a cursor that is too old.
    """
    fallback = ServerError if response.status >= 500 else ApiStatusError
    error = STATUS_ERRORS.get(response.status, fallback)(response, shape)
    is_expired = expired is not None and error.code == expired
    return CursorExpiredError(response, shape) if is_expired else error


def retry_after(response: Response) -> float | None:
    """Seconds of a `Retry-After` header in either form (RFC 9110, 10.2.3)."""
    value = response.header("retry-after")
    if value is None:
        return None
    try:
        if value.strip().isdigit():
            return float(value)
        return max(0.0, parsedate_to_datetime(value).timestamp() - time())
    except (ValueError, OverflowError):
        return None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None

"""What can go wrong with a call, as exceptions that share one base."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import time
from typing import Any
from urllib.parse import urlsplit

from pydantic import JsonValue, ValidationError

from ..shared.codec import Codecs
from ..shared.errors import PicklableError
from ..shared.operation import ErrorShape, Operation
from .error_bodies import ErrorBody
from .transport import Response

_MEDIA_TYPE = re.compile(r"[\w!#$&^.+-]+/[\w!#$&^.+-]+", re.ASCII)


class ApiError(PicklableError):
    """Base of all errors of this package."""


class InvalidArgumentError(ApiError, ValueError):
    """An argument breaks the contract; nothing was sent."""


class ClientStateError(ApiError, RuntimeError):
    """The client is closed, or its `http_client` is another process's or event loop's."""


class ApiConnectionError(ApiError):
    """No answer came: the connection could not be made, or broke."""


class ApiTimeoutError(ApiConnectionError):
    """No answer came in time."""


class ResponseTooLargeError(ApiError):
    """An answer came that has more bytes than the client takes; it was not read to its end."""


class InvalidResponseError(ApiError):
    """An answer came that breaks the contract.

    Attributes:
        response: the answer.
    """

    def __init__(self, message: str, response: Response) -> None:
        super().__init__(f"{message} ({_kind(response)})")
        self.response = response


class TokenRequestError(ApiError):
    """The service for tokens gave none (RFC 6749, 5.2).

    Attributes:
        status: HTTP status code of its answer.
        code: what went wrong, such as `invalid_client`; None when the answer did not say.
    """

    def __init__(self, status: int, code: object) -> None:
        self.status = status
        self.code = code if isinstance(code, str) and code.isprintable() else None
        said = f" {self.code}" if self.code else ""
        super().__init__(
            f"no token could be obtained: the service for tokens answered {status}{said}"
        )


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

    Where the document does not tell by `x-contract-error`, code, message and details are looked
    for where the bodies of errors usually have them.

    Attributes:
        status: HTTP status code.
        body: the body as the model that the document declares for this status; None when it
            declares none, or the body does not fit.
        code: what went wrong, for programs; None when the body did not say.
        type: group of the code.
        message: what went wrong, for people.
        param: the parameter or field at fault.
        request_id: how the service calls this request.
        retry_after: seconds to wait before another attempt, if the service said so.
        details: all faults of a request with several; one that has another form is left out.
        location: where a redirection leads, without its query; redirections are not followed.
        response: the answer.
    """

    body: Any
    code: str | None
    type: str | None
    details: Sequence[Any]

    def __init__(self, response: Response, errors: StatusErrors, model: str | None = None) -> None:
        shape, body = errors.shape, ErrorBody(_json(response), errors.shape)
        self.response = response
        self.status = response.status
        self.body = errors.body(response, model)
        self.code = body.code(response.status)
        self.type = body.text("type")
        self.param = body.text("param")
        self.location = _location(response)
        self.message = body.message() or self._without_message()
        request_id = body.text("request_id")
        if request_id is None and shape.request_id_header is not None:
            request_id = response.header(shape.request_id_header)
        self.request_id = request_id
        self.retry_after = retry_after(response)
        self.details = errors.details(body.details())
        known = f"{self.status} {self.code}" if self.code else str(self.status)
        said = f" (request {request_id})" if request_id else ""
        super().__init__(f"{known}: {self.message}{said}")

    def _without_message(self) -> str:
        leads = f" and leads to {self.location}" if self.location else ""
        return f"the answer has the status {self.status}{leads}"


@dataclass(frozen=True, slots=True)
class StatusErrors:
    """The exceptions for answers that are not successes.

    Attributes:
        shape: where the body has what an exception shows.
        classes: by status pattern (`404`, `5XX`, `default`); `expired` for an expired cursor.
        codecs: those of the bodies, and of `detail`, one fault of several; None for any JSON.
    """

    shape: ErrorShape
    classes: Mapping[str, type[ApiStatusError]]
    codecs: Codecs
    detail: str | None = None

    def body(self, response: Response, model: str | None) -> Any:
        """Return the body as a model; None where there is none, or it does not fit."""
        if model is None or model == "bytes":
            return None
        try:
            return self.codecs[model].read(response.content)
        except ValidationError:
            return None

    def details(self, faults: Sequence[JsonValue]) -> Sequence[Any]:
        """Return faults as models, without those of another form."""
        if self.detail is None:
            return faults
        codec = self.codecs[self.detail]
        found: list[Any] = []
        for fault in faults:
            with suppress(ValidationError):
                found.append(codec.read(json.dumps(fault).encode()))
        return found


def status_error(
    response: Response, errors: StatusErrors, operation: Operation[Any] | None = None
) -> ApiStatusError:
    """Make the exception for an answer that is not a success.

    Args:
        operation: what was called; without it, the body and an expired cursor are not known.
    """
    came = response.header("content-type") or ""
    model = None if operation is None else operation.model_for(response.status, came)[1]
    pagination = None if operation is None else operation.pagination
    expired = None if pagination is None else pagination.expired
    patterns = (str(response.status), f"{response.status // 100}XX", "default")
    kind = next(errors.classes[each] for each in patterns if each in errors.classes)
    error = kind(response, errors, model)
    is_expired = expired is not None and error.code == expired
    return errors.classes["expired"](response, errors, model) if is_expired else error


def retry_after(response: Response) -> float | None:
    """Seconds of a `Retry-After` header in either form (RFC 9110, 10.2.3)."""
    value = response.header("retry-after")
    if value is None:
        return None
    try:
        if value.strip().isdigit():
            return float(value)
        # Imported here: it brings 20 modules, and mostly there are seconds.
        from email.utils import parsedate_to_datetime

        return max(0.0, parsedate_to_datetime(value).timestamp() - time())
    except (ValueError, OverflowError):
        return None


def _json(response: Response) -> JsonValue:
    try:
        body: JsonValue = json.loads(response.content)
    except (ValueError, RecursionError):
        return None
    return body


def _kind(response: Response) -> str:
    """Status and media type of an answer."""
    written = _MEDIA_TYPE.match(response.header("content-type") or "")
    return f"{response.status}, {written[0]}" if written else str(response.status)


def _location(response: Response) -> str | None:
    """Host and path of a `Location` (RFC 9110, 10.2.2): user and query may hold a secret."""
    value = response.header("location")
    if value is None or response.status // 100 != 3:
        return None
    try:
        parts = urlsplit(value)
    except ValueError:
        return None
    host = parts.netloc.rpartition("@")[2]
    return "".join(each for each in host + parts.path if each.isprintable()) or None

"""The exceptions that calls raise.

    ApiError
    ├── InvalidArgumentError (also ValueError)
    ├── ClientStateError (also RuntimeError)
    ├── ApiConnectionError
    │   └── ApiTimeoutError
    ├── ResponseTooLargeError
    ├── InvalidResponseError
    ├── TokenRequestError
    ├── PaginationError
    ├── WaitTimeoutError (also TimeoutError)
    └── ApiStatusError

The package derives a class from `ApiStatusError` for each status that its document declares:

    try:
        order = client.orders.get("ord_1")
    except ApiStatusError as error:
        print(error.status, error.code, error.message)
    except ApiConnectionError:
        print("no response arrived")
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC
from time import time
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from pydantic import JsonValue, ValidationError

from ..shared.codec import Codecs, shortened
from ..shared.errors import PicklableError
from ..shared.free_json import parsed
from ..shared.media.table import medium_of
from ..shared.operation import Content, ErrorShape, Operation
from .transport.base import Response
from .wire.error_bodies import ErrorBody

# RFC 6838, 4.2.
_MEDIA_TYPE = re.compile(r"[\w!#$&^.+-]{1,127}/[\w!#$&^.+-]{1,127}", re.ASCII)
_MAX_MESSAGE = 1000
# Seconds in place of more: the limit of caches (RFC 9111, 1.2.2).
_LONGEST_RETRY_AFTER = 2.0**31


class ApiError(PicklableError):
    """Base class of all errors of this package."""


class InvalidArgumentError(ApiError, ValueError):
    """An argument breaks the contract; no request was sent."""


class ClientStateError(ApiError, RuntimeError):
    """The client is closed, or its `http_client` belongs to another process or event loop."""


class ApiConnectionError(ApiError):
    """No response arrived: the connection could not be established, or broke."""


class ApiTimeoutError(ApiConnectionError):
    """No response arrived in time."""


class ResponseTooLargeError(ApiError):
    """The response exceeds the client's size limit; it was not read completely."""


class InvalidResponseError(ApiError):
    """The response breaks the contract.

    Attributes:
        response: the response.
    """

    def __init__(self, message: str, response: Response) -> None:
        super().__init__(f"{message} ({_kind(response)})")
        self.response = response

    @property
    def value(self) -> object:
        """The body: a JSON value, else a text or bytes; None without a body, and for a stream."""
        data = self.response.content
        if not data:
            return None
        with suppress(ValueError):
            return parsed(data)
        with suppress(ValueError):
            return medium_of(self.response.header("content-type") or "").decode_raw(data)
        return data


class TokenRequestError(ApiError):
    """The token endpoint issued no token (RFC 6749, 5.2).

    Attributes:
        status: HTTP status code of its response.
        code: error code, such as `invalid_client`; None if the response has none.
    """

    def __init__(self, status: int, code: object) -> None:
        self.status = status
        is_code = isinstance(code, str) and code.isprintable() and len(code) <= 100
        self.code = code if is_code else None
        suffix = f" {self.code}" if self.code else ""
        super().__init__(
            f"no token could be obtained: the token endpoint responded with {status}{suffix}"
        )


class PaginationError(ApiError):
    """A list cannot be continued: its cursor is missing, unusable, or repeats an earlier one."""


class WaitTimeoutError(ApiError, TimeoutError):
    """The resource did not reach a final state in time.

    Attributes:
        value: the last value read; None if no response arrived.
    """

    def __init__(self, operation_id: str, timeout: float, value: Any) -> None:
        super().__init__(f"{operation_id}: not final after {timeout:g} s")
        self.value = value


class ApiStatusError(ApiError):
    """The status of the response is not a success.

    Unless the document declares their places by `x-contract-error`, code, message and details are
    looked up where error bodies commonly have them.

    Attributes:
        status: HTTP status code.
        body: the body as the model declared for this status; None if no model is declared, or the
            body does not match it.
        code: machine-readable error code; None if the body has none.
        type: group of the code.
        message: human-readable message.
        param: the invalid parameter or field.
        request_id: the service's id of this request.
        retry_after: seconds to wait before a retry, if the service specifies them.
        details: the individual errors of a request with several; those of another form are omitted.
        location: target of a redirect, without its query; redirects are not followed.
        response: the response.
    """

    body: Any
    code: str | None
    type: str | None
    details: Sequence[Any]

    def __init__(
        self, response: Response, errors: StatusErrors, content: Content | None = None
    ) -> None:
        data = _as_json(response, content)
        shape, body = errors.shape, ErrorBody(_parsed(data), errors.shape)
        self.response = response
        self.status = response.status
        self.body = errors.body(data, None if content is None else content.model)
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
        known = f"{self.status} {shortened(self.code)}" if self.code else str(self.status)
        suffix = f" (request {shortened(request_id)})" if request_id else ""
        super().__init__(f"{known}: {shortened(self.message, _MAX_MESSAGE)}{suffix}")

    def _without_message(self) -> str:
        leads = f" and redirects to {self.location}" if self.location else ""
        return f"the response has the status {self.status}{leads}"


@dataclass(frozen=True, slots=True)
class StatusErrors:
    """The exceptions for unsuccessful responses.

    Attributes:
        shape: the paths of an exception's attributes in the body.
        classes: by status pattern (`404`, `5XX`, `default`); `expired` for an expired cursor.
        codecs: of the models of bodies and details.
        detail: name of the model of one of several errors; None for any JSON.
    """

    shape: ErrorShape
    classes: Mapping[str, type[ApiStatusError]]
    codecs: Codecs
    detail: str | None = None

    def body(self, data: bytes, model: str | None) -> Any:
        """Return JSON as a model; None without a model, or if the JSON does not match it."""
        if model is None or model == "bytes":
            return None
        try:
            return self.codecs[model].read(data)
        except ValidationError:
            return None

    def details(self, faults: Sequence[JsonValue]) -> Sequence[Any]:
        """Return errors as models, without those that do not match."""
        if self.detail is None:
            return faults
        codec = self.codecs[self.detail]
        details: list[Any] = []
        for fault in faults:
            with suppress(ValidationError):
                details.append(codec.read(json.dumps(fault).encode()))
        return details


def status_error(
    response: Response, errors: StatusErrors, operation: Operation[Any] | None = None
) -> ApiStatusError:
    """Return the exception for an unsuccessful response.

    Args:
        operation: the called operation; without it, the body is not parsed as a model, and an
            expired cursor is not recognized.
    """
    came = response.header("content-type") or ""
    content = None if operation is None else operation.modelled(response.status, came)
    pagination = None if operation is None else operation.pagination
    expired = None if pagination is None else pagination.expired
    patterns = (str(response.status), f"{response.status // 100}XX", "default")
    kind = next(errors.classes[pattern] for pattern in patterns if pattern in errors.classes)
    error = kind(response, errors, content)
    is_expired = expired is not None and error.code == expired
    return errors.classes["expired"](response, errors, content) if is_expired else error


def retry_after(response: Response) -> float | None:
    """Return the seconds of a `Retry-After` header in either form (RFC 9110, 10.2.3)."""
    value = response.header("retry-after")
    if value is None:
        return None
    try:
        if value.strip().isdigit():
            seconds = float(value)
        else:
            # Imported late: it loads 20 modules, and most values are seconds.
            from email.utils import parsedate_to_datetime

            moment = parsedate_to_datetime(value)
            # The oldest of the three forms has no time zone (RFC 9110, 5.6.7).
            seconds = moment.replace(tzinfo=moment.tzinfo or UTC).timestamp() - time()
    except (ValueError, OverflowError):
        return None
    return min(max(0.0, seconds), _LONGEST_RETRY_AFTER)


def _as_json(response: Response, content: Content | None) -> bytes:
    """Return the body of a response as JSON, if it has that form at all."""
    came = response.header("content-type") or ""
    if (
        content is None
        or content.xml is None
        or medium_of(came) is not medium_of(content.media_type)
    ):
        return response.content
    try:
        return medium_of(came).to_json(content, response.content, came)
    except ValueError:
        return b""


def _parsed(data: bytes) -> JsonValue:
    try:
        body: JsonValue = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return body


def _kind(response: Response) -> str:
    """Return the status and media type of a response."""
    written = _MEDIA_TYPE.match(response.header("content-type") or "")
    return f"{response.status}, {written[0]}" if written else str(response.status)


def _location(response: Response) -> str | None:
    """Return a `Location` (RFC 9110, 10.2.2) without user and query, which may be secret."""
    value = response.header("location")
    if value is None or response.status // 100 != 3:
        return None
    try:
        parts = urlsplit(value)
    except ValueError:
        return None
    host = parts.netloc.rpartition("@")[2]
    shown = urlunsplit((parts.scheme, host, parts.path, "", ""))
    return "".join(character for character in shown if character.isprintable()) or None

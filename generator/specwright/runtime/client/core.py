"""Everything about a call that does not wait: arguments become a request, an answer a value."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from typing import Any, TypeVar, cast
from urllib.parse import urlsplit

from pydantic import MISSING, ValidationError

from ..shared.codec import Codecs
from ..shared.operation import ListOperation, Operation
from .errors import InvalidArgumentError, InvalidResponseError
from .pagination import PageData
from .service import Options, Service
from .transport import Headers, Request, Response
from .urls import header_value, path_segment, query_pairs

T = TypeVar("T")

# What `with_raw_response` collects answers in.
responses: ContextVar[list[Response] | None] = ContextVar("responses", default=None)


class Core:
    """Everything about calls that does not wait for anything."""

    def __init__(
        self, service: Service, api_key: str | None, base_url: str | None, options: Options
    ) -> None:
        environment = service.env_prefix
        base_url = base_url or os.environ.get(f"{environment}_BASE_URL") or service.server_url
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not base_url.isascii():
            raise InvalidArgumentError(
                f"the base URL {base_url!r} is not an HTTP address in ASCII; "
                f"pass base_url or set {environment}_BASE_URL"
            )
        self.base_url = base_url.rstrip("/")
        self._options = options
        self._service = service
        self._codecs = Codecs(service.models)
        self._headers: Headers = [
            ("host", parts.netloc.rpartition("@")[2]),
            ("accept", "application/json"),
            ("accept-encoding", "gzip"),
            ("user-agent", service.user_agent),
            *options.headers.items(),
        ]
        api_key = api_key or os.environ.get(f"{environment}_API_KEY")
        if service.credential_header is not None:
            if not api_key:
                raise InvalidArgumentError(f"no key: pass api_key or set {environment}_API_KEY")
            if not api_key.isascii() or not api_key.isprintable():
                raise InvalidArgumentError("the key has characters that no header can carry")
            self._headers.append((service.credential_header, service.credential_prefix + api_key))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.base_url}>"

    def request(
        self, operation: Operation[Any], arguments: Mapping[str, Any], body: object
    ) -> Request:
        """Validate what was passed and write it as a request.

        Raises:
            InvalidArgumentError: an argument breaks the contract.
        """
        path, query, where = operation.path, list[str](), ""
        headers = self._headers
        try:
            for parameter in operation.parameters:
                value = arguments.get(parameter.name, MISSING)
                if value is MISSING:
                    continue
                where = parameter.wire
                if parameter.model is not None:
                    codec = self._codecs[parameter.model]
                    value = codec.plain(codec.check(value))
                if parameter.location == "query":
                    query += [f"{name}={text}" for name, text in query_pairs(parameter, value)]
                elif parameter.location == "path":
                    segment = path_segment(parameter, value)
                    if segment in ("", ".", ".."):
                        raise InvalidArgumentError(f"{where}: {value!r} cannot stand in a path")
                    path = path.replace("{" + where + "}", segment)
                elif parameter.location == "header":
                    headers = [*headers, (where, header_value(parameter, value))]
                else:
                    headers = [*headers, ("cookie", f"{where}={header_value(parameter, value)}")]
            content = None
            if body is not MISSING and operation.body_type is not None:
                where = "body"
                if operation.body is not None:
                    if isinstance(body, dict):
                        # A property with a default does not know the sentinel.
                        members = cast("dict[str, object]", body).items()
                        body = {name: each for name, each in members if each is not MISSING}
                    codec = self._codecs[operation.body]
                    content = codec.encode(codec.check(body), exclude_unset=True)
                else:
                    content = cast("bytes", body)
                headers = [*headers, ("content-type", operation.body_type)]
            elif operation.method not in ("GET", "HEAD"):
                content = b""
        except ValidationError as error:
            raise InvalidArgumentError(_problems(where, error)) from None
        url = self.base_url + path + ("?" + "&".join(query) if query else "")
        return Request(operation.method, url, headers, content, self._options.timeout)

    def result(self, operation: Operation[Any], response: Response) -> Any:
        """Read an answer.

        Raises:
            InvalidResponseError: the answer breaks the contract.
        """
        collected = responses.get()
        if collected is not None:
            collected.append(response)
        _, model = operation.model_for(response.status)
        if model is None:
            return None
        if model == "bytes":
            return response.content
        try:
            return self._codecs[model].read(response.content)
        except ValidationError as error:
            raise InvalidResponseError(
                f"{operation.id}: the answer breaks the contract: {_problems('body', error)}",
                response,
            ) from error

    def page(self, operation: ListOperation[T], response: Response) -> PageData[T]:
        """Read a page of a list."""
        body = self.result(operation, response)
        pagination = operation.pagination
        assert pagination is not None
        value = self._attribute(body, pagination.next)
        cursor = value if isinstance(value, str) else None
        more = self._attribute(body, pagination.more) if pagination.more else cursor is not None
        items = cast("Sequence[T]", self._attribute(body, pagination.items))
        return PageData(items, cursor, more is True)

    def _attribute(self, value: object, path: tuple[str, ...]) -> object:
        for name in path:
            value = getattr(value, name, None)
        return value


def _problems(where: str, error: ValidationError) -> str:
    problems = (
        ".".join(map(str, (where, *problem["loc"]))) + ": " + problem["msg"]
        # Without the input: it may be a secret.
        for problem in error.errors(include_url=False, include_input=False)
    )
    return "; ".join(problems)

"""Everything about a call that does not wait: arguments become a request, an answer a value."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from typing import Any, TypeVar, cast
from urllib.parse import urlsplit

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, from_json

from ..shared.codec import Codec, Codecs, problems_of
from ..shared.operation import ListOperation, Operation, attribute
from .errors import InvalidArgumentError, InvalidResponseError
from .fields import is_field_name, is_field_value
from .omit import OMIT
from .pagination import PageData
from .service import Options, Service
from .transport import Headers, Request, Response
from .urls import encoded_pairs, header_value, is_undefined, path_segment

T = TypeVar("T")

_PRINTED = re.compile("[!-~]+")

# What `with_raw_response` collects answers in.
responses: ContextVar[list[Response] | None] = ContextVar("responses", default=None)


class Core:
    """Everything about calls that does not wait for anything."""

    def __init__(
        self, service: Service, api_key: str | None, base_url: str | None, options: Options
    ) -> None:
        environment = service.env_prefix
        base_url = base_url or os.environ.get(f"{environment}_BASE_URL") or service.server_url
        host = _host(base_url)
        if host is None:
            # Not shown: there may be a password in it.
            raise InvalidArgumentError(
                "the base URL is not an HTTP address in ASCII, without user, query and fragment; "
                f"pass base_url or set {environment}_BASE_URL"
            )
        self.base_url = base_url.rstrip("/")
        self._options = options
        self._service = service
        self._codecs = Codecs(service.models)
        self._headers: Headers = [
            ("host", host),
            ("accept", "application/json, */*;q=0.5"),
            ("accept-encoding", "gzip"),
            ("user-agent", service.user_agent),
        ]
        for name, value in options.headers.items():
            if not is_field_name(name):
                raise InvalidArgumentError("a header has a name that no header can have")
            if not is_field_value(value):
                raise InvalidArgumentError(f"the header {name} has a value that none can carry")
            self._headers.append((name, value))
        api_key = api_key or os.environ.get(f"{environment}_API_KEY")
        if service.credential_header is not None:
            if not api_key:
                raise InvalidArgumentError(f"no key: pass api_key or set {environment}_API_KEY")
            if not api_key.isascii() or not is_field_value(api_key):
                raise InvalidArgumentError(
                    "the key begins or ends with a space, or has characters no header can carry"
                )
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
        path, query, cookies = operation.path, list[str](), list[str]()
        headers = self._headers
        for parameter in operation.parameters:
            value = arguments.get(parameter.name)
            where = parameter.wire
            if value is not None and parameter.model is not None:
                value = from_json(_encoded(self._codecs[parameter.model], where, value))
            if is_undefined(value):
                if parameter.required:
                    raise InvalidArgumentError(f"{where}: a value is required")
            elif parameter.location == "query":
                query += [f"{name}={text}" for name, text in encoded_pairs(parameter, value)]
            elif parameter.location == "path":
                segment = path_segment(parameter, value)
                if segment in ("", ".", ".."):
                    raise InvalidArgumentError(f"{where}: this value cannot stand in a path")
                path = path.replace("{" + where + "}", segment)
            elif parameter.location == "cookie":
                cookies += [f"{name}={text}" for name, text in encoded_pairs(parameter, value)]
            else:
                text = header_value(parameter, value)
                if not is_field_value(text):
                    raise InvalidArgumentError(f"{where}: no header can carry this value")
                headers = [*headers, (where, text)]
        if cookies:
            headers = [*headers, ("cookie", "; ".join(cookies))]
        content = None
        if body is not None and operation.body_type is not None:
            content = self._content(operation.body, body)
            headers = [*headers, ("content-type", operation.body_type)]
        elif operation.method not in ("GET", "HEAD"):
            content = b""
        url = self.base_url + path + ("?" + "&".join(query) if query else "")
        return Request(operation.method, url, headers, content, self._options.timeout)

    def _content(self, model: str | None, body: object) -> bytes:
        if model is None:
            return cast("bytes", body)
        codec = self._codecs[model]
        if isinstance(body, dict):
            members = cast("dict[str, object]", body).items()
            body = {
                name: each
                for name, each in members
                if each is not OMIT and not (each is None and codec.leaves_out(name))
            }
        return _encoded(codec, "body", body)

    def result(self, operation: Operation[Any], response: Response) -> Any:
        """Read an answer.

        Raises:
            InvalidResponseError: the answer breaks the contract.
        """
        collected = responses.get()
        if collected is not None:
            collected.append(response)
        is_declared, model = operation.model_for(response.status)
        if not is_declared:
            raise InvalidResponseError(
                f"{operation.id}: the answer has a status that is not declared", response
            )
        if model is None:
            return None
        if model == "bytes":
            return response.content
        try:
            return self._codecs[model].read(response.content)
        except ValidationError as error:
            problems = problems_of("body", error)
        raise InvalidResponseError(
            f"{operation.id}: the answer breaks the contract: {problems}", response
        )

    def page(self, operation: ListOperation[T], response: Response) -> PageData[T]:
        """Read a page of a list."""
        body = self.result(operation, response)
        pagination = operation.pagination
        assert pagination is not None
        value = attribute(body, pagination.next)
        cursor = value if isinstance(value, str) else None
        more = attribute(body, pagination.more) if pagination.more else cursor is not None
        items = cast("Sequence[T]", attribute(body, pagination.items))
        return PageData(items, cursor, more is True)


def _host(base_url: str) -> str | None:
    """The host of an address to which paths can be added; None where it is no such address."""
    try:
        parts = urlsplit(base_url)
        is_usable = (
            parts.scheme in ("http", "https")
            and parts.hostname
            and parts.port != 0
            and not (parts.query or parts.fragment or "@" in parts.netloc)
        )
    except ValueError:
        return None
    return parts.netloc if is_usable and _PRINTED.fullmatch(base_url) else None


def _encoded(codec: Codec, where: str, value: object) -> bytes:
    try:
        return codec.encode(value)
    except ValidationError as error:
        problems = problems_of(where, error)
    except PydanticSerializationError:
        problems = f"{where}: a model was given a value that its field cannot have"
    # Not within the block: the first error, which knows the value, would stay behind this one.
    raise InvalidArgumentError(problems)

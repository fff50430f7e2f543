"""Everything about a call that does not wait: arguments become a request, an answer a value."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from copy import copy
from dataclasses import replace
from typing import Any, Self, TypeVar, cast
from urllib.parse import urlsplit

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, from_json, to_json

from ..shared import styles
from ..shared.codec import Codec, Codecs, problems_of
from ..shared.operation import ListOperation, Operation, attribute
from .attempts import GONE
from .credentials import Credential
from .errors import InvalidArgumentError, InvalidResponseError
from .fields import is_cookie_pair, is_field_value, merged
from .omit import OMIT
from .options import ClientOptions, Options
from .pagination import PageData
from .positions import arguments_at, has_more, next_position, url_at
from .service import Service
from .transport import Headers, Request, Response
from .urls import parts, with_parts

T = TypeVar("T")

_PRINTED = re.compile("[!-~]+")

# What `with_raw_response` collects answers in.
responses: ContextVar[list[Response] | None] = ContextVar("responses", default=None)


# The service, the key, where the API is, how calls are made, the name of the program.
Given = tuple[Service, Credential, str | None, Options, str | None]


class Core:
    """Everything about calls that does not wait for anything."""

    def __init__(
        self,
        service: Service,
        credential: Credential,
        base_url: str | None,
        options: Options,
        app_name: str | None,
    ) -> None:
        variable = f"{service.env_prefix}_BASE_URL"
        base_url = base_url or os.environ.get(variable) or service.server_url
        host = _host(base_url)
        if host is None:
            # Not shown: there may be a password in it.
            raise InvalidArgumentError(
                "the base URL is not an HTTP address in ASCII, without user, query and fragment; "
                f"pass base_url or set {variable}"
            )
        if app_name is not None and not is_field_value(app_name):
            raise InvalidArgumentError("app_name has characters that no header can carry")
        self.base_url = base_url.rstrip("/")
        self.service = service
        self.options = options
        self._codecs = Codecs(service.models)
        self._headers: Headers = [
            ("host", host),
            ("accept", "application/json, */*;q=0.5"),
            ("accept-encoding", "gzip"),
            ("user-agent", f"{service.user_agent} {app_name}" if app_name else service.user_agent),
        ]
        self.credential = credential
        credential.prepare(service, options.headers)

    def with_options(self, given: ClientOptions) -> Self:
        """Return a copy that makes calls with other options, by the same connections.

        Raises:
            InvalidArgumentError: an option cannot have this value.
        """
        changed = copy(self)
        changed.options = self.options.changed(given)
        return changed

    def request(
        self,
        operation: Operation[Any],
        arguments: Mapping[str, Any],
        body: object,
        options: Options,
    ) -> Request:
        """Validate what was passed and write it as a request.

        Raises:
            InvalidArgumentError: an argument breaks the contract.
        """
        path, query, cookies = operation.path, list[str](), list[str]()
        headers = Headers()
        for parameter in operation.parameters:
            value = arguments.get(parameter.name)
            where = parameter.wire
            if value is not None and parameter.model is not None:
                value = from_json(_encoded(self._codecs[parameter.model], where, value))
            if styles.is_undefined(value):
                if parameter.required:
                    raise InvalidArgumentError(f"{where}: a value is required")
            elif styles.is_ambiguous(parameter, value):
                raise InvalidArgumentError(f"{where}: a part of the value has its delimiter")
            elif parameter.location == "query":
                query += parts(parameter, value)
            elif parameter.location == "path":
                segment = styles.text(parameter, value)
                if segment in ("", ".", ".."):
                    raise InvalidArgumentError(f"{where}: this value cannot stand in a path")
                path = path.replace("{" + where + "}", segment)
            elif parameter.location == "cookie":
                cookies += parts(parameter, value)
                if not all(map(is_cookie_pair, cookies)):
                    raise InvalidArgumentError(f"{where}: no cookie can carry this value")
            else:
                text = styles.text(parameter, value)
                if not is_field_value(text):
                    raise InvalidArgumentError(f"{where}: no header can carry this value")
                headers.append((where, text))
        if cookies:
            headers.append(("cookie", "; ".join(cookies)))
        content, own = None, self._headers
        if operation.body_type is not None and (body is not None or options.body):
            content = b"{}" if body is None else self._content(operation.body, body)
            content = _with_members(content, options.body) if options.body else content
            own = [*own, ("content-type", operation.body_type)]
        elif operation.method not in ("GET", "HEAD"):
            content = b""
        if options.query:
            query = with_parts(query, options.query)
        return Request(
            operation.method,
            self.base_url + path + ("?" + "&".join(query) if query else ""),
            merged(merged(own, options.headers), headers),
            content,
            options.timeout,
            route=self.base_url + operation.path,
        )

    def has_key(self, request: Request) -> bool:
        """Tell whether a request needs no key: there is none, or the caller wrote its header."""
        name = self.credential.name
        return name is None or any(each.lower() == name for each, _ in request.headers)

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
        if response.status in GONE:
            # What was to be deleted is gone: an attempt before this one has deleted it.
            return None
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

    def page_request(
        self,
        operation: ListOperation[T],
        arguments: Mapping[str, object],
        options: Options,
        position: str | None,
    ) -> Request:
        """Write the request for the page at a position; None stands for that of the arguments."""
        pagination = operation.pagination
        if position is None or pagination is None:
            return self.request(operation, arguments, None, options)
        moved = arguments_at(operation, arguments, position)
        request = self.request(operation, moved, None, options)
        return replace(request, url=url_at(pagination, request.url, position))

    def page(
        self,
        operation: ListOperation[T],
        arguments: Mapping[str, object],
        position: str | None,
        response: Response,
    ) -> PageData[T]:
        """Read the page of a list that was asked for at a position."""
        body = self.result(operation, response)
        pagination = operation.pagination
        assert pagination is not None
        found = attribute(body, pagination.items)
        items: Sequence[T] = [] if found is None else cast("Sequence[T]", found)
        given = arguments.get(pagination.cursor) if position is None else position
        following = next_position(pagination, body, response, given, len(items))
        more = has_more(pagination, body, given, following)
        return PageData(items, following, more)


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


def _with_members(content: bytes, members: Mapping[str, Any]) -> bytes:
    try:
        body = json.loads(content)
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise InvalidArgumentError("extra_body: the body is not a JSON object")
    return to_json({**body, **members})

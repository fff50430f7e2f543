"""Everything about a call that does not wait: arguments become a request, an answer a value."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from copy import copy
from typing import Any, Self, TypeVar, cast

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, from_json, to_json

from ..shared.codec import Codec, Codecs, problems_of
from ..shared.operation import ListOperation, Operation, attribute
from .addresses import Addresses
from .attempts import GONE
from .credentials import Credentials
from .errors import InvalidArgumentError, InvalidResponseError
from .fields import is_field_value, merged
from .omit import OMIT
from .options import ClientOptions, Options
from .pagination import PageData
from .service import Service
from .transport import Headers, Request, Response
from .urls import encoded_pairs, header_value, is_undefined, path_segment, with_pairs

T = TypeVar("T")

# What `with_raw_response` collects answers in.
responses: ContextVar[list[Response] | None] = ContextVar("responses", default=None)


# The service, the credentials, where the API is, what stands in its addresses, how calls are made,
# the name of the program.
Given = tuple[Service, Credentials, str | None, Mapping[str, str | None], Options, str | None]


class Core:
    """Everything about calls that does not wait for anything."""

    def __init__(
        self,
        service: Service,
        credentials: Credentials,
        base_url: str | None,
        variables: Mapping[str, str | None],
        options: Options,
        app_name: str | None,
    ) -> None:
        self._addresses = Addresses(service, base_url, variables)
        self.base_url = self._addresses.base.url
        if app_name is not None and not is_field_value(app_name):
            raise InvalidArgumentError("app_name has characters that no header can carry")
        self.service = service
        self.options = options
        self._codecs = Codecs(service.models)
        self._headers: Headers = [
            ("accept", "application/json, */*;q=0.5"),
            ("accept-encoding", "gzip"),
            ("user-agent", f"{service.user_agent} {app_name}" if app_name else service.user_agent),
        ]
        self.credentials = credentials

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
        address = self._addresses.of(operation.server)
        path, query, cookies = operation.path, list[str](), list[str]()
        headers = Headers()
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
                headers.append((where, text))
        if cookies:
            headers.append(("cookie", "; ".join(cookies)))
        content, own = None, [("host", address.host), *self._headers]
        if operation.body_type is not None and (body is not None or options.body):
            content = b"{}" if body is None else self._content(operation.body, body)
            content = _with_members(content, options.body) if options.body else content
            own = [*own, ("content-type", operation.body_type)]
        elif operation.method not in ("GET", "HEAD"):
            content = b""
        if options.query:
            query = with_pairs(query, options.query)
        return Request(
            operation.method,
            address.url + path + ("?" + "&".join(query) if query else ""),
            merged(merged(own, options.headers), headers),
            content,
            options.timeout,
            route=address.url + operation.path,
        )

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

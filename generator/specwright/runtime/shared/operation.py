"""Operations as data, for the client and the server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar, cast

from pydantic import JsonValue

from .servers import Server
from .xml.nodes import XmlRoot

Result = TypeVar("Result")
Item = TypeVar("Item")

Location = Literal["path", "query", "querystring", "header", "cookie"]
# Redirects with a `Location`.
REDIRECTS = frozenset({301, 302, 303, 307, 308})
Way = Literal["cursor", "url", "link", "page", "offset"]
Kind = Literal["string", "integer", "number", "boolean", "array", "object", "any"]
# Alternatives, each with the schemes that it requires together, and their scopes.
Security = tuple[Mapping[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter: `name` is the Python argument, `wire` the name in the request.

    `model` names the type in the package's `models` that validates a value; `style` and `explode`
    have the defaults of OpenAPI 3.1.1, 4.8.12.2.

    Attributes:
        kind: the JSON type of the value.
        inner: the JSON types within an array or object that are not strings, by dotted path; `*`
            means any item, and any member without its own path.
        alone: the JSON type of a scalar that is allowed in place of an array or object.
        style: that of OpenAPI; `content` for JSON in one text.
        content: of a whole query string, its media type.
        allow_reserved: whether reserved characters are not percent-encoded.
    """

    name: str
    wire: str
    location: Location
    model: str | None = None
    kind: Kind = "string"
    inner: Mapping[str, Kind] = field(default_factory=dict[str, Kind])
    alone: Kind | None = None
    required: bool | None = None
    style: str = ""
    explode: bool | None = None
    allow_reserved: bool = False
    default: object = None
    content: Content | None = None

    def __post_init__(self) -> None:
        """Fill in the defaults that depend on the location."""
        form = self.location in ("query", "cookie")
        defaults = {
            "required": self.location == "path",
            "style": "form" if form else "simple",
            "explode": (self.style or "form") in ("cookie", "form") and form,
        }
        for name, default in defaults.items():
            if getattr(self, name) in (None, ""):
                object.__setattr__(self, name, default)


@dataclass(frozen=True, slots=True)
class Part:
    """The encoding of a property of a form.

    Attributes:
        kind, inner, alone, style, explode: as for a query parameter.
        content_type: of a part of a multipart body.
    """

    kind: Kind = "string"
    inner: Mapping[str, Kind] = field(default_factory=dict[str, Kind])
    alone: Kind | None = None
    content_type: str | None = None
    style: str = "form"
    explode: bool = True


@dataclass(frozen=True, slots=True)
class EventData:
    """The data of server-sent events with certain names.

    Attributes:
        names: the values of `event`; empty for all that no other entry names.
        model: name of the type of the JSON in the data; None if it may be any value.
        is_json: whether the data is JSON; else it is a text.
    """

    names: tuple[str, ...] = ()
    model: str | None = None
    is_json: bool = True


@dataclass(frozen=True, slots=True)
class Content:
    """A media type of a body.

    Attributes:
        model: name of the type of the value, or of an item in a stream of items; None if the body
            needs no schema.
        parts: of a form, the properties with an encoding other than plain text.
        xml: of XML, the root element; None if the body is passed as text.
        events: the data of server-sent events; without it, an item is a value, or the data a text.
    """

    media_type: str
    model: str | None = None
    parts: Mapping[str, Part] = field(default_factory=dict[str, Part])
    xml: XmlRoot | None = None
    events: tuple[EventData, ...] = ()

    def events_named(self, name: str) -> tuple[EventData, ...]:
        """Return the data that events of a name may have; empty for an unknown name."""
        named = tuple(event for event in self.events if name in event.names)
        return named or tuple(event for event in self.events if not event.names)


Contents = tuple[Content, ...]


def as_json(model: str | None) -> Contents:
    """Return the contents of a body that is always JSON; without a model, any value is valid."""
    return (Content("application/json", model),)


@dataclass(frozen=True, slots=True)
class Pagination:
    """The pagination of a list: query parameters by argument name, properties by path.

    Attributes:
        cursor: the argument for the start of a page: a cursor, the number of items before it, or
            the number of the page; empty if it is in the body, or pages are linked by URLs.
        member: the same in the JSON body: the names of the members down to it.
        next: the cursor of the next page, or its URL.
        more: whether there is a next page.
        way: how to find the next page: `url` is in the body, `link` in the header `Link`.
        first: the number of the first page.
        total, pages: the total number of items, and of pages.
        resume: whether the last cursor may be used again later to read new items.
        interval: minimum seconds between two such requests.
        expired: error code for an expired cursor.
    """

    cursor: str
    items: tuple[str, ...]
    next: tuple[str, ...]
    more: tuple[str, ...] = ()
    way: Way = "cursor"
    first: int = 0
    member: tuple[str, ...] = ()
    total: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()
    resume: bool = False
    interval: float = 0
    expired: str | None = None


@dataclass(frozen=True, slots=True)
class FinalStates:
    """The final states of a resource: the values of its property at a path.

    Attributes:
        interval: minimum seconds between two requests for the resource.
    """

    path: tuple[str, ...]
    values: frozenset[str]
    interval: float

    def include(self, value: object) -> bool:
        """Return whether a resource is in one of these states."""
        state = attribute(value, self.path)
        return isinstance(state, str) and state in self.values


@dataclass(frozen=True, slots=True)
class DeclaredError:
    """A response identified by its HTTP status and its error code, if errors have one."""

    status: int
    code: str | None


@dataclass(frozen=True, slots=True)
class Operation(Generic[Result]):
    """One operation; `Result` is the return type of a successful call.

    Attributes:
        id: operationId of the document.
        handler: name of the handler's method in the server stub.
        path: template below the base URL, `/orders/{order_id}`.
        body: the contents that the request body may have, the default one first.
        refusals: specific error codes for invalid values of properties of the JSON body
            (`x-contract-invalid`), by dotted path; `*` means any item of an array.
        responses: the contents that the response body may have, by status pattern (`201`, `2XX`,
            `default`); empty if the document declares no body.
        security: the alternatives of required credentials (OpenAPI 3.1.1, 4.8.30); an empty
            alternative allows anonymous requests.
        body_nullable: whether None is a body, null, and not the lack of one.
        servers: the operation's own servers, which replace the document's; the default one first.
        idempotent: whether sending the request twice has the same effect as sending it once
            (RFC 9110, 9.2.2, or declared by `x-contract-idempotency`).
        key_header: the header for the idempotency key, which is unique to each call
            (`x-contract-idempotency`).
        in_progress: the response while an earlier request with the same key is in progress
            (`x-contract-idempotency`).
        one_of: groups of query parameters of which at least one is required, with the error code
            if all are missing.
        rate_limit: name of the class of `x-contract-rate-limit`.
        final: the final states of the resource that it reads (`x-contract-final`).
    """

    id: str
    handler: str
    method: str
    path: str
    parameters: tuple[Parameter, ...] = ()
    body: Contents = ()
    body_required: bool = True
    body_nullable: bool = False
    refusals: Mapping[str, str] = field(default_factory=dict[str, str])
    responses: Mapping[str, Contents] = field(default_factory=dict[str, Contents])
    security: Security = ()
    servers: tuple[Server, ...] = ()
    idempotent: bool = False
    key_header: str | None = None
    in_progress: DeclaredError | None = None
    pagination: Pagination | None = None
    one_of: tuple[tuple[tuple[str, ...], str], ...] = ()
    rate_limit: str | None = None
    final: FinalStates | None = None

    @property
    def secured(self) -> bool:
        """Whether all requests require credentials."""
        return bool(self.security) and all(self.security)

    @property
    def successes(self) -> tuple[str, ...]:
        """The declared status patterns of success, or `default` if only that is declared."""
        statuses = tuple(status for status in self.responses if status[0] == "2")
        return statuses or tuple(status for status in self.responses if status == "default")

    def redirects_by(self, status: int) -> bool:
        """Return whether a redirect with this status is a success (RFC 9110, 15.4)."""
        is_declared = str(status) in self.responses or "3XX" in self.responses
        return is_declared and status in REDIRECTS and not self._has_success

    @property
    def _has_success(self) -> bool:
        return any(status[0] == "2" for status in self.responses)

    @property
    def has_result(self) -> bool:
        """Whether a success has a body."""
        return any(contents for status, contents in self.responses.items() if status[0] == "2")

    def contents_of(self, status: int) -> Contents | None:
        """Return the contents that a response body may have; None if the status is not declared.

        `default` includes successes only if no other success is declared.
        """
        for pattern in (str(status), f"{status // 100}XX"):
            if pattern in self.responses:
                return self.responses[pattern]
        is_success = 200 <= status < 300
        if is_success and self._has_success:
            return None
        return self.responses.get("default")

    def modelled(self, status: int, media_type: str = "") -> Content | None:
        """Return the content of a response that has a model; None if none has one.

        Args:
            media_type: that of the body, if it has been received.
        """
        contents = self.contents_of(status) or ()
        modelled = [content for content in contents if content.model is not None]
        came = media_type.partition(";")[0].strip().lower()
        exact = [content for content in modelled if content.media_type.lower() == came]
        return next(iter(exact + modelled), None)

    def model_for(self, status: int, media_type: str = "") -> tuple[bool, str | None]:
        """Return whether `status` is declared, and the name of the model of its body.

        Args:
            media_type: that of the body, if it has been received.
        """
        content = self.modelled(status, media_type)
        return self.contents_of(status) is not None, None if content is None else content.model


class ListOperation(Operation[object], Generic[Item]):
    """An operation that returns a list in pages; `Item` is the type of one item."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class ErrorCode:
    """The meaning of an error code: its HTTP status and the type that groups it."""

    status: int
    type: str


@dataclass(frozen=True, slots=True)
class ErrorShape:
    """The layout of the shared error body (`x-contract-error`).

    Each member is a path of property names into the body; empty if the body has no such member.
    `conditions` maps errors that a server detects itself (`invalid_json`, `missing_field`, …) to
    the contract's codes for them.
    """

    code: tuple[str, ...] = ()
    message: tuple[str, ...] = ()
    type: tuple[str, ...] = ()
    param: tuple[str, ...] = ()
    request_id: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    request_id_header: str | None = None
    codes: Mapping[str, ErrorCode] = field(default_factory=dict[str, ErrorCode])
    conditions: Mapping[str, str] = field(default_factory=dict[str, str])


def at(value: JsonValue, path: tuple[str, ...]) -> JsonValue:
    """Return the member of a JSON value at `path`; None if it is missing."""
    for name in path:
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value


def attribute(value: object, path: tuple[str, ...]) -> object:
    """Return the attribute of a model at `path`; None if it is missing."""
    for name in path:
        if isinstance(value, Mapping):
            value = cast("Mapping[str, object]", value).get(name)
        else:
            value = getattr(value, name, None)
    return value

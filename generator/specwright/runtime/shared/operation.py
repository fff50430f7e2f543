"""The plan of an operation: everything that client and server know about it, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar, cast

from pydantic import JsonValue

from .servers import Server

Result = TypeVar("Result")
Item = TypeVar("Item")

Location = Literal["path", "query", "header", "cookie"]
# Statuses with a `Location` to go to.
REDIRECTS = frozenset({301, 302, 303, 307, 308})
Way = Literal["cursor", "url", "link", "page", "offset"]
Kind = Literal["string", "integer", "number", "boolean", "array", "object", "any"]
# Alternatives: for each the schemes that it takes together, with the scopes of each.
Security = tuple[Mapping[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter: `name` is the Python argument, `wire` what travels.

    `model` names the type in the package's `models` that validates a value; `style` and `explode`
    have the defaults of OpenAPI 3.1.1, 4.8.12.2.

    Attributes:
        kind: the JSON type that its text stands for.
        inner: the JSON types of what is in an array or object, by names with dots between, where
            they are not text; `*` stands for any item and any member that is not named.
        alone: the JSON type of a value that is neither array nor object, where it may be one.
        style: that of OpenAPI; `content` for JSON in one text.
        allow_reserved: whether reserved characters of a text are written as they are.
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

    def __post_init__(self) -> None:
        """Fill in what follows from the location."""
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
    """How a property of a form travels.

    Attributes:
        kind, inner, alone, style, explode: as those of a parameter in the query.
        content_type: of a part of a multipart body.
    """

    kind: Kind = "string"
    inner: Mapping[str, Kind] = field(default_factory=dict[str, Kind])
    alone: Kind | None = None
    content_type: str | None = None
    style: str = "form"
    explode: bool = True


@dataclass(frozen=True, slots=True)
class Content:
    """A form in which a body travels.

    Attributes:
        model: name of the type of the value, or of an item where items come one by one; None
            where the bytes say it all.
        parts: of a form, the properties whose text is not simply their value.
    """

    media_type: str
    model: str | None = None
    parts: Mapping[str, Part] = field(default_factory=dict[str, Part])


Contents = tuple[Content, ...]


def as_json(model: str | None) -> Contents:
    """Return the contents of a body that is always JSON, of any value where it has no model."""
    return (Content("application/json", model),)


@dataclass(frozen=True, slots=True)
class Pagination:
    """What leads to the next page of a list: query parameters by argument name, properties by path.

    Attributes:
        cursor: the argument that says where a page starts: by a cursor, by the number of items
            before it, or by its own; empty where a URL says so.
        next: the cursor of the next page, or its URL.
        more: whether there is a next page.
        way: what leads to the next page: `url` is in the body, `link` in the header `Link`.
        first: the number of the first page.
        total, pages: the number of all items, and of all pages.
        resume: whether the last cursor may be asked again later for what was added.
        interval: seconds between two such requests at least.
        expired: error code of a cursor that the list does not reach back to any more.
    """

    cursor: str
    items: tuple[str, ...]
    next: tuple[str, ...]
    more: tuple[str, ...] = ()
    way: Way = "cursor"
    first: int = 0
    total: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()
    resume: bool = False
    interval: float = 0
    expired: str | None = None


@dataclass(frozen=True, slots=True)
class FinalStates:
    """When a resource changes no more by itself: its property at a path has one of the values.

    Attributes:
        interval: seconds between two requests that look for it at least.
    """

    path: tuple[str, ...]
    values: frozenset[str]
    interval: float

    def include(self, value: object) -> bool:
        """Tell whether a resource is in one of these states."""
        state = attribute(value, self.path)
        return isinstance(state, str) and state in self.values


@dataclass(frozen=True, slots=True)
class ErrorAnswer:
    """An answer that is known by its HTTP status and its error code, if errors have one."""

    status: int
    code: str | None


@dataclass(frozen=True, slots=True)
class Operation(Generic[Result]):
    """One operation; `Result` is what a successful call returns.

    Attributes:
        id: operationId of the document.
        handler: name of the handler's method in the server stub.
        path: template below the base URL, `/orders/{order_id}`.
        body: the forms that the request's body may have, the usual one first.
        refusals: error codes of their own that properties of the JSON body have for values
            they refuse for their form (`x-contract-invalid`), by path: names and, for any item
            of an array, `*`, with dots between.
        responses: by status pattern (`201`, `2XX`, `default`) the forms that the answer's body
            may have; none where the document says nothing of a body.
        security: the credentials that let a caller in (OpenAPI 3.1.1, 4.8.30); an empty
            alternative lets in everybody.
        servers: of its own, in place of those of the document; the usual one first.
        idempotent: whether sending the request twice is the same as sending it once
            (RFC 9110, 9.2.2, or declared by `x-contract-idempotency`).
        key_header: the header that tells requests apart, which each call has one of
            (`x-contract-idempotency`).
        in_progress: the answer while an earlier request with the same key is still at work
            (`x-contract-idempotency`).
        one_of: groups of query parameters at least one of which must be given, with the
            error code of their absence.
        rate_limit: name of the class of `x-contract-rate-limit`.
        final: the states in which what it reads stays (`x-contract-final`).
    """

    id: str
    handler: str
    method: str
    path: str
    parameters: tuple[Parameter, ...] = ()
    body: Contents = ()
    body_required: bool = True
    refusals: Mapping[str, str] = field(default_factory=dict[str, str])
    responses: Mapping[str, Contents] = field(default_factory=dict[str, Contents])
    security: Security = ()
    servers: tuple[Server, ...] = ()
    idempotent: bool = False
    key_header: str | None = None
    in_progress: ErrorAnswer | None = None
    pagination: Pagination | None = None
    one_of: tuple[tuple[tuple[str, ...], str], ...] = ()
    rate_limit: str | None = None
    final: FinalStates | None = None

    @property
    def secured(self) -> bool:
        """Whether nobody is let in without credentials."""
        return bool(self.security) and all(self.security)

    @property
    def successes(self) -> tuple[str, ...]:
        """The patterns of statuses that a call succeeds with, where it is declared to have any."""
        found = tuple(status for status in self.responses if status[0] == "2")
        return found or tuple(status for status in self.responses if status == "default")

    def redirects_by(self, status: int) -> bool:
        """Tell whether the operation succeeds by leading elsewhere (RFC 9110, 15.4)."""
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
        """Return the forms that the body of an answer may have; None if it is not declared.

        `default` stands for a success only where no other success is declared.
        """
        for pattern in (str(status), f"{status // 100}XX"):
            if pattern in self.responses:
                return self.responses[pattern]
        is_success = 200 <= status < 300
        if is_success and self._has_success:
            return None
        return self.responses.get("default")

    def model_for(self, status: int, media_type: str = "") -> tuple[bool, str | None]:
        """Tell whether `status` is declared and which model its JSON body has.

        Args:
            media_type: that of the body, where it has come.
        """
        contents = self.contents_of(status)
        found = [each for each in contents or () if each.model is not None]
        came = media_type.partition(";")[0].strip().lower()
        exact = [each for each in found if each.media_type.lower() == came]
        return contents is not None, next((each.model for each in exact + found), None)


class ListOperation(Operation[object], Generic[Item]):
    """An operation that returns a list in pages; `Item` is the type of one item."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class ErrorCode:
    """What an error code means: its HTTP status and the type that groups it."""

    status: int
    type: str


@dataclass(frozen=True, slots=True)
class ErrorShape:
    """Where the shared error body keeps its members (`x-contract-error`).

    Each member is a path of property names into the body; empty when the body has no such member.
    `conditions` maps what a server can detect by itself (`invalid_json`, `missing_field`, …) to
    the contract's code for it.
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
    """Return the member of a JSON value at `path`; None when there is none."""
    for name in path:
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value


def attribute(value: object, path: tuple[str, ...]) -> object:
    """Return the attribute of a model at `path`; None when there is none."""
    for name in path:
        if isinstance(value, Mapping):
            value = cast("Mapping[str, object]", value).get(name)
        else:
            value = getattr(value, name, None)
    return value

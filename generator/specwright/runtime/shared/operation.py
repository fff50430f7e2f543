"""The plan of an operation: everything that client and server know about it, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar

from pydantic import JsonValue

from .servers import Server

Result = TypeVar("Result")
Item = TypeVar("Item")

Location = Literal["path", "query", "header", "cookie"]
Kind = Literal["string", "integer", "number", "boolean", "array", "object", "any"]
# Alternatives: for each the schemes that it takes together, with the scopes of each.
Security = tuple[Mapping[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter: `name` is the Python argument, `wire` what travels.

    `model` names the type in the package's `models` that validates a value, `kind` the JSON
    type that its text stands for; `style` and `explode` have the defaults of OpenAPI 3.1.1,
    4.8.12.2.
    """

    name: str
    wire: str
    location: Location
    model: str | None = None
    kind: Kind = "string"
    item_kind: Kind = "string"
    required: bool | None = None
    style: str = ""
    explode: bool | None = None
    default: object = None

    def __post_init__(self) -> None:
        """Fill in what follows from the location."""
        form = self.location in ("query", "cookie")
        defaults = {
            "required": self.location == "path",
            "style": "form" if form else "simple",
            "explode": (self.style or "form") == "form" and form,
        }
        for name, default in defaults.items():
            if getattr(self, name) in (None, ""):
                object.__setattr__(self, name, default)


@dataclass(frozen=True, slots=True)
class Pagination:
    """Where a list keeps its cursor: query parameters by argument name, properties by path.

    Attributes:
        resume: whether the last cursor may be asked again later for what was added.
        interval: seconds between two such requests at least.
        expired: error code of a cursor that the list does not reach back to any more.
    """

    cursor: str
    items: tuple[str, ...]
    next: tuple[str, ...]
    more: tuple[str, ...] = ()
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
    """An answer that is known by its HTTP status and its error code."""

    status: int
    code: str


@dataclass(frozen=True, slots=True)
class Operation(Generic[Result]):
    """One operation; `Result` is what a successful call returns.

    Attributes:
        id: operationId of the document.
        handler: name of the handler's method in the server stub.
        path: template below the base URL, `/orders/{order_id}`.
        body: name of the model of the JSON body; None when there is no JSON body.
        body_type: media type of the request body; None when there is no body.
        refusals: error codes of their own that properties of the JSON body have for values
            they refuse for their form (`x-contract-invalid`), by path: names and, for any item
            of an array, `*`, with dots between.
        responses: by status pattern (`201`, `2XX`, `default`) the name of the JSON body's
            model; None for a response without a body, `bytes` for one that is not JSON.
        security: the credentials that let a caller in (OpenAPI 3.1.1, 4.8.30); an empty
            alternative lets in everybody.
        server: of its own, in place of those of the document.
        idempotent: whether sending the request twice is the same as sending it once
            (RFC 9110, 9.2.2, or declared by `x-contract-idempotency`).
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
    body: str | None = None
    body_type: str | None = None
    body_required: bool = True
    refusals: Mapping[str, str] = field(default_factory=dict[str, str])
    responses: Mapping[str, str | None] = field(default_factory=dict[str, str | None])
    security: Security = ()
    server: Server | None = None
    idempotent: bool = False
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
    def has_result(self) -> bool:
        """Whether a success has a body."""
        return any(model for status, model in self.responses.items() if status[0] == "2")

    def model_for(self, status: int) -> tuple[bool, str | None]:
        """Tell whether `status` is declared and which model its JSON body has.

        `default` stands for a success only where no other success is declared.
        """
        for pattern in (str(status), f"{status // 100}XX"):
            if pattern in self.responses:
                return True, self.responses[pattern]
        is_success = 200 <= status < 300
        if "default" in self.responses and not (
            is_success and any(each[0] == "2" for each in self.responses)
        ):
            return True, self.responses["default"]
        return False, None


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
        value = getattr(value, name, None)
    return value

"""The plan of an operation: everything that client and server know about it, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Location = Literal["path", "query", "header", "cookie"]
Kind = Literal["string", "integer", "number", "boolean", "array", "object", "any"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter: `name` is the Python argument, `wire` what travels.

    `model` names the type in the package's `models` that validates a value, `kind` the JSON
    type that its text stands for; `style` and `explode` are those of OpenAPI 3.1.1.
    """

    name: str
    wire: str
    location: Location
    model: str | None = None
    kind: Kind = "string"
    item_kind: Kind = "string"
    required: bool = False
    style: str = "form"
    explode: bool = True
    default: object = None


@dataclass(frozen=True, slots=True)
class Pagination:
    """Where a list keeps its cursor: query parameters by argument name, properties by path."""

    cursor: str
    items: tuple[str, ...]
    next: tuple[str, ...]
    more: tuple[str, ...] = ()
    resume: bool = False


@dataclass(frozen=True, slots=True)
class Idempotency:
    """How a repeated request is recognised: `key` is the path of the body's property."""

    key: tuple[str, ...]
    replay_header: str
    replay_value: str
    in_progress: int
    changed: int


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation.

    Attributes:
        path: template below the base URL, `/orders/{order_id}`.
        body: name of the model of the JSON body, None when there is no JSON body.
        body_type: media type of the request body; None when there is none.
        responses: by status pattern (`201`, `2XX`, `default`) the model's name, or None for
            a response without a JSON body.
        idempotent: whether sending the request twice is the same as sending it once
            (RFC 9110, 9.2.2, or declared by `x-contract-idempotency`).
        one_of: groups of query arguments at least one of which must be given, with the
            error code of their absence.
        rate_limit: name of the class of `x-contract-rate-limit`.
    """

    id: str
    handler: str
    method: str
    path: str
    parameters: tuple[Parameter, ...] = ()
    body: str | None = None
    body_type: str | None = None
    body_required: bool = True
    responses: Mapping[str, str | None] = field(default_factory=dict)
    secured: bool = True
    idempotent: bool = False
    idempotency: Idempotency | None = None
    pagination: Pagination | None = None
    one_of: tuple[tuple[tuple[str, ...], str | None], ...] = ()
    rate_limit: str | None = None

    def model_for(self, status: int) -> tuple[bool, str | None]:
        """Tell whether `status` is declared and which model its JSON body has."""
        for pattern in (str(status), f"{status // 100}XX", "default"):
            if pattern in self.responses:
                return True, self.responses[pattern]
        return False, None

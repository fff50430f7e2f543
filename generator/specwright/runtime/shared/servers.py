"""The servers of the document, with the variables in their URLs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ServerVariable:
    """A variable in a server's URL (OpenAPI 3.1.1, 4.8.6).

    Attributes:
        argument: name of the client's argument.
        default: None if the caller has to choose.
        values: the allowed values; empty if any text is allowed.
    """

    argument: str
    default: str | None = None
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Server:
    """A server (OpenAPI 3.1.1, 4.8.5); its URL has variables in braces."""

    url: str
    variables: Mapping[str, ServerVariable] = field(default_factory=dict[str, ServerVariable])

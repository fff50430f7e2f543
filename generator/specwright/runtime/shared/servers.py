"""Where an API is: the servers of the document, with what varies in their URLs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ServerVariable:
    """A part of a server's URL (OpenAPI 3.1.1, 4.8.6).

    Attributes:
        argument: of the client.
        default: None where the caller has to choose.
        values: those that there are; empty where any text may stand.
    """

    argument: str
    default: str | None = None
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Server:
    """A server (OpenAPI 3.1.1, 4.8.5); its variables stand in braces in its URL."""

    url: str
    variables: Mapping[str, ServerVariable] = field(default_factory=dict[str, ServerVariable])

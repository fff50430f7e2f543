"""Base URLs of requests: the servers of the document, or the caller's own URL."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from ...shared.servers import Server, ServerVariable
from ..errors import InvalidArgumentError
from ..service import Service

_PRINTED = re.compile("[!-~]+")


@dataclass(frozen=True, slots=True)
class Address:
    """A base URL and its host."""

    url: str
    host: str


class Addresses:
    """The base URLs of a client.

    Args:
        base_url: one of the document's servers, as written there, or any other URL, which
            replaces all servers; None uses the environment variable, or else the first server.
            A server that only some operations declare applies to those alone.
        variables: values of the server variables, by client argument; None for the default.

    Raises:
        InvalidArgumentError: the base URL is missing or invalid.
    """

    def __init__(
        self, service: Service, base_url: str | None, variables: Mapping[str, object]
    ) -> None:
        setting = service.variable("base_url")
        self._way_out = f"pass base_url or set {setting}"
        self._variables = variables
        self._own: dict[str, Address] = {}
        address = (base_url or os.environ.get(setting) or "").rstrip("/")
        self._given = address
        chosen = [server for server in service.servers if _is_at(server.url, address)]
        is_own = any(
            _is_at(operation_server, address) for operation_server in service.operation_servers
        )
        self._is_moved = address != "" and not chosen and not is_own
        if self._is_moved:
            # Not shown in the error: the URL may contain a password.
            self.base = self._address(
                address,
                "the base URL must be an HTTP URL in ASCII, without user, query or fragment",
            )
        else:
            self.base = self._of_server(next(iter(chosen or service.servers), Server("/")))

    def of(self, servers: Sequence[Server]) -> Address:
        """Return the base URL of an operation.

        Args:
            servers: the operation's own servers; the first is used unless another was chosen.

        Raises:
            InvalidArgumentError: the URL is invalid.
        """
        if not servers or self._is_moved:
            return self.base
        server = next(
            (candidate for candidate in servers if _is_at(candidate.url, self._given)), servers[0]
        )
        if server.url not in self._own:
            self._own[server.url] = self._of_server(server, f"{self.base.url}/")
        return self._own[server.url]

    def _of_server(self, server: Server, base: str = "") -> Address:
        url = server.url
        for name, variable in server.variables.items():
            url = url.replace(f"{{{name}}}", self._value(variable))
        if base == "" and url in ("", "/"):
            raise InvalidArgumentError(f"the document declares no server; {self._way_out}")
        if base == "" and url.startswith("/"):
            raise InvalidArgumentError(f"the document's server URL has no host; {self._way_out}")
        return self._address(
            urljoin(base, url), "the document's server URL is not a valid HTTP URL"
        )

    def _value(self, variable: ServerVariable) -> str:
        name = variable.argument
        value = self._variables.get(name)
        if value is None:
            value = variable.default
        if value is None:
            raise InvalidArgumentError(
                f"{name} is required for the server URL; pass it or base_url"
            )
        if not isinstance(value, str) or not _PRINTED.fullmatch(value):
            raise InvalidArgumentError(f"{name} is not valid in a URL")
        if variable.values and value not in variable.values:
            raise InvalidArgumentError(f"{name} must be one of {', '.join(variable.values)}")
        return value

    def _address(self, url: str, otherwise: str) -> Address:
        host = host_of(url)
        if host is None:
            raise InvalidArgumentError(f"{otherwise}; {self._way_out}")
        return Address(url.rstrip("/"), host)


def _is_at(url: str, base: str) -> bool:
    return url.rstrip("/") == base


def host_of(url: str) -> str | None:
    """Return the host and port of an HTTP base URL; None if the URL is invalid."""
    try:
        parts = urlsplit(url)
        is_usable = (
            parts.scheme in ("http", "https")
            and parts.hostname
            and parts.port != 0
            and not (parts.query or parts.fragment or "@" in parts.netloc)
        )
    except ValueError:
        return None
    return parts.netloc if is_usable and _PRINTED.fullmatch(url) else None


def origin_of(url: str) -> str:
    """Return the scheme and host of an HTTP URL."""
    return "/".join(url.split("/", 3)[:3])

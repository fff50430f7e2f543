"""The servers of a document: those of all operations, and those of some."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice, product
from urllib.parse import SplitResult, urljoin, urlsplit

from specwright.document.model import Document
from specwright.document.operations.naming import variable_name
from specwright.document.operations.sites import Direction, OperationSite, operations
from specwright.json_values import (
    JsonObject,
    JsonValue,
    mapping,
    sequence,
)
from specwright.pointer import Pointer
from specwright.runtime.shared.servers import Server, ServerVariable

_VARIABLE = re.compile(r"\{([^{}]*)\}")
# What precedes the path of a URL: a scheme, and an authority.
_ORIGIN = re.compile(r"([^/?#]*:)?//[^/?#]*")
# The most values of the variables of one server that are tried; they multiply.
_MOST_VALUES = 100


def servers(document: Document) -> tuple[Server, ...]:
    """Return the servers of the operations that have none of their own, the default one first."""
    declared = _servers(document.data.get("servers"))
    if declared:
        return declared
    own = [servers_of(site) for site in operations(document) if site.direction is Direction.PATH]
    # A client needs no other address if every operation has its own.
    return own[0][:1] if own and all(own) else ()


def servers_of(operation: OperationSite) -> tuple[Server, ...]:
    """Return an operation's own servers, the default first (OpenAPI 3.1.1, 4.8.9 and 4.8.10)."""
    declared = (_servers(site.value.get("servers")) for site in (operation, operation.item))
    return next((value for value in declared if value), ())


def own_servers(document: Document) -> tuple[Server, ...]:
    """Return the servers that only some operations have."""
    return tuple(
        server
        for site in operations(document)
        if site.direction is Direction.PATH
        for server in servers_of(site)
    )


def all_servers(document: Document) -> tuple[Server, ...]:
    """Return all servers at which operations may be called."""
    return (*servers(document), *own_servers(document))


def base_paths(servers: Iterable[Server]) -> tuple[str, ...]:
    """Return the paths of servers, that of the first with its default values first.

    A variable that may have any text remains in braces, after its default.
    """
    urls = (url for server in servers for url in islice(_urls(server), _MOST_VALUES))
    paths = (_ORIGIN.sub("", url, count=1).partition("?")[0].strip("/") for url in urls)
    return tuple(dict.fromkeys(f"/{path}" if path else "" for path in paths))


def base_urls(document: Document, url: str) -> Mapping[Pointer, str | None]:
    """Return the base URLs of the operations with servers of their own; None on another host.

    Args:
        url: the base URL of the other operations, at which one of the servers of the document is
            found, such as an instance for tests.
    """
    target, usual = urlsplit(url), _addresses(servers(document))
    hosts = {"", target.netloc, *(address.netloc for address in usual)}
    paths = [address.path.rstrip("/") for address in usual] or [""]
    below = max(
        (path for path in paths if target.path.endswith(path)), key=len, default=target.path
    )
    origin = target._replace(path=target.path.removesuffix(below), query="", fragment="").geturl()
    own = {site.pointer: servers_of(site) for site in operations(document)}
    return {
        pointer: next(
            (
                origin + address.path.rstrip("/")
                for address in _addresses(declared)
                if address.netloc in hosts
            ),
            None,
        )
        for pointer, declared in own.items()
        if declared
    }


def _addresses(servers: tuple[Server, ...]) -> list[SplitResult]:
    """Return the addresses of servers, with paths that begin with a slash, if they have any."""
    addresses = []
    for server in servers:
        for url in islice(_urls(server), _MOST_VALUES):
            # A host may be no address at all, such as `[`.
            with suppress(ValueError):
                addresses.append(urlsplit(urljoin("/", url)))
    return addresses


def _urls(server: Server) -> Iterator[str]:
    names = list(server.variables)
    choices = [
        dict.fromkeys((variable.default, *(variable.values or [f"{{{name}}}"])))
        for name, variable in server.variables.items()
    ]
    for values in product(*choices):
        url = server.url
        for name, value in zip(names, values, strict=True):
            url = url if value is None else url.replace(f"{{{name}}}", value)
        yield url


def _servers(declared: JsonValue) -> tuple[Server, ...]:
    holders = (holder for holder in sequence(declared) if isinstance(holder, dict))
    return tuple(server for holder in holders for server in _read(holder))


def _read(declared: JsonObject) -> Iterator[Server]:
    url = str(declared.get("url", "/"))
    described = mapping(declared.get("variables"))
    variables = {
        name: _variable(name, mapping(described.get(name))) for name in _VARIABLE.findall(url)
    }
    if [url.strip("/")] == [f"{{{name}}}" for name in variables]:
        # A variable that is the whole URL is the base URL of the client.
        (whole,) = variables.values()
        values = dict.fromkeys((whole.default, *whole.values))
        yield from (Server(value) for value in values if value is not None)
    else:
        yield Server(url, variables)


def _variable(name: str, declared: JsonValue) -> ServerVariable:
    described = mapping(declared)
    default = described.get("default")
    return ServerVariable(
        variable_name(name),
        None if default is None else str(default),
        tuple(map(str, sequence(described.get("enum")))),
    )

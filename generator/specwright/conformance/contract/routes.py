"""Routing: the operation that a request is for, and the values in its path."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from specwright.conformance.contract.contract import Contract, ContractOperation
from specwright.document.operations.paths import PathIndex
from specwright.document.operations.servers import base_urls
from specwright.document.operations.sites import OperationSite
from specwright.pointer import Pointer

# Values of a path parameter that make another path.
_WAYS = frozenset({".", ".."})


class ContractRoutes:
    """The operations of a contract, by their URLs at a target."""

    def __init__(self, contract: Contract, base_url: str) -> None:
        """Compile the patterns of all paths, below the base URL of their operations."""
        self._contract = contract
        self.operations = tuple(operation.site for operation in contract.operations.values())
        self._by_route = {
            (operation.key, operation.method): operation for operation in self.operations
        }
        own = base_urls(contract.document, base_url)
        # Several operations of a path may be at different servers.
        self._places = {
            operation.pointer: (_path_of(own.get(operation.pointer), base_url), operation.key)
            for operation in self.operations
        }
        self._index = PathIndex(
            ("".join(self._places[pointer]), operation)
            for pointer, operation in contract.operations.items()
        )
        base_path = _path_of(None, base_url)
        self._uncalled = PathIndex((base_path + key, method) for method, key in contract.uncalled)

    def find(self, path: str, method: str) -> OperationSite | None:
        """Return the operation with a path, as the document writes it, and a method."""
        return self._by_route.get((path, method))

    def at(self, pointer: Pointer) -> OperationSite | None:
        """Return the operation at a pointer of the document."""
        operation = self._contract.operations.get(pointer)
        return None if operation is None else operation.site

    def operation(self, method: str, url: str) -> ContractOperation | None:
        """Return the operation of a request; of several, that of the most specific path."""
        matches = self._index.matches(urlsplit(url).path)
        return next((match for match, _ in matches if match.method == method), None)

    def is_uncalled(self, method: str, url: str) -> bool:
        """Return whether a request is for an operation that exists, but is not tested."""
        return any(other == method for other, _ in self._uncalled.matches(urlsplit(url).path))

    def path(self, url: str) -> tuple[str, list[str]] | None:
        """Return the path of the document that a URL matches, with the values in it."""
        for operation, values in self._matches(url):
            return operation.site.key, values
        return None

    def _matches(self, url: str) -> Iterator[tuple[ContractOperation, list[str]]]:
        """Yield the operations that a URL matches, with the values of their own variables."""
        for operation, values in self._index.matches(urlsplit(url).path):
            # Those of the path of a server come first.
            yield operation, [*values][len(values) - len(operation.template.names) :]

    def path_values(self, operation: OperationSite, url: str) -> dict[str, str] | None:
        """Return the path parameters of a request; None if its path is ambiguous."""
        values_of = {
            self._places[match.pointer]: dict(zip(match.template.names, values, strict=True))
            for match, values in self._matches(url)
        }
        own = self._places[operation.pointer]
        if values_of.keys() != {own}:
            return None
        values = values_of[own]
        return None if any(v in _WAYS or "/" in v for v in values.values()) else values


def _path_of(own: str | None, base_url: str) -> str:
    return urlsplit(base_url if own is None else own).path.rstrip("/")

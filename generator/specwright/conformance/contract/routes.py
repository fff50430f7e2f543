"""Routing: the operation that a request is for, and the values in its path."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import unquote, urlsplit

from specwright.conformance.contract.contract import Contract, ContractOperation
from specwright.document.operations.servers import base_urls
from specwright.document.operations.sites import OperationSite
from specwright.pointer import Pointer

_PARAMETER = re.compile(r"\{([^{}]+)\}")
# Values of a path parameter that make another path.
_WAYS = frozenset({"", ".", ".."})


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
        self._base_path = urlsplit(base_url).path.rstrip("/")
        # Several operations of a path may be at different servers.
        self._places = {
            operation.pointer: (_path_of(own.get(operation.pointer), base_url), operation.key)
            for operation in self.operations
        }
        self._forms = {place: _form(*place) for place in self._places.values()}

    def find(self, path: str, method: str) -> OperationSite | None:
        """Return the operation with a path, as the document writes it, and a method."""
        return self._by_route.get((path, method))

    def at(self, pointer: Pointer) -> OperationSite | None:
        """Return the operation at a pointer of the document."""
        operation = self._contract.operations.get(pointer)
        return None if operation is None else operation.site

    def operation(self, method: str, url: str) -> ContractOperation | None:
        """Return the operation of a request; of several, the one with the fewest path variables."""
        path = urlsplit(url).path
        fitting = [
            operation
            for operation in self._contract.operations.values()
            if operation.method == method and self._forms[self._places[operation.pointer]](path)
        ]
        return min(fitting, key=lambda each: len(each.template.names), default=None)

    def is_uncalled(self, method: str, url: str) -> bool:
        """Return whether a request is for an operation that exists, but is not tested."""
        path = urlsplit(url).path
        return any(
            each == method and _form(self._base_path, key)(path)
            for each, key in self._contract.uncalled
        )

    def path(self, url: str) -> tuple[str, list[str]] | None:
        """Return the path of the document that a URL matches, with the values in it."""
        called = urlsplit(url).path
        matches = [
            (key, match) for (_, key), form in self._forms.items() if (match := form(called))
        ]
        if not matches:
            return None
        path, match = min(matches, key=lambda each: len(each[1].groups()))
        return path, [unquote(value) for value in match.groups()]

    def path_values(self, operation: OperationSite, url: str) -> dict[str, str] | None:
        """Return the path parameters of a request; None if its path is ambiguous."""
        path = urlsplit(url).path
        matches = {place: match for place, form in self._forms.items() if (match := form(path))}
        own = self._places[operation.pointer]
        if set(matches) != {own}:
            return None
        names = _PARAMETER.findall(operation.key)
        values = [unquote(value) for value in matches[own].groups()]
        if any(value in _WAYS or "/" in value for value in values):
            return None
        return dict(zip(names, values, strict=True))


def _path_of(own: str | None, base_url: str) -> str:
    return urlsplit(base_url if own is None else own).path.rstrip("/")


def _form(base_path: str, path: str) -> Callable[[str], re.Match[str] | None]:
    literals = _PARAMETER.split(path)[::2]
    return re.compile(re.escape(base_path) + "([^/]*)".join(map(re.escape, literals))).fullmatch

"""From a request to the operation that it is for, and to the values in its path."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import unquote, urlsplit

from specwright.document.model import Document
from specwright.document.sites import Direction, OperationSite, operations
from specwright.pointer import Pointer

_PARAMETER = re.compile(r"\{([^{}]+)\}")
# Values of a path parameter that lead somewhere else.
_WAYS = frozenset({"", ".", ".."})


class Routes:
    """The operations of a document that a target can be asked for."""

    def __init__(self, document: Document, base_url: str) -> None:
        """Collect the operations of the paths of a document, below an address."""
        self.operations = tuple(
            each for each in operations(document) if each.direction is Direction.PATH
        )
        self._by_route = {(each.key, each.method): each for each in self.operations}
        base_path = urlsplit(base_url).path.rstrip("/")
        self._forms = {each.key: _form(base_path, each.key) for each in self.operations}

    def find(self, path: str, method: str) -> OperationSite | None:
        """The operation of a path as the document writes it, and a method."""
        return self._by_route.get((path, method))

    def at(self, pointer: Pointer) -> OperationSite | None:
        """The operation at a place of the document."""
        return next((each for each in self.operations if each.pointer == pointer), None)

    def path_values(self, operation: OperationSite, url: str) -> dict[str, str] | None:
        """The path parameters of a request; None if its path may also be read in another way."""
        path = urlsplit(url).path
        matches = {each: match for each, form in self._forms.items() if (match := form(path))}
        if set(matches) != {operation.key}:
            return None
        names = _PARAMETER.findall(operation.key)
        values = [unquote(value) for value in matches[operation.key].groups()]
        if any(value in _WAYS or "/" in value for value in values):
            return None
        return dict(zip(names, values, strict=True))


def _form(base_path: str, path: str) -> Callable[[str], re.Match[str] | None]:
    literals = _PARAMETER.split(path)[::2]
    return re.compile(re.escape(base_path) + "([^/]*)".join(map(re.escape, literals))).fullmatch

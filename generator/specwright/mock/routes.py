"""The operations of a document by path, below the paths of its servers."""

from __future__ import annotations

from collections.abc import Mapping

from specwright.document.model import Document
from specwright.document.operations import sites
from specwright.document.operations.paths import PathIndex
from specwright.document.operations.servers import base_paths, servers, servers_of
from specwright.document.operations.sites import Direction, OperationSite


class Routes:
    """The operations of a document, each at the paths of all its servers.

    An operation with servers of its own is also at those of the document: a client with another
    base URL uses it for all operations.

    Attributes:
        base_path: the path of the first server; empty if it has none.
        operations: all operations.
        own: the paths of servers that only some operations have, each with its operations.
    """

    def __init__(self, document: Document) -> None:
        general = base_paths(servers(document)) or ("",)
        self.base_path = general[0]
        self.operations = [
            operation
            for operation in sites.operations(document)
            if operation.direction is Direction.PATH
        ]
        self.own: dict[str, list[OperationSite]] = {}
        entries: list[tuple[str, OperationSite]] = []
        for operation in self.operations:
            own = [path for path in base_paths(servers_of(operation)) if path not in general]
            for path in own:
                self.own.setdefault(path, []).append(operation)
            entries += [(path + operation.key, operation) for path in (*own, *general)]
        self._index = PathIndex(entries)
        self._bases = PathIndex((path, path) for path in (*general, *self.own))
        self._without_base = PathIndex((operation.key, operation) for operation in self.operations)

    def at(self, path: str) -> Mapping[str, OperationSite]:
        """Return the operations at a path by method; each is that of the most specific path."""
        operations: dict[str, OperationSite] = {}
        for operation, _ in self._index.matches(path):
            operations.setdefault(operation.method, operation)
        return operations

    def is_base(self, path: str) -> bool:
        """Return whether this is the path of a server itself."""
        return any(self._bases.matches(path.rstrip("/")))

    def is_without_base(self, path: str) -> bool:
        """Return whether a path would have operations below the path of the server."""
        return any(self._without_base.matches(path))

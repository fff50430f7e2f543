"""The base URIs of the schemas of a document (JSON Schema 2020-12, core, 8.2.1)."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urldefrag, urljoin

from specwright.document.shape import Node
from specwright.pointer import ROOT, Pointer


class BaseUris:
    """The URIs of the resources in a document: of itself, and of the schemas with an `$id`.

    Args:
        own: the URI of the document; empty if it names none.
        nodes: its objects, parents first.

    Attributes:
        by_place: the URIs by the places of the resources.
    """

    def __init__(self, own: str, nodes: Iterable[Node]) -> None:
        self.by_place = {ROOT: own}
        for node in nodes:
            if node.kind == "schema" and isinstance(id := node.value.get("$id"), str):
                self.by_place[node.pointer] = urldefrag(self.absolute(id, node.pointer)).url

    def absolute(self, ref: str, place: Pointer) -> str:
        """Return a reference at a place as a URI."""
        base = self.by_place[self.resource(place)]
        return base + ref if ref.startswith("#") else urljoin(base, ref)

    def resource(self, pointer: Pointer) -> Pointer:
        """Return the nearest schema around a place, or there, that has an `$id`."""
        if len(self.by_place) == 1:
            return ROOT
        while pointer not in self.by_place:
            pointer = pointer.rpartition("/")[0]
        return pointer

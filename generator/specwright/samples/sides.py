"""Schemas of several documents written so that one schema can hold parts of any."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from specwright.document.applicators import Subschema
from specwright.document.model import Document
from specwright.pointer import Pointer, resolve


@dataclass(frozen=True, slots=True)
class Side:
    """A document, and the address that its schemas have among those of others."""

    document: Document
    address: str

    def reference(self, pointer: Pointer) -> dict[str, Any]:
        """A reference that schemas of any of the documents can hold."""
        return {"$ref": f"{self.address}#{quote(pointer)}"}

    def written(self, place: Subschema) -> Any:
        """A reference to a schema; the schema itself if the document does not have it so."""
        is_there = self._at(place.pointer) is place.value
        return self.reference(place.pointer) if is_there else self.absolute(place.value)

    def _at(self, pointer: Pointer) -> Any:
        """The value at a place; None where the document has none, as of a slot without schema."""
        try:
            return resolve(self.document.data, pointer)
        except KeyError:
            return None

    def absolute(self, value: Any) -> Any:
        """The value with all its references written so."""
        if isinstance(value, list):
            return [self.absolute(each) for each in value]
        if not isinstance(value, dict):
            return value
        written = {name: self.absolute(each) for name, each in value.items()}
        ref = value.get("$ref")
        if self.document.is_local(ref):
            written |= self.reference(self.document.target(ref))
        return written

    def whole(self, places: tuple[Subschema, ...]) -> Any:
        """The schema that all places together are."""
        members = [self.written(each) for each in places]
        return members[0] if len(members) == 1 else {"allOf": members}

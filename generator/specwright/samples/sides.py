"""Schemas of several documents with absolute references, so that one schema can combine them."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from specwright.document.model import Document
from specwright.document.schemas.applicators import Subschema
from specwright.json_values import JsonObject, JsonValue, mapping
from specwright.pointer import Pointer, resolve


@dataclass(frozen=True, slots=True)
class Side:
    """A document, and the base address of its schemas among those of other documents."""

    document: Document
    address: str

    def reference(self, pointer: Pointer) -> JsonObject:
        """Return a reference that is valid in schemas of any of the documents."""
        return {"$ref": f"{self.address}#{quote(pointer)}"}

    def written(self, place: Subschema) -> JsonObject | bool:
        """Return a reference to a schema, or the schema itself if the document lacks it."""
        if self._at(place.pointer) is place.value:
            return self.reference(place.pointer)
        value = self.absolute(place.value)
        return value if isinstance(value, bool) else mapping(value)

    def _at(self, pointer: Pointer) -> JsonValue:
        """Return the value at a pointer; None if it is missing, as for a slot without a schema."""
        try:
            return resolve(self.document.data, pointer)
        except KeyError:
            return None

    def absolute(self, value: JsonValue) -> JsonValue:
        """Return the value with all its references made absolute."""
        if isinstance(value, list):
            return [self.absolute(item) for item in value]
        if not isinstance(value, dict):
            return value
        written = {name: self.absolute(each) for name, each in value.items()}
        ref = value.get("$ref")
        if self.document.is_local(ref):
            written |= self.reference(self.document.target(ref))
        return written

    def whole(self, places: tuple[Subschema, ...]) -> JsonObject | bool:
        """Return one schema that combines those at all places."""
        members = [self.written(place) for place in places]
        return members[0] if len(members) == 1 else {"allOf": [*members]}

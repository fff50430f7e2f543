"""The forms of bodies: media types, the schemas of their values, and the parts of forms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from specwright.document.model import Document
from specwright.document.operations import sites
from specwright.document.operations.sites import Site
from specwright.document.schemas.applicators import Subschema, applying
from specwright.document.schemas.inheritance import properties
from specwright.document.schemas.xml_shapes import XmlDescriptions
from specwright.ir.constructed import constructed
from specwright.ir.kinds import COMPOSITE, MAX_DEPTH, Kinds, kinds
from specwright.ir.model.bodies import EventDefinition, MediaTypeDefinition, PartDefinition
from specwright.ir.model.values import Constructed, Kind
from specwright.ir.types import Types
from specwright.json_values import JsonValue, mapping
from specwright.runtime.shared.media.medium import Medium
from specwright.runtime.shared.media.table import MEDIA
from specwright.text import Text

JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Contents:
    """The forms of the bodies of a document."""

    document: Document
    types: Types
    xml: XmlDescriptions

    def of(self, holder: Site) -> tuple[MediaTypeDefinition, ...]:
        """Return all forms of a body, the usual one first."""
        contents = [self._content(*entry) for entry in sites.contents(self.document, holder)]
        return tuple(sorted(contents, key=lambda content: _rank(content.medium)))

    def usual(self, holder: Site) -> Site | None:
        """Return the media type object of the usual form, if a schema describes its members."""
        contents = [
            (self._medium(name, content), content)
            for name, content in sites.contents(self.document, holder)
        ]
        medium, content = min(contents, key=lambda pair: _rank(pair[0]), default=(None, None))
        return content if medium is not None and medium.is_object else None

    def _content(self, media_type: str, site: Site) -> MediaTypeDefinition:
        # A range cannot be sent as a media type.
        media_type = sites.concrete(self.document, media_type, site)
        medium = self._medium(media_type, site)
        slot = sites.value_schema(self.document, media_type, site)
        return MediaTypeDefinition(
            Text(media_type),
            None if slot is None else self.types.slot(slot.pointer, slot.value),
            medium,
            tuple(self._parts(site)) if medium.has_parts else (),
            self._xml_node(media_type, site),
            tuple(self._events(media_type, site)),
        )

    def _events(self, media_type: str, site: Site) -> Iterator[EventDefinition]:
        """Yield the data of events, if the document says more of them than that they are events."""
        kinds = sites.events(self.document, media_type, site)
        if not any(kind.is_json or kind.names for kind in kinds):
            return
        for kind in kinds:
            data = kind.json_schema
            type_ = None if data is None else self.types.slot(data.pointer, data.value)
            yield EventDefinition(tuple(map(Text, kind.names)), kind.is_json, type_)

    def _medium(self, media_type: str, site: Site) -> Medium:
        return sites.medium_at(
            self.xml.document, media_type, sites.at(self.xml.document, site.pointer)
        )

    def _xml_node(self, media_type: str, site: Site) -> Constructed | None:
        """Return the root element of a body in XML; None if it is in another form, or a text."""
        written = sites.at(self.xml.document, site.pointer)
        schema = sites.xml_schema(self.xml.document, media_type, written)
        return None if schema is None else constructed(self.xml.root(schema).node)

    def _parts(self, content: Site) -> Iterator[PartDefinition]:
        """Yield the properties of a form with text that is not simply their value."""
        encoding = dict(sites.members(self.document, content, "encoding"))
        schema = sites.schema(self.document, content)
        for name, value in self._members(Subschema(schema.pointer, schema.value)).items():
            declared = encoding.get(name, Site("", {})).value
            media_type, style = declared.get("contentType"), declared.get("style")
            types = kinds(self.document, value, depth=MAX_DEPTH if style == "deepObject" else 1)
            is_json = style is None and (types.kind is Kind.OBJECT or _has_composites(types))
            part = PartDefinition(
                Text(name),
                types.kind,
                types.inner,
                types.alone,
                Text(media_type) if isinstance(media_type, str) else None,
                # OpenAPI 3.1.1, 4.8.15: the default for objects.
                "content" if is_json else str(style or "form"),
                declared.get("explode") is not False,
            )
            if part != PartDefinition(part.name, Kind.STRING, {}, None, None, "form", True):
                yield part

    def _members(self, schema: Subschema) -> dict[str, JsonValue]:
        """Return the schemas of the properties of a form, which its alternatives may declare."""
        own = properties(self.document, schema)
        others: dict[str, list[JsonValue]] = {}
        for part in applying(self.document, [schema]):
            for name, value in mapping(mapping(part.value).get("properties")).items():
                if name not in own:
                    others.setdefault(name, []).append(value)
        return {name: member.schema.value for name, member in own.items()} | {
            name: {"anyOf": values} for name, values in others.items()
        }


def _has_composites(types: Kinds) -> bool:
    return types.inner.get(Text("*")) in COMPOSITE


def _rank(medium: Medium) -> int:
    """Return the place of a form among those that are sent and requested by default."""
    return MEDIA.index(medium) if medium.is_object else len(MEDIA)

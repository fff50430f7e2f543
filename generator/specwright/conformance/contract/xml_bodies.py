"""Bodies in XML as the values of their schemas."""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.etree import ElementTree

from specwright.document.model import Document
from specwright.document.operations.sites import Site, is_xml, xml_schema
from specwright.document.schemas.xml_shapes import XmlDescriptions
from specwright.json_values import JsonValue
from specwright.pointer import Pointer
from specwright.runtime.shared.media.text import charset_parameter
from specwright.runtime.shared.xml.nodes import XmlRoot
from specwright.runtime.shared.xml.parsing import parse
from specwright.runtime.shared.xml.reading import value_of
from specwright.runtime.shared.xml.writing import root_name, write


@dataclass(frozen=True, slots=True)
class XmlBody:
    """A body that was read.

    Attributes:
        value: that of the schema.
        fault: why the document is not that of the value, apart from its schema; empty if it is.
        is_canonical: whether it is the document that a generated client sends for the value.
    """

    value: JsonValue
    fault: str
    is_canonical: bool


@dataclass(frozen=True, slots=True)
class XmlBodies:
    """The bodies of a document in XML."""

    document: Document
    _roots: dict[Pointer, XmlRoot | None] = field(default_factory=dict)

    def root(self, media_type: str, content: Site) -> XmlRoot | None:
        """Return the description of a content; None if it is not XML, or only a text."""
        if not is_xml(media_type):
            return None
        if content.pointer not in self._roots:
            schema = xml_schema(self.document, media_type, content)
            root = None if schema is None else XmlDescriptions(self.document).root(schema)
            self._roots[content.pointer] = root
        return self._roots[content.pointer]

    @staticmethod
    def read(root: XmlRoot, data: bytes, media_type: str) -> XmlBody:
        """Return the value of a body, received as `media_type`.

        Raises:
            NotWellFormedError: it is not XML.
            ValueError: it is XML that programs may refuse, such as a document with a type
                declaration.
        """
        element = parse(data, charset_parameter(media_type))
        value = value_of(root, element)
        name = root_name(root, value)
        fault = (
            "" if element.name == name else f"the root element is '{element.name}', not '{name}'"
        )
        return XmlBody(value, fault, _is_canonical(root, data, value))


def _is_canonical(root: XmlRoot, data: bytes, value: JsonValue) -> bool:
    try:
        ours, theirs = (
            ElementTree.canonicalize(text, strip_text=True, rewrite_prefixes=True)
            for text in (write(root, value), data)
        )
    except (ValueError, ElementTree.ParseError):
        return False
    return ours == theirs

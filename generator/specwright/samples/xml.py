"""Values as XML, as the runtime writes them."""

from __future__ import annotations

import re

from specwright.document.model import Document
from specwright.document.operations.sites import Site
from specwright.document.schemas.applicators import Subschema
from specwright.document.schemas.xml_shapes import XmlDescriptions, name_in_xml
from specwright.json_values import JsonValue
from specwright.runtime.shared.xml.nodes import XmlRoot
from specwright.runtime.shared.xml.writing import write

_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
# XML 1.0, 2.2.
_NOT_A_CHARACTER = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def root_of(document: Document, content: Site) -> XmlRoot:
    """Return the description of the bodies of a media type object."""
    schema = Subschema(content / "schema", content.value.get("schema", {}))
    return XmlDescriptions(document).root(schema)


def as_xml(root: XmlRoot, value: JsonValue) -> str:
    """Return a sample as XML; a text that is XML already stays as it is.

    Characters that XML lacks are replaced, as samples may have any.
    """
    if isinstance(value, str) and is_markup(value):
        return value
    return _DECLARATION + write(root, _writable(value))


def is_markup(text: str) -> bool:
    """Return whether a text looks like XML."""
    return text.lstrip().startswith("<")


def _writable(value: JsonValue) -> JsonValue:
    match value:
        case str():
            return _NOT_A_CHARACTER.sub("\ufffd", value)
        case list():
            return [_writable(item) for item in value]
        case dict():
            return {name_in_xml(key): _writable(member) for key, member in value.items()}
    return value

"""Values as XML, with the names that schemas give their parts (OAS 3.2.0, 4.24: XML Object)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape

from specwright.document.model import Document
from specwright.document.operations.sites import Site, essence
from specwright.document.schemas.applicators import (
    REFERENCES,
    Subschema,
    applying,
    held,
    of_item,
    of_property,
    spread,
)
from specwright.json_values import JsonObject, JsonValue, mapping
from specwright.pointer import split

# A body whose schema has neither a name for XML nor one among the components.
_UNNAMED = "data"
# Of XML 1.0: the characters that a name lacks, by ASCII alone, and those that no text may have.
_NOT_IN_NAMES = re.compile(r"[^0-9A-Za-z_.\-\u00b7-\uffff]")
_NOT_IN_TEXTS = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NIL = ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"'


def is_xml(media_type: str) -> bool:
    """Return whether content of a media type is XML (RFC 7303, 9)."""
    return essence(media_type).endswith(("/xml", "+xml"))


def as_xml(document: Document, content: Site, value: JsonValue) -> str:
    """Return a value of a media type object as XML; a text that is XML already stays as it is."""
    if isinstance(value, str) and is_markup(value):
        return value
    return xml(document, Subschema(content / "schema", content.value.get("schema", True)), value)


def is_markup(text: str) -> bool:
    """Return whether a text looks like XML."""
    return text.lstrip().startswith("<")


def xml(document: Document, schema: Subschema, value: JsonValue) -> str:
    """Return an XML document for a value of a schema.

    Its root has the name of the schema: that of its XML Object, or else of the component.
    """
    schemas = list(spread([schema], lambda part: held(document, part, REFERENCES)))
    keys = [key for part in schemas for key in _component(part)]
    # XML has one root, so a list at the root is always wrapped.
    root = _element(document, (keys or [_UNNAMED])[0], [schema], value, is_root=True)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + "".join(root)


def _component(schema: Subschema) -> Iterator[str]:
    match split(schema.pointer):
        case ("components", "schemas", key):
            yield key


def _element(
    document: Document,
    name: str,
    schemas: Sequence[Subschema],
    value: JsonValue,
    *,
    is_root: bool = False,
) -> Iterator[str]:
    """Yield the elements of a value: one, or one for each item of a list that is not wrapped."""
    applied = [*applying(document, schemas)]
    described = _xml_object(document, schemas)
    kind = _node_type(described, value)
    if is_root and kind != "element":
        kind = "element"
    if isinstance(value, list):
        own = _name(described, name) if kind == "element" else name
        items = [
            part
            for index, item in enumerate(value)
            for part in _element(
                document,
                own,
                [
                    part_schema
                    for schema in applied
                    for part_schema in of_item(document, schema, index)
                ],
                item,
            )
        ]
        yield from _tagged(described, own, "", items) if kind == "element" else items
    elif kind == "text" or (kind == "none" and not isinstance(value, dict)):
        yield _text(value)
    elif kind == "cdata":
        yield "<![CDATA[" + _clean(_scalar(value)).replace("]]>", "]]]]><![CDATA[>") + "]]>"
    elif isinstance(value, dict):
        attributes, content = _members(document, applied, value)
        if kind == "none":
            yield from content
        else:
            yield from _tagged(described, _name(described, name), attributes, content)
    elif value is None:
        yield from _tagged(described, _name(described, name), _NIL, ())
    else:
        yield from _tagged(described, _name(described, name), "", [_text(value)])


def _members(
    document: Document, applied: Sequence[Subschema], members: JsonObject
) -> tuple[str, list[str]]:
    """Return the attributes and the content of an element for an object."""
    attributes, content = "", list[str]()
    for name, member in members.items():
        schemas = [
            member_schema
            for schema in applied
            for member_schema in of_property(document, schema, name)
        ]
        described = _xml_object(document, schemas)
        if _node_type(described, member) != "attribute":
            content += _element(document, name, schemas, member)
        elif member is not None:
            qualified = _qualified(described, _name(described, name))
            attributes += _namespace(described, is_default=False)
            attributes += f" {qualified}={_quoted(_clean(_scalar(member)))}"
    return attributes, content


def _xml_object(document: Document, schemas: Iterable[Subschema]) -> JsonObject:
    """Return the first XML Object of schemas, of their references, and of their `allOf`."""
    whole = spread(schemas, lambda schema: held(document, schema, (*REFERENCES, "allOf")))
    objects = (mapping(mapping(schema.value).get("xml")) for schema in whole)
    return next(filter(None, objects), {})


def _node_type(described: JsonObject, value: JsonValue) -> str:
    """Return the kind of node; `attribute` and `wrapped` are its older spellings."""
    declared = described.get("nodeType")
    if isinstance(declared, str):
        return declared
    if described.get("attribute") is True:
        return "attribute"
    return "none" if isinstance(value, list) and described.get("wrapped") is not True else "element"


def _tagged(
    described: JsonObject, name: str, attributes: str, content: Iterable[str]
) -> Iterator[str]:
    qualified = _qualified(described, name)
    attributes = _namespace(described, is_default=True) + attributes
    inner = "".join(content)
    end = f">{inner}</{qualified}>" if inner else "/>"
    yield f"<{qualified}{attributes}{end}"


def _name(described: JsonObject, name: str) -> str:
    declared = described.get("name")
    return declared if isinstance(declared, str) and declared else name


def _qualified(described: JsonObject, name: str) -> str:
    prefix = described.get("prefix")
    parts = [prefix, name] if isinstance(prefix, str) and prefix else [name]
    return ":".join(map(_token, parts))


def _token(name: str) -> str:
    """Return a name in which characters that names of XML lack are underscores."""
    token = _NOT_IN_NAMES.sub("_", name)
    return token if token[:1].isalpha() or token[:1] == "_" else f"_{token}"


def _namespace(described: JsonObject, *, is_default: bool) -> str:
    """Return the declaration of a namespace; an attribute has one only by a prefix."""
    namespace, prefix = described.get("namespace"), described.get("prefix")
    if not isinstance(namespace, str):
        return ""
    if isinstance(prefix, str) and prefix:
        return f" xmlns:{_token(prefix)}={_quoted(_clean(namespace))}"
    return f" xmlns={_quoted(_clean(namespace))}" if is_default else ""


def _text(value: JsonValue) -> str:
    return escape(_clean(_scalar(value)), quote=False)


def _scalar(value: JsonValue) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value)


def _clean(text: str) -> str:
    return _NOT_IN_TEXTS.sub("\ufffd", text)


def _quoted(value: str) -> str:
    # Imported here: it loads a client for HTTP, which takes 0.03 s, and few documents have XML.
    from xml.sax.saxutils import quoteattr

    return quoteattr(value)

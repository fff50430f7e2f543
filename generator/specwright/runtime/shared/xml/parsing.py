"""Parsing of XML 1.0 with namespaces, without document type declarations and so without entities.

A declaration could define entities that expand to any size, or that name files and addresses. None
of the five predefined entities, nor a character reference, needs one.
"""

from __future__ import annotations

import codecs
from collections.abc import Mapping, Sequence
from xml.parsers import expat

from .nodes import XSI

# Reading a level takes up to six calls, of which Python allows 1000 within each other.
MAX_DEPTH = 100
# No document contains it, not even as a character reference (XML 1.0, 2.2).
_SEPARATOR = "\x01"
# Encodings of which the parser reads every character, and every parser has to know the first two.
_ENCODINGS = frozenset({"utf-8", "utf-16", "utf-16-le", "utf-16-be", "iso8859-1", "ascii"})
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    **dict.fromkeys((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE), "utf-16"),
}
_TRUE = frozenset({"true", "1"})
_NONE: Mapping[tuple[str, str], str] = {}


class NotWellFormedError(ValueError):
    """The bytes are not XML at all."""


class Cdata(str):
    """The text of a CDATA section."""

    __slots__ = ()


class Element:
    """An element of a document.

    Attributes:
        namespace: the IRI of its namespace; empty without one.
        name: the local name.
        attributes: the values of attributes by namespace and local name.
        content: its elements and texts, in their order.
    """

    __slots__ = ("attributes", "content", "name", "namespace")

    def __init__(
        self, namespace: str, name: str, attributes: Mapping[tuple[str, str], str] = _NONE
    ) -> None:
        self.namespace = namespace
        self.name = name
        self.attributes = attributes
        self.content: list[Element | str] = []

    @property
    def elements(self) -> list[Element]:
        """The elements in it."""
        return [part for part in self.content if isinstance(part, Element)]

    @property
    def text(self) -> str:
        """The text in it, without that of its elements."""
        return "".join(part for part in self.content if isinstance(part, str))

    @property
    def is_nil(self) -> bool:
        """Whether it is null (`xsi:nil`)."""
        return self.attributes.get((XSI, "nil"), "").strip() in _TRUE


def parse(data: bytes, charset: str | None = None) -> Element:
    """Return the root element of a document.

    Args:
        charset: that of the media type, which a byte order mark overrides, and which overrides the
            declaration in the document (RFC 7303, 3).

    Raises:
        NotWellFormedError: the bytes are not well-formed XML.
        ValueError: the document has a document type declaration, is nested too deeply, or is in
            another encoding than UTF-8, UTF-16, ISO-8859-1 and US-ASCII.
    """
    marked = next((_MARKS[mark] for mark in _MARKS if data.startswith(mark)), None)
    named = marked or (None if charset is None else _known(charset))
    try:
        # A parser of text ignores the encoding in the declaration.
        text = data if named is None else data.decode(named)
    except UnicodeDecodeError:
        raise NotWellFormedError(f"it is not in the encoding {named}") from None
    builder = _Builder()
    parser = expat.ParserCreate(namespace_separator=_SEPARATOR)
    parser.buffer_text = True
    parser.ordered_attributes = True
    if named is None:
        parser.XmlDeclHandler = _refuse_unknown
    parser.StartDoctypeDeclHandler = builder.refuse
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.text
    parser.StartCdataSectionHandler = builder.start_cdata
    parser.EndCdataSectionHandler = builder.end_cdata
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        place = f"line {error.lineno}, column {error.offset + 1}"
        raise NotWellFormedError(f"{place}: {reason}") from None
    return builder.document.elements[0]


def _known(charset: str) -> str:
    try:
        name = codecs.lookup(charset).name
    except LookupError:
        name = ""
    if name not in _ENCODINGS:
        raise ValueError(f"the encoding {charset[:40]!r} is not supported")
    return name


def _refuse_unknown(version: str, encoding: str | None, standalone: int) -> None:
    if encoding is not None:
        _known(encoding)


class _Builder:
    """Makes elements of the events of a parser."""

    def __init__(self) -> None:
        self.document = Element("", "")
        self._open = [self.document]
        self._is_cdata = False

    def refuse(self, name: str, system: str | None, public: str | None, internal: bool) -> None:
        raise ValueError("a document type declaration is not allowed")

    def start(self, name: str, attributes: Sequence[str]) -> None:
        if len(self._open) > MAX_DEPTH:
            raise ValueError("too many nested elements")
        pairs = zip(attributes[::2], attributes[1::2], strict=True)
        values = {_split(key): value for key, value in pairs} if attributes else _NONE
        element = Element(*_split(name), values)
        self._open[-1].content.append(element)
        self._open.append(element)

    def end(self, name: str) -> None:
        self._open.pop()

    def text(self, text: str) -> None:
        self._open[-1].content.append(Cdata(text) if self._is_cdata else text)

    def start_cdata(self) -> None:
        self._is_cdata = True
        # An empty section has no text, and still ends the space before it.
        self.text("")

    def end_cdata(self) -> None:
        self._is_cdata = False


def _split(name: str) -> tuple[str, str]:
    namespace, _, local = name.rpartition(_SEPARATOR)
    return namespace, local

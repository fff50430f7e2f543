"""JSON values as XML."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from .choosing import node_of_value
from .nodes import ANY, XML, XSI, XmlNode, XmlRoot, XmlShape
from .parsing import MAX_DEPTH
from .scalars import written

# The root of a body whose schema names none.
_UNNAMED = "data"
# A name without a prefix (Namespaces in XML 1.0, 4; XML 1.0, 2.3).
_START = (
    "A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d"
    "\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
NAME = re.compile(f"[{_START}][{_START}\\-.0-9\u00b7\u0300-\u036f\u203f-\u2040]*")
# XML 1.0, 2.2.
_NOT_A_CHARACTER = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# Parsers replace carriage returns, and in attributes all white space (XML 1.0, 2.11 and 3.3.3).
_IN_TEXT = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;", ord("\r"): "&#13;"}
_IN_ATTRIBUTE = {**_IN_TEXT, ord('"'): "&quot;", ord("\t"): "&#9;", ord("\n"): "&#10;"}
# What ends a CDATA section, or is read as another character.
_NOT_IN_CDATA = {"]]>": "]]]]><![CDATA[>", "\r": "]]>&#13;<![CDATA["}
_Path = tuple[str, ...]
_Scope = Mapping[str, str]


def write(root: XmlRoot, value: JsonValue) -> str:
    """Return the document for a value, without a declaration of its encoding.

    Raises:
        ValueError: a text has a character that XML does not have, a key is not a name, an
            attribute or text would be an object or a list, or the value is nested too deeply; the
            message begins with the path of it.
    """
    writer = _Writer(root)
    writer.element(root.node, root_name(root, value), value, (), {})
    return "".join(writer.parts)


def root_name(root: XmlRoot, value: JsonValue) -> str:
    """Return the local name of the root element for a value."""
    return root.node.name or node_of_value(root, root.node, value).name or _UNNAMED


@dataclass(slots=True)
class _Tag:
    """A start tag that gets its attributes while the content of its element is written.

    Attributes:
        scope: the namespaces by prefix of the element; the default one has the empty prefix.
    """

    name: str
    scope: dict[str, str]
    own: dict[str, str] = field(default_factory=dict[str, str])
    attributes: dict[str, str] = field(default_factory=dict[str, str])

    def declare(self, prefix: str, namespace: str) -> str:
        """Declare a namespace, and return its prefix: another one if the wanted one is taken."""
        if prefix == "xml" or namespace == XML:
            return "xml"
        wanted, number = prefix, 0
        while self.own.get(prefix, namespace) != namespace:
            number += 1
            prefix = f"{wanted or 'ns'}{number}"
        if self.scope.get(prefix) != namespace:
            self.own[prefix] = self.scope[prefix] = namespace
        return prefix

    def __str__(self) -> str:
        declared = {
            f"xmlns:{prefix}" if prefix else "xmlns": self.own[prefix] for prefix in self.own
        }
        pairs = {**declared, **self.attributes}.items()
        return self.name + "".join(f' {name}="{v.translate(_IN_ATTRIBUTE)}"' for name, v in pairs)


@dataclass(slots=True)
class _Writer:
    root: XmlRoot
    parts: list[str] = field(default_factory=list[str])

    def element(
        self, node: XmlNode, name: str, value: JsonValue, path: _Path, scope: _Scope
    ) -> None:
        if len(path) > MAX_DEPTH:
            raise ValueError(f"{path[0]}: too many nested values")
        tag = _Tag(name, dict(scope))
        prefix = node.prefix
        if node.namespace:
            prefix = tag.declare(prefix, node.namespace)
        if prefix and (node.namespace or prefix in scope):
            tag.name = f"{prefix}:{name}"
        start = len(self.parts)
        self.parts.append("")
        if value is None:
            tag.attributes[f"{tag.declare('xsi', XSI)}:nil"] = "true"
        else:
            self._content(node, name, value, path, tag)
        is_empty = len(self.parts) == start + 1
        self.parts[start] = f"<{tag}/>" if is_empty else f"<{tag}>"
        if not is_empty:
            self.parts.append(f"</{tag.name}>")

    def _content(self, node: XmlNode, name: str, value: JsonValue, path: _Path, tag: _Tag) -> None:
        shape = self.root.shape(node_of_value(self.root, node, value))
        if isinstance(value, dict):
            self._members(shape, value, path, tag)
        elif isinstance(value, list):
            self._items(shape, name, value, path, tag)
        elif text := _characters(written(value), path):
            self.parts.append(text.translate(_IN_TEXT))

    def _members(
        self, shape: XmlShape, value: Mapping[str, JsonValue], path: _Path, tag: _Tag
    ) -> None:
        # Programs that follow an XML Schema expect the elements in its order.
        for key in (*shape.members, *(key for key in value if key not in shape.members)):
            if key in value:
                node = shape.members.get(key) or shape.others or ANY
                self._member(node, key, value[key], (*path, key), tag)

    def _member(self, node: XmlNode, key: str, value: JsonValue, path: _Path, tag: _Tag) -> None:
        match node.type:
            case "attribute":
                if value is not None:
                    self._attribute(node, key, value, path, tag)
            case "text" | "cdata":
                self._text(node, value, path)
            case "none" if isinstance(value, dict):
                shape = self.root.shape(node_of_value(self.root, node, value))
                self._members(shape, value, path, tag)
            case "none" if isinstance(value, list):
                shape = self.root.shape(node_of_value(self.root, node, value))
                self._items(shape, _name(node, key, path), value, path, tag)
            case _ if isinstance(value, list) and not self.root.shape(node).types:
                # Nothing says that this is a list, so it is written without an element of its own.
                self._items(self.root.shape(node), _name(node, key, path), value, path, tag)
            case _:
                if node.type == "none":
                    node = self._nil(node)
                self.element(node, _name(node, key, path), value, path, tag.scope)

    def _nil(self, node: XmlNode) -> XmlNode:
        """Return the node of null in place of a list, which looks like an item."""
        return self.root.shape(node).items or ANY

    def _items(
        self, shape: XmlShape, name: str, items: list[JsonValue], path: _Path, tag: _Tag
    ) -> None:
        for index, item in enumerate(items):
            node = shape.first[index] if index < len(shape.first) else shape.items or ANY
            at = (*path, str(index))
            if node.type in ("text", "cdata"):
                self._text(node, item, at)
            else:
                self.element(node, node.name or name, item, at, tag.scope)

    def _attribute(self, node: XmlNode, key: str, value: JsonValue, path: _Path, tag: _Tag) -> None:
        name = _name(node, key, path)
        if node.namespace and node.prefix:
            name = f"{tag.declare(node.prefix, node.namespace)}:{name}"
        if name in tag.attributes:
            raise ValueError(f"{'.'.join(path)}: another attribute is called '{name}'")
        tag.attributes[name] = _characters(_plain(value, path), path)

    def _text(self, node: XmlNode, value: JsonValue, path: _Path) -> None:
        text = _characters(_plain(value, path), path)
        if node.type == "cdata" and text:
            for characters, reference in _NOT_IN_CDATA.items():
                text = text.replace(characters, reference)
            self.parts.append(f"<![CDATA[{text}]]>")
        elif text:
            self.parts.append(text.translate(_IN_TEXT))


def _name(node: XmlNode, key: str, path: _Path) -> str:
    if not node.name and not NAME.fullmatch(key):
        raise ValueError(f"{'.'.join(path)}: this is not a name in XML")
    return node.name or key


def _plain(value: JsonValue, path: _Path) -> str:
    if isinstance(value, dict | list):
        raise ValueError(f"{'.'.join(path)}: an object or a list is not a text in XML")
    return written(value)


def _characters(text: str, path: _Path) -> str:
    match = _NOT_A_CHARACTER.search(text)
    if match is not None:
        place = ".".join(path)
        message = f"the character U+{ord(match[0]):04X} is not allowed in XML"
        raise ValueError(f"{place}: {message}" if place else message)
    return text

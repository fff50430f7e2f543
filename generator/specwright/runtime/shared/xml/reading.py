"""Values of XML as JSON has them.

A text becomes a number or a boolean where the schema has these types. What does not fit is returned
as it looks, so that the schema refuses it at its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from .choosing import node_of_element, own_attributes
from .nodes import ANY, XmlNode, XmlRoot, XmlShape, owner
from .parsing import Cdata, Element, parse
from .scalars import SCALARS, scalar

_SPACE = " \t\r\n"


def read(root: XmlRoot, data: bytes, charset: str | None = None) -> JsonValue:
    """Return the value of a document; the name of its root element says nothing about it.

    Args:
        charset: as for `parse`.

    Raises:
        ValueError: as for `parse` and `value_of`.
    """
    return value_of(root, parse(data, charset))


def value_of(root: XmlRoot, element: Element) -> JsonValue:
    """Return the value of a root element.

    Raises:
        ValueError: an object or a list has text between its elements.
    """
    return _Reader(root).value(root.node, element)


@dataclass(frozen=True, slots=True)
class _Missing:
    """The absence of a member."""


_MISSING = _Missing()


@dataclass(frozen=True, slots=True)
class _Reader:
    root: XmlRoot

    def value(self, node: XmlNode, element: Element) -> JsonValue:
        if element.is_nil and self.root.shape(node).allows("null"):
            return None
        shape = self.root.shape(node_of_element(self.root, node, element))
        is_structured = bool(element.content and element.elements) or bool(own_attributes(element))
        if is_structured or (shape.types and SCALARS.isdisjoint(shape.types)):
            if "array" in shape.types and "object" not in shape.types:
                return self._items(shape, element.content)
            return self._object(shape, element)
        return scalar(shape, element.text)

    def _object(self, shape: XmlShape, element: Element) -> JsonValue:
        names = self.root.names(shape)
        if not names.has_text and shape.types and element.text.strip(_SPACE):
            if element.elements:
                raise ValueError(f"there is text between the elements of '{element.name}'")
            # Not an object, as the schema will say.
            return element.text
        value, others = self._members(shape, element)
        for name, elements in others.items():
            node = shape.members.get(name)
            # An attribute may be written as an element.
            is_attribute = node is not None and node.type == "attribute"
            other = node if node and is_attribute else shape.others or ANY
            value.setdefault(name, self._other(other, elements))
        for (namespace, name), text in own_attributes(element).items():
            if not namespace and owner(names.attributes.get(name, []), namespace) is None:
                value.setdefault(name, scalar(self.root.shape(shape.others or ANY), text))
        return value

    def _members(
        self, shape: XmlShape, element: Element
    ) -> tuple[dict[str, JsonValue], dict[str, list[Element]]]:
        """Return the declared members of an object, and the other elements by name."""
        names = self.root.names(shape)
        declared: dict[str, list[Element]] = {}
        others: dict[str, list[Element]] = {}
        for child in element.elements:
            member = owner(names.elements.get(child.name, []), child.namespace)
            held = others if member is None else declared
            held.setdefault(child.name if member is None else member, []).append(child)
        value: dict[str, JsonValue] = {}
        for name in shape.members:
            part = self._member(shape, name, element, declared.get(name, []))
            if not isinstance(part, _Missing):
                value[name] = part
        return value, others

    def _member(
        self, owner_: XmlShape, name: str, element: Element, elements: list[Element]
    ) -> JsonValue | _Missing:
        node = owner_.members[name]
        shape, is_required = self.root.shape(node), name in owner_.required
        match node.type:
            case "attribute":
                text = _attribute(element, node.namespace, node.name or name)
                if text is None:
                    return None if "null" in shape.types else _MISSING
                return scalar(shape, text)
            case "text" | "cdata":
                text = _text(element, is_cdata=node.type == "cdata")
                return scalar(shape, text) if text or is_required else _MISSING
            case "none" if "object" in shape.types or shape.alternatives:
                value, _ = self._members(
                    self.root.shape(node_of_element(self.root, node, element)), element
                )
                return value if value or is_required else _MISSING
            case "none":
                return self._list(shape, elements, is_required=is_required)
            case "element":
                return self._one(node, elements)

    def _one(self, node: XmlNode, elements: list[Element]) -> JsonValue | _Missing:
        if len(elements) != 1:
            # Several are not one value, as the schema will say.
            return [self.value(node, element) for element in elements] or _MISSING
        types = self.root.shape(node).types
        is_empty = not (elements[0].content or elements[0].attributes)
        # An empty element is neither a number nor a boolean: some serializers write null so.
        if is_empty and types and {"boolean", "integer", "number"}.issuperset(types):
            return _MISSING
        return self.value(node, elements[0])

    def _list(
        self, shape: XmlShape, elements: list[Element], *, is_required: bool
    ) -> JsonValue | _Missing:
        """Return the items of an array that has no element of its own."""
        is_nil = len(elements) == 1 and elements[0].is_nil and "null" in shape.types
        if is_nil and not self.root.shape(_item(shape, 0)).allows("null"):
            return None
        if not elements and not is_required:
            return _MISSING
        return self._items(shape, elements)

    def _items(self, shape: XmlShape, content: Sequence[Element | str]) -> JsonValue:
        items: list[JsonValue] = []
        for part in _parts(shape, content):
            node = _item(shape, len(items))
            if isinstance(part, Element):
                items.append(self.value(node, part))
            else:
                items.append(scalar(self.root.shape(node), part))
        return items

    def _other(self, node: XmlNode, elements: list[Element]) -> JsonValue:
        """Return a member that the schema does not name."""
        shape = self.root.shape(node)
        if node.type == "none" and "array" in shape.types:
            return self._items(shape, elements)
        values = [self.value(node, element) for element in elements]
        return values[0] if len(values) == 1 else values


def _item(shape: XmlShape, index: int) -> XmlNode:
    return shape.first[index] if index < len(shape.first) else shape.items or ANY


def _parts(shape: XmlShape, content: Sequence[Element | str]) -> Iterator[Element | str]:
    """Yield the elements of a list, and a text where an item is one, even an empty one."""
    index, text = 0, ""
    for part in content:
        if isinstance(part, str):
            text += part
            continue
        if _item(shape, index).type in ("text", "cdata"):
            yield text
            index += 1
        elif text.strip(_SPACE):
            raise ValueError(f"there is text before the element '{part.name}'")
        yield part
        index, text = index + 1, ""
    if index < len(shape.first) and shape.first[index].type in ("text", "cdata"):
        yield text
    elif text.strip(_SPACE):
        raise ValueError("there is text after the elements of a list")


def _attribute(element: Element, namespace: str, name: str) -> str | None:
    return element.attributes.get((namespace, name))


def _text(element: Element, *, is_cdata: bool) -> str:
    """Return the text of an element, without the space around its elements or CDATA sections."""
    content = [part for part in element.content if isinstance(part, str)]
    sections = [at for at, part in enumerate(content) if isinstance(part, Cdata)]
    if is_cdata and sections:
        before, after = content[: sections[0]], content[sections[-1] + 1 :]
        inner = content[sections[0] : sections[-1] + 1]
        return "".join(before).lstrip(_SPACE) + "".join(inner) + "".join(after).rstrip(_SPACE)
    return element.text.strip(_SPACE) if element.elements else element.text

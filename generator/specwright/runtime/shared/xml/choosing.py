"""The alternative of a union that a value or an element fits best.

Only the names in an object and the texts of its members count, never what is in these: the time is
that of reading the element once for each alternative, at any depth.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from .nodes import XML, XSI, JsonType, XmlNode, XmlRoot, XmlShape, owner
from .parsing import Element
from .scalars import SCALARS, fits, written

# The weights of another tag, of another contradiction, and of an undeclared name.
_OTHER, _WRONG, _STRANGE = 1_000_000, 1_000, 1
_Tags = Mapping[str, tuple[str, ...]]
_TYPES: Mapping[type, tuple[JsonType, ...]] = {
    bool: ("boolean",),
    int: ("integer", "number"),
    float: ("number",),
    str: ("string",),
    list: ("array",),
    dict: ("object",),
    type(None): ("null",),
}


def node_of_value(root: XmlRoot, node: XmlNode, value: JsonValue) -> XmlNode:
    """Return the node of the first alternative that a JSON value fits best; else the node."""
    leaves = root.leaves(node)
    if len(leaves) == 1:
        return leaves[0][0]
    return min(leaves, key=lambda leaf: _misfit_of_value(root, leaf[0], leaf[1], value))[0]


def node_of_element(root: XmlRoot, node: XmlNode, element: Element) -> XmlNode:
    """Return the node of the first alternative that an element fits best; else the node."""
    leaves = root.leaves(node)
    if len(leaves) == 1:
        return leaves[0][0]
    return min(leaves, key=lambda leaf: _misfit_of_element(root, leaf[0], leaf[1], element))[0]


def own_attributes(element: Element) -> Mapping[tuple[str, str], str]:
    """Return the attributes that belong to the value, without those of XML itself."""
    if not element.attributes:
        return element.attributes
    return {name: value for name, value in element.attributes.items() if name[0] not in (XML, XSI)}


def _misfit_of_value(root: XmlRoot, node: XmlNode, tags: _Tags, value: JsonValue) -> int:
    shape = root.shape(node)
    if not any(map(shape.allows, _TYPES[type(value)])):
        return _WRONG
    if not isinstance(value, dict):
        is_other = isinstance(value, str | int | float) and not fits(shape, written(value))
        return _WRONG if is_other else 0
    misfit = _WRONG * sum(name not in value for name in shape.required)
    misfit += _OTHER * sum(value.get(tag) not in own for tag, own in tags.items())
    for name, member in value.items():
        declared = shape.members.get(name)
        if declared is None:
            misfit += _WRONG if shape.is_closed else _STRANGE
        elif isinstance(member, str | int | float):
            misfit += 0 if _may_be(root.shape(declared), written(member)) else _WRONG
    return misfit


def _misfit_of_element(root: XmlRoot, node: XmlNode, tags: _Tags, element: Element) -> int:
    shape = root.shape(node)
    if element.is_nil:
        return 0 if shape.allows("null") else _WRONG
    attributes, elements = own_attributes(element), element.elements
    if not shape.allows("object"):
        if elements or attributes:
            return _misfit_of_items(shape, elements) if "array" in shape.types else _WRONG
        text = element.text
        is_scalar = not SCALARS.isdisjoint(shape.types)
        return 0 if (fits(shape, text) if is_scalar else not text.strip()) else _WRONG
    names, texts = root.names(shape), dict[str, str]()
    misfit = 0
    for (namespace, name), text in attributes.items():
        member = owner(names.attributes.get(name, []), namespace)
        misfit += 0 if member else _WRONG if shape.is_closed else _STRANGE
        texts[member or ""] = text
    for child in elements:
        member = owner(names.elements.get(child.name, []), child.namespace)
        misfit += 0 if member else _WRONG if shape.is_closed else _STRANGE
        if not child.elements and not child.is_nil:
            texts[member or ""] = child.text
        elif member:
            texts.setdefault(member, "")
    if not elements and not names.has_text and element.text.strip():
        misfit += 0 if not shape.types else _WRONG
    misfit += _OTHER * sum(texts.get(tag) not in own for tag, own in tags.items())
    for name, member_node in shape.members.items():
        inner = root.shape(member_node)
        if name not in texts:
            misfit += _WRONG if name in shape.required and _is_shown(inner, member_node) else 0
        elif not _may_be(inner, texts[name]):
            misfit += _WRONG
    return misfit


def _misfit_of_items(shape: XmlShape, elements: list[Element]) -> int:
    """Return how many elements in a list have other names than its items."""
    names = {item.name for item in (*shape.first, *((shape.items,) if shape.items else ()))}
    is_known = all(names)
    return sum(2 * _STRANGE for element in elements if is_known and element.name not in names)


def _is_shown(shape: XmlShape, node: XmlNode) -> bool:
    """Return whether a member that an object has is seen in its element."""
    if node.type == "attribute":
        return "null" not in shape.types
    return node.type == "element"


def _may_be(shape: XmlShape, text: str) -> bool:
    """Return whether a text may be that of a member; only scalars are looked at."""
    is_scalar = bool(shape.types) and SCALARS.issuperset({*shape.types} - {"null"})
    return not is_scalar or fits(shape, text)

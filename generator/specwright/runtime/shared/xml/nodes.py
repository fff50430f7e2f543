"""The description of a schema's values as XML (OAS 3.2.0, 4.24: XML Object)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

JsonType = Literal["array", "boolean", "integer", "null", "number", "object", "string"]
NodeType = Literal["attribute", "cdata", "element", "none", "text"]

# The namespaces of `xsi:nil` (XML Schema 1.1, structures, 2.7.2) and of `xml:lang`.
XSI = "http://www.w3.org/2001/XMLSchema-instance"
XML = "http://www.w3.org/XML/1998/namespace"


@dataclass(frozen=True, slots=True, eq=False)
class XmlShape:
    """The values of a schema, as far as their XML does not say it.

    Attributes:
        types: the JSON types that values may have; empty if they may have any.
        values: the texts of the only values that are allowed; empty if there are others.
        members: the properties of objects.
        required: the names of the properties that an object must have.
        others: the node of properties that `members` does not name; None if they have any value.
        is_closed: whether there are no others.
        first: the nodes of the first items of arrays.
        items: the node of all other items.
        alternatives: of a union, each with a complete shape.
        tag: the property that tells alternatives apart; empty without one.
    """

    types: tuple[JsonType, ...] = ()
    values: tuple[str, ...] = ()
    members: Mapping[str, XmlNode] = field(default_factory=dict[str, "XmlNode"])
    required: tuple[str, ...] = ()
    others: XmlNode | None = None
    is_closed: bool = False
    first: tuple[XmlNode, ...] = ()
    items: XmlNode | None = None
    alternatives: tuple[XmlNode, ...] = ()
    tag: str = ""

    def allows(self, kind: JsonType) -> bool:
        """Return whether a value may have a type."""
        return not self.types or kind in self.types


@dataclass(frozen=True, slots=True, eq=False)
class XmlNode:
    """The node of a value: an element, an attribute, a text, or only the nodes of its parts.

    Attributes:
        shape: that of the value, or its name among the shapes of the document.
        name: the local name; empty for the name of the property, or of the array around an item.
        type: the `nodeType`; `none` for an array whose items are not in an element of its own.
        namespace: its IRI; empty if none is declared.
        prefix: the prefix of the name; empty for the default namespace.
        tags: of an alternative, the values of the property that tells it from others.
    """

    shape: XmlShape | str
    name: str = ""
    type: NodeType = "element"
    namespace: str = ""
    prefix: str = ""
    tags: tuple[str, ...] = ()


XmlShapes: TypeAlias = Mapping[str, XmlShape]


Owners: TypeAlias = list[tuple[str, str]]
# Alternatives with the values of the properties that tell them from others.
Leaves: TypeAlias = tuple[tuple[XmlNode, Mapping[str, tuple[str, ...]]], ...]


@dataclass(slots=True)
class NodeNames:
    """The properties of an object by the names of their nodes: each with its namespace.

    Attributes:
        has_text: whether a property is the text of the element.
    """

    elements: dict[str, Owners] = field(default_factory=dict[str, Owners])
    attributes: dict[str, Owners] = field(default_factory=dict[str, Owners])
    has_text: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class XmlRoot:
    """The root element of a body.

    Attributes:
        node: the element.
        shapes: those that nodes refer to by name.
    """

    node: XmlNode
    shapes: XmlShapes = field(default_factory=dict[str, XmlShape])
    _names: dict[XmlShape, NodeNames] = field(default_factory=dict[XmlShape, NodeNames], init=False)
    _leaves: dict[XmlShape, Leaves] = field(default_factory=dict[XmlShape, Leaves], init=False)

    def shape(self, node: XmlNode) -> XmlShape:
        """Return the shape of a node."""
        return self.shapes[node.shape] if isinstance(node.shape, str) else node.shape

    def leaves(self, node: XmlNode) -> Leaves:
        """Return the alternatives of a node, with those of unions in it; else the node alone."""
        shape = self.shape(node)
        if shape not in self._leaves:
            self._leaves[shape] = tuple(self._spread(shape, {}, {shape}))
        return self._leaves[shape] or ((node, {}),)

    def _spread(
        self, shape: XmlShape, tags: Mapping[str, tuple[str, ...]], seen: set[XmlShape]
    ) -> Iterator[tuple[XmlNode, Mapping[str, tuple[str, ...]]]]:
        for alternative in shape.alternatives:
            own = {**tags, shape.tag: alternative.tags} if alternative.tags else tags
            inner = self.shape(alternative)
            if not inner.alternatives:
                yield alternative, own
            elif inner not in seen:
                seen.add(inner)
                yield from self._spread(inner, own, seen)

    def names(self, shape: XmlShape) -> NodeNames:
        """Return the names of the nodes of an object's properties."""
        names = self._names.get(shape)
        if names is None:
            names = self._names[shape] = NodeNames()
            for member, node in shape.members.items():
                self._name(names, node, member, member, ())
        return names

    def _name(
        self,
        names: NodeNames,
        node: XmlNode,
        inferred: str,
        member: str,
        above: tuple[XmlShape, ...],
    ) -> None:
        match node.type:
            case "element":
                owners = names.elements.setdefault(node.name or inferred, [])
                owners.append((node.namespace, member))
            case "attribute":
                owners = names.attributes.setdefault(node.name or inferred, [])
                owners.append((node.namespace, member))
            case "text" | "cdata":
                names.has_text = True
            case "none":
                shape = self.shape(node)
                if shape not in above:
                    for key, part in _parts(shape, node.name or inferred):
                        self._name(names, part, key, member, (*above, shape))


def owner(owners: Owners, namespace: str) -> str | None:
    """Return the property with a name in a namespace; one that declares none has it in any."""
    others = (member for declared, member in owners if not declared)
    return next(
        (member for declared, member in owners if declared == namespace), next(others, None)
    )


def _parts(shape: XmlShape, inferred: str) -> Iterator[tuple[str, XmlNode]]:
    """Yield the nodes that a value without a node of its own puts into the element around it."""
    yield from shape.members.items()
    for item in (*shape.first, *((shape.items,) if shape.items else ())):
        yield inferred, item
    for alternative in shape.alternatives:
        yield inferred, replace(alternative, type="none")


# A value that no schema describes.
ANYTHING = XmlShape()
ANY = XmlNode(ANYTHING)

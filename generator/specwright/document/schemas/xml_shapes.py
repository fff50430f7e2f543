"""Schemas as descriptions of XML (OAS 3.1.1, 4.8.26; OAS 3.2.0, 4.24: XML Object)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Literal, cast, get_args

from specwright.document.model import Document
from specwright.document.schemas.applicators import (
    REFERENCES,
    UNIONS,
    WHOLE,
    Subschema,
    held,
    of_property,
    spread,
)
from specwright.document.schemas.discriminator_object import DISCRIMINATOR
from specwright.document.schemas.discriminators import COMPONENTS, Discriminators
from specwright.document.schemas.inheritance import parts as inherited_parts
from specwright.document.schemas.inspection import ANNOTATIONS, listed_values, reference
from specwright.document.schemas.polarity import Polarity, is_left_out
from specwright.document.schemas.value_types import ValueTypes
from specwright.json_values import JsonObject, JsonValue, mapping, sequence, texts
from specwright.pointer import Pointer, join, split
from specwright.runtime.shared.xml.nodes import JsonType, NodeType, XmlNode, XmlRoot, XmlShape
from specwright.runtime.shared.xml.scalars import SCALARS, written
from specwright.runtime.shared.xml.writing import NAME

_NODE_TYPES: frozenset[str] = frozenset(get_args(NodeType))
_CONDITIONAL = ("then", "else", "dependentSchemas")
# The names of JAXB for "as the program calls it", which its documents have.
_JAXB_DEFAULT = "##default"
_NOT_IN_NAMES = re.compile(r"[^0-9A-Za-z_.\-\u00b7-\uffff]")
# Beyond this number, combinations of schemas are described by the first of them.
_MOST_SHAPES = 20_000
# Deeper shapes are outside of those around them, by name.
_MOST_NESTED = 8
_UNFINISHED = XmlShape()
_Place = Literal["root", "member", "first", "item"]


@dataclass(frozen=True, slots=True)
class XmlLimit:
    """A part of a schema with values that XML does not have, or does not tell apart."""

    pointer: Pointer
    message: str


@dataclass(frozen=True, slots=True)
class _Key:
    """A combination of schemas, without the unions of which an alternative was chosen."""

    pointers: tuple[Pointer, ...]
    chosen: frozenset[Pointer]


def is_described(document: Document, schema: Subschema) -> bool:
    """Return whether a schema says more of a body in XML than that it is a text."""
    described = XmlDescriptions(document)
    parts = described.parts([schema])
    if any(mapping(mapping(part.value).get("xml")) for part in parts):
        return True
    types = ValueTypes(document).of([schema])
    return bool(types - {"null", "string"})


@dataclass(slots=True)
class XmlDescriptions:
    """The shapes of a document's schemas, each made once.

    Attributes:
        named: those that nodes refer to by name: components, and combinations of schemas.
        limits: what cannot be said in XML.
    """

    document: Document
    named: dict[str, XmlShape] = field(default_factory=dict)
    limits: dict[Pointer, XmlLimit] = field(default_factory=dict)
    _made: dict[_Key, XmlShape] = field(default_factory=dict)
    _types: ValueTypes = field(init=False)
    _open: dict[_Key, None] = field(default_factory=dict)
    _unfinished: list[tuple[str, Sequence[Subschema], frozenset[Pointer]]] = field(
        default_factory=list
    )
    _checked: set[str] = field(default_factory=set)
    _count: int = 0
    _discriminators: Discriminators = field(init=False)

    def __post_init__(self) -> None:
        """Prepare to read the document's discriminators."""
        self._discriminators = Discriminators(self.document)
        self._types = ValueTypes(self.document)

    def root(self, schema: Subschema) -> XmlRoot:
        """Return the description of bodies with a schema."""
        component = self._named_by([schema])
        node = self._node([schema], component, place="root")
        self._finish()
        for name in self.named.keys() - self._checked:
            self._check_circle(name)
        self._checked.update(self.named)
        return XmlRoot(replace(node, name=node.name or name_in_xml(component)), self.named)

    def inferred_root(self, schema: Subschema) -> str:
        """Return the name that a component gives to a root element; empty if it has another."""
        component = self._named_by([schema])
        described = self._xml_object([schema], has_name=bool(component))
        return "" if _text(described, "name") else name_in_xml(component)

    def _named_by(self, schemas: Sequence[Subschema]) -> str:
        """Return the component that a schema is or refers to; empty if it is none."""
        targets = spread(schemas, lambda part: held(self.document, part, REFERENCES))
        return next(filter(None, (_component(part.pointer) for part in targets)), "")

    def _check_circle(self, name: str) -> None:
        """Give an element to each property that would otherwise contain itself without one."""
        shape = self.named[name]
        for member, node in shape.members.items():
            if node.type == "none" and self._is_circle(name, node, set()):
                pointer = name if name.startswith("/") else COMPONENTS + join(name)
                self._limit(pointer + join("properties", member), "it would contain itself")
                shape = replace(
                    shape, members={**shape.members, member: replace(node, type="element")}
                )
        self.named[name] = shape

    def _is_circle(self, name: str, node: XmlNode, seen: set[str]) -> bool:
        """Return whether the parts of a node reach a shape without an element between them."""
        if isinstance(node.shape, str):
            if node.shape == name:
                return True
            if node.shape in seen:
                return False
            seen.add(node.shape)
        shape = self.named[node.shape] if isinstance(node.shape, str) else node.shape
        parts = [*shape.members.values(), *shape.alternatives]
        return any(
            self._is_circle(name, part, seen)
            for part in parts
            if part.type == "none" or part in shape.alternatives
        )

    def parts(
        self, schemas: Iterable[Subschema], chosen: frozenset[Pointer] = frozenset()
    ) -> list[Subschema]:
        """Return the schemas that all apply to a value of these."""
        return list(spread(schemas, lambda part: self._applying(part, chosen)))

    def _applying(self, schema: Subschema, chosen: frozenset[Pointer]) -> Iterator[Subschema]:
        yield from held(self.document, schema, WHOLE)
        for _, alternatives in self._unions(schema, chosen):
            if len(alternatives) == 1:
                yield from alternatives

    def _unions(
        self, schema: Subschema, chosen: frozenset[Pointer]
    ) -> Iterator[tuple[Pointer, list[Subschema]]]:
        """Yield the unions of a schema, each with its alternatives that are not only null."""
        for keyword in UNIONS:
            pointer = schema.pointer + join(keyword)
            if keyword in mapping(schema.value) and pointer not in chosen:
                alternatives = [*held(self.document, schema, [keyword])]
                yield pointer, [part for part in alternatives if not self._is_null(part)]

    def _is_null(self, schema: Subschema) -> bool:
        value = mapping(self.document.follow(schema.value))
        return (
            value.get("type") == "null"
            or value.get("enum") == [None]
            or ("const" in value and value["const"] is None)
        )

    def _node(
        self, schemas: Sequence[Subschema], inferred: str, *, place: _Place = "member"
    ) -> XmlNode:
        """Return the node of a value of a property, an item or a body.

        Args:
            inferred: the name of the property or component; empty if only the value shows it.
        """
        types = self._types.of(schemas)
        described = self._xml_object(schemas, has_name=bool(inferred))
        pointer = schemas[0].pointer if schemas else ""
        kind = self._node_type(described, types, pointer, place)
        name = self._name(described, inferred, kind, pointer)
        if not types and schemas and mapping(schemas[0].value):
            self._limit(pointer, "a value of any type is read as text, or as an object of texts")
        namespace, prefix = _text(described, "namespace"), name_in_xml(_text(described, "prefix"))
        if kind == "attribute" and not prefix:
            namespace = ""
        return XmlNode(self._shape(schemas), name, kind, namespace, prefix)

    def _node_type(
        self, described: JsonObject, types: frozenset[JsonType], pointer: Pointer, place: _Place
    ) -> NodeType:
        if place == "root":
            return "element"
        is_array = bool(types) and types <= {"array", "null"}
        kind = declared_node_type(described) or ("none" if is_array else "element")
        is_scalar = bool(types) and SCALARS.issuperset(types - {"null"})
        if kind in ("attribute", "cdata", "text") and not is_scalar:
            self._limit(pointer, f"only a text, a number or a boolean can be of nodeType '{kind}'")
            return "element"
        if kind == "none" and is_scalar:
            return "text"
        is_text = kind in ("attribute", "cdata", "text")
        if (place == "item" and is_text) or (place == "first" and kind == "attribute"):
            self._limit(pointer, f"an item of a list cannot be of nodeType '{kind}'")
            return "element"
        if place != "member" and kind == "none":
            if is_array:
                self._limit(pointer, "a list within a list has an element of its own")
            return "element"
        return kind

    def _name(self, described: JsonObject, inferred: str, kind: NodeType, pointer: Pointer) -> str:
        declared = _text(described, "name")
        # An array without an element of its own has no name.
        if kind == "none" or not declared or declared == _JAXB_DEFAULT:
            declared = ""
        name = declared or inferred
        if not name or NAME.fullmatch(name):
            return declared
        self._limit(pointer, f"'{name}' is not a name in XML, so it is '{name_in_xml(name)}'")
        return name_in_xml(name)

    def _xml_object(self, schemas: Iterable[Subschema], *, has_name: bool) -> JsonObject:
        """Return the first XML Object of schemas, of their references, and of their `allOf`.

        Schemas that are composed of several have their own name, if there is any.
        """
        for part in spread(schemas, lambda schema: held(self.document, schema, REFERENCES)):
            described = mapping(mapping(part.value).get("xml"))
            if described:
                return described
            inherited = self._inherited(part)
            if inherited:
                is_named = has_name or bool(_component(part.pointer))
                if not is_named or _is_alias(part):
                    return inherited
                return {key: value for key, value in inherited.items() if key != "name"}
        return {}

    def _inherited(self, schema: Subschema) -> JsonObject:
        bases = [*held(self.document, schema, ["allOf"])]
        whole = spread(bases, lambda part: held(self.document, part, (*REFERENCES, "allOf")))
        objects = (mapping(mapping(part.value).get("xml")) for part in whole)
        return next(filter(None, objects), {})

    def _shape(
        self, schemas: Sequence[Subschema], chosen: frozenset[Pointer] = frozenset()
    ) -> XmlShape | str:
        """Return the shape of schemas, or its name if others may refer to it."""
        if len(schemas) == 1:
            *_, end = spread(schemas, self._target)
            schemas = [end]
        if len(schemas) > 1 and self._count > _MOST_SHAPES:
            schemas = schemas[:1]
        key = _Key(tuple(schema.pointer for schema in schemas), chosen)
        component = _component(key.pointers[0]) if len(schemas) == 1 and not chosen else ""
        name = component or " ".join((*key.pointers, *sorted(chosen)))
        types = self._types.of(schemas)
        if types and SCALARS.issuperset(types - {"null"}):
            # It is shorter than its name.
            return self._described(schemas, chosen)
        if component or key in self._open or len(self._open) >= _MOST_NESTED:
            return self._later(name, schemas, chosen)
        if key in self._made:
            self.named.setdefault(name, self._made[key])
            return name
        self._open[key] = None
        shape = self._made[key] = self._described(schemas, chosen)
        del self._open[key]
        return shape

    def _later(self, name: str, schemas: Sequence[Subschema], chosen: frozenset[Pointer]) -> str:
        """Return the name of a shape that will be made when those around it are finished."""
        if name not in self.named:
            self.named[name] = _UNFINISHED
            self._unfinished.append((name, schemas, chosen))
        return name

    def _finish(self) -> None:
        while self._unfinished:
            name, schemas, chosen = self._unfinished.pop()
            self.named[name] = self._described(schemas, chosen)

    def _target(self, schema: Subschema) -> Iterator[Subschema]:
        """Yield the schema to which another one only refers."""
        if reference(_without_xml(schema.value)):
            yield from held(self.document, schema, ["$ref"])

    def _described(self, schemas: Sequence[Subschema], chosen: frozenset[Pointer]) -> XmlShape:
        self._count += 1
        parts = self.parts(schemas, chosen)
        types = self._types.of(schemas)
        pointer = schemas[0].pointer if schemas else ""
        union = self._heirs(schemas, chosen, types) or self._union(schemas, parts, chosen, types)
        if union is not None:
            return union
        values = self._texts(parts, chosen)
        if "string" in types and types & (SCALARS - {"string"}) and not values:
            self._limit(pointer, "XML does not tell a text from a number or boolean")
        conditional = [
            schema for part in parts for schema in held(self.document, part, _CONDITIONAL)
        ]
        others = [
            alternative
            for part in parts
            for _, alternatives in self._unions(part, chosen)
            for alternative in alternatives
        ]
        shape = XmlShape(types=_sorted(types), values=values)
        if "object" in types:
            shape = self._object(shape, schemas, parts, self.parts([*conditional, *others]))
        if "array" in types:
            shape = self._array(shape, parts)
        return shape

    def _heirs(
        self, schemas: Sequence[Subschema], chosen: frozenset[Pointer], types: frozenset[JsonType]
    ) -> XmlShape | None:
        """Return the shape of a base and its heirs, which its discriminator tells apart."""
        if len(schemas) != 1:
            return None
        discriminator = self._discriminators.of(schemas[0])
        if discriminator is None or not discriminator.is_inherited:
            return None
        if discriminator.pointer in chosen or len(discriminator.alternatives) < 2:
            return None
        own = chosen | {discriminator.pointer}
        alternatives = tuple(
            self._alternative([schema], own if pointer == schemas[0].pointer else frozenset(), tags)
            for pointer, tags in discriminator.alternatives.items()
            for schema in [discriminator.targets[pointer]]
        )
        return XmlShape(_sorted(types), tag=discriminator.name, alternatives=alternatives)

    def _union(
        self,
        schemas: Sequence[Subschema],
        parts: Sequence[Subschema],
        chosen: frozenset[Pointer],
        types: frozenset[JsonType],
    ) -> XmlShape | None:
        """Return the shape of the first union with alternatives that differ; None without one."""
        for part in parts:
            for pointer, alternatives in self._unions(part, chosen):
                if len(alternatives) < 2 or all(map(self._is_plain, alternatives)):
                    continue
                discriminator = self._discriminators.of(part)
                tags = {} if discriminator is None else discriminator.alternatives
                around = [] if _is_only_a_union(schemas, parts) else [*schemas]
                return XmlShape(
                    _sorted(types),
                    tag="" if discriminator is None else discriminator.name,
                    alternatives=tuple(
                        self._alternative(
                            [*around, alternative],
                            chosen | {pointer} if around else frozenset(),
                            tags.get(self._end(alternative), ()),
                        )
                        for alternative in alternatives
                    ),
                )
        return None

    def _alternative(
        self, schemas: Sequence[Subschema], chosen: frozenset[Pointer], tags: tuple[str, ...]
    ) -> XmlNode:
        component = self._named_by(schemas[-1:])
        declared = _text(self._xml_object(schemas[-1:], has_name=bool(component)), "name")
        name = declared if NAME.fullmatch(declared) else name_in_xml(component)
        return XmlNode(self._shape(schemas, chosen), name, tags=tags)

    def _is_plain(self, schema: Subschema) -> bool:
        types = self._types.of([schema])
        return bool(types) and SCALARS.issuperset(types - {"null"})

    def _texts(self, parts: Iterable[Subschema], chosen: frozenset[Pointer]) -> tuple[str, ...]:
        """Return the texts of the only scalars that are allowed; empty if there are others."""
        for part in parts:
            if values := listed_values(mapping(part.value)):
                plain = [value for value in values if value is not None]
                is_plain = not any(isinstance(value, dict | list) for value in plain)
                return tuple(dict.fromkeys(map(written, plain))) if is_plain else ()
            for pointer, alternatives in self._unions(part, chosen):
                inner = chosen | {pointer}
                inner_texts = [
                    self._texts(self.parts([part], inner), inner) for part in alternatives
                ]
                if inner_texts and all(inner_texts):
                    return tuple(dict.fromkeys(chain.from_iterable(inner_texts)))
        return ()

    def _object(
        self,
        shape: XmlShape,
        schemas: Sequence[Subschema],
        parts: Sequence[Subschema],
        conditional: Sequence[Subschema],
    ) -> XmlShape:
        every = [*parts, *conditional]
        bases_first = chain.from_iterable(
            inherited_parts(self.document, schema) for schema in schemas
        )
        names = {
            name: None
            for part in (*bases_first, *every)
            for name in mapping(_of(part, "properties"))
        }
        members: dict[str, XmlNode] = {}
        required: list[str] = []
        attributes: set[tuple[str, str]] = set()
        for name in names:
            declared = self._with_values(
                schema for part in every for schema in of_property(self.document, part, name)
            )
            node = self._node(declared, name)
            if node.type == "attribute":
                key = node.namespace, node.name or name
                if key in attributes:
                    self._limit(declared[0].pointer, f"another attribute is called '{key[1]}'")
                    node = replace(node, type="element")
                attributes.add(key)
            members[name] = node
            is_always = any(name in texts(_of(part, "required")) for part in parts)
            if is_always and not any(
                is_left_out(self.document, declared, polarity) for polarity in Polarity
            ):
                required.append(name)
        others = self._with_values(
            schema
            for part in parts
            for schema in held(
                self.document,
                part,
                ("additionalProperties", "patternProperties", "unevaluatedProperties"),
            )
        )
        is_closed = any(_of(part, "additionalProperties") is False for part in parts)
        described = [schema for schema in others if schema.value]
        return replace(
            shape,
            members=members,
            required=tuple(required),
            others=self._node(described, "") if described else None,
            is_closed=is_closed and not described,
        )

    def _array(self, shape: XmlShape, parts: Sequence[Subschema]) -> XmlShape:
        length = max((len(sequence(_of(part, "prefixItems"))) for part in parts), default=0)
        first = [
            self._with_values(
                schema
                for part in parts
                for schema in [*held(self.document, part, ["prefixItems"])][index : index + 1]
            )
            for index in range(length)
        ]
        items = self._with_values(
            schema
            for part in parts
            for schema in held(self.document, part, ("items", "unevaluatedItems"))
        )
        return replace(
            shape,
            first=tuple(self._node(schemas, "", place="first") for schemas in first),
            items=self._node(items, "", place="item") if items else None,
        )

    def _end(self, schema: Subschema) -> Pointer:
        return self.document.end(schema.pointer, schema.value)[0]

    @staticmethod
    def _with_values(schemas: Iterable[Subschema]) -> list[Subschema]:
        """Return the schemas that have values, each once."""
        objects = (schema for schema in schemas if isinstance(schema.value, dict))
        return [*{schema.pointer: schema for schema in objects}.values()]

    def _limit(self, pointer: Pointer, message: str) -> None:
        self.limits.setdefault(pointer, XmlLimit(pointer, message))


def _sorted(types: Iterable[JsonType]) -> tuple[JsonType, ...]:
    return tuple(sorted(types))


def _of(schema: Subschema, keyword: str) -> JsonValue:
    return mapping(schema.value).get(keyword)


def _component(pointer: Pointer) -> str:
    """Return the key of a component; empty for any other schema."""
    match split(pointer):
        case ("components", "schemas", key):
            return key
    return ""


def _text(described: JsonObject, name: str) -> str:
    value = described.get(name)
    return value if isinstance(value, str) else ""


def name_in_xml(name: str) -> str:
    """Return a name in which characters that names of XML lack are underscores."""
    token = _NOT_IN_NAMES.sub("_", name)
    return token if not token or NAME.fullmatch(token) else f"_{token}"


def declared_node_type(described: JsonObject) -> NodeType | None:
    """Return the kind of node that an XML Object declares; None if that depends on the schema.

    `attribute` and `wrapped` are the spellings of 3.1 (OAS 3.2.0, 4.24.1).
    """
    declared = described.get("nodeType")
    if declared in _NODE_TYPES:
        return cast("NodeType", declared)
    if described.get("attribute") is True:
        return "attribute"
    return "element" if described.get("wrapped") is True else None


def _is_alias(schema: Subschema) -> bool:
    """Return whether a schema is its only `allOf`, as before references could have siblings."""
    others = mapping(schema.value).keys() - {*ANNOTATIONS, "allOf"}
    return len(sequence(_of(schema, "allOf"))) == 1 and all(key.startswith("x-") for key in others)


def _without_xml(schema: JsonValue) -> JsonValue:
    return {key: value for key, value in mapping(schema).items() if key != "xml"}


def _is_only_a_union(schemas: Sequence[Subschema], parts: Sequence[Subschema]) -> bool:
    """Return whether a schema says nothing of its values but the alternatives of one union."""
    others = {*ANNOTATIONS, "xml", DISCRIMINATOR, "type", "nullable"}
    keywords = [key for part in parts for key in mapping(part.value) if key not in others]
    keywords = [key for key in keywords if not key.startswith("x-")]
    return len(schemas) == len(parts) == len(keywords) == 1

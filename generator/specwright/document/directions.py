"""Two schemas in place of one that has members which are only read, or only sent.

`Order` is the schema for reading. Requests, and all schemas that are sent in them, refer to
`OrderInput`. So do those with files where the other direction has texts in their place.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from urllib.parse import quote

from specwright.document.model import Document
from specwright.document.operations import files
from specwright.document.operations.naming import STEP, is_from_place, model_name
from specwright.document.operations.reach import (
    COMPONENTS,
    HELD,
    component_of,
    component_schemas,
    components_of,
    holders,
    reached_components,
)
from specwright.document.schemas.discriminator_object import (
    DISCRIMINATOR,
    mapped,
    remapped,
    tag_property,
)
from specwright.document.schemas.inspection import map_children
from specwright.document.schemas.polarity import LeftOut, Polarity
from specwright.document.schemas.unions import says_its_tag
from specwright.json_values import JsonObject, JsonValue, mapping, sequence, texts
from specwright.pointer import Pointer, join, split

SUFFIX = "Input"

# Names of properties, by the place of a schema.
_Names = Mapping[Pointer, Set[str]]


def split_directions(document: Document) -> Document:
    """Return a normalised document in which requests and responses have schemas of their own."""
    schemas = component_schemas(document)
    left_out = LeftOut(document)
    divided = _divided(document, left_out)
    if not divided:
        return document
    sent = reached_components(document, holders(document, sent=True)) & divided
    read = reached_components(document, holders(document, sent=False))
    here = {key for key in sent - read if is_from_place(key)}
    inputs = _named(schemas, sent - here) | {key: key for key in here}
    to_server = _Rewriting.of(left_out, Polarity.TO_SERVER, inputs)
    to_client = _Rewriting.of(left_out, Polarity.TO_CLIENT, {})
    changed: JsonObject = {}
    for key, schema in schemas.items():
        pointer = COMPONENTS + join(key)
        changed[key] = to_client.schema(schema, pointer) if key in divided - here else schema
        if key in inputs:
            changed[inputs[key]] = to_server.schema(schema, pointer)
    components = {**mapping(document.data["components"]), "schemas": changed}
    for holder in holders(document, sent=True):
        site = holder.site
        for key in HELD & site.value.keys():
            site.value[key] = to_server.schema(site.value[key], site / key)
    return document.with_data({**document.data, "components": components})


def inputs_of(document: Document) -> dict[str, str]:
    """Return the keys of the schemas that have a second one for requests, with its key."""
    divided = _divided(document, LeftOut(document))
    sent = reached_components(document, holders(document, sent=True)) & divided
    return _named(component_schemas(document), sent)


def _named(schemas: Mapping[str, JsonValue], sent: Set[str]) -> dict[str, str]:
    reserved = {model_name(key) for key in schemas}
    return {
        key: key + (STEP if model_name(key + SUFFIX) in reserved else "") + SUFFIX
        for key in schemas
        if key in sent
    }


def _divided(document: Document, left_out: LeftOut) -> set[str]:
    """Return the components that differ between requests and responses."""
    schemas = component_schemas(document)
    keys = {
        split(pointer)[2]
        for polarity in Polarity
        for pointer in left_out.properties(polarity)
        if pointer.startswith(COMPONENTS + "/")
    } | files.directional(document)
    users: dict[str, set[str]] = {}
    for key, each in schemas.items():
        for used in components_of(document, each):
            users.setdefault(used, set()).add(key)
    pending = list(keys)
    while pending:
        new = users.get(pending.pop(), set()) - keys
        keys |= new
        pending.extend(new)
    return keys


@dataclass(frozen=True, slots=True)
class _Rewriting:
    """A rewriting of schemas without the members that one direction leaves out.

    Attributes:
        lacking: the names of the members to leave out, by the schema that declares them.
        unrequired: those by the schema that requires them.
        keys: the keys of components in this direction.
    """

    document: Document
    lacking: _Names
    unrequired: _Names
    keys: Mapping[str, str]

    @classmethod
    def of(cls, left_out: LeftOut, polarity: Polarity, keys: Mapping[str, str]) -> _Rewriting:
        lacking, unrequired = left_out.properties(polarity), left_out.requirements(polarity)
        return cls(left_out.document, lacking, unrequired, keys)

    def schema(self, schema: JsonValue, pointer: Pointer) -> JsonValue:
        if not isinstance(schema, dict):
            return schema
        result = map_children(schema, lambda child, step: self.schema(child, pointer + step))
        if isinstance(properties := result.get("properties"), dict):
            names = self.lacking.get(pointer, ())
            result["properties"] = {k: v for k, v in properties.items() if k not in names}
        if pointer in self.unrequired:
            required = texts(result["required"])
            result["required"] = [name for name in required if name not in self.unrequired[pointer]]
        if self.document.is_local(ref := schema.get("$ref")):
            result["$ref"] = self._reference(ref)
        if (tag := tag_property(schema)) is not None:
            result[DISCRIMINATOR] = self._discriminator(schema, tag)
        return result

    def _reference(self, ref: str) -> str:
        key, inner = component_of(self.document, ref)
        target = COMPONENTS + join(self.keys.get(key, key)) + inner
        return "#" + quote(target) if key in self.keys else ref

    def _discriminator(self, schema: JsonObject, tag: str) -> JsonObject:
        """Return the discriminator, with a mapping for tags that were names of alternatives."""
        targets = mapped(schema)
        of_mapping = {self._key(target) for target in targets.values()}
        for union_member in (*sequence(schema.get("oneOf")), *sequence(schema.get("anyOf"))):
            ref = mapping(union_member).get("$ref")
            key = component_of(self.document, ref)[0] if self.document.is_local(ref) else ""
            if (
                key in self.keys
                and key not in of_mapping
                and not says_its_tag(self.document, union_member, tag)
            ):
                targets[key] = key
        return remapped(schema, {value: self._mapped(t) for value, t in targets.items()})

    def _key(self, target: str) -> str:
        """Return the component that a discriminator maps to, by its key or by a reference."""
        return (
            target
            if target in component_schemas(self.document)
            else component_of(self.document, target)[0]
        )

    def _mapped(self, target: str) -> str:
        key = self._key(target)
        return "#" + quote(COMPONENTS + join(self.keys[key])) if key in self.keys else target

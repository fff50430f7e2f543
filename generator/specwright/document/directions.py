"""Two schemas in place of one that has members which are only read, or only sent.

A `readOnly` property occurs only in responses, a `writeOnly` one only in requests (OAS 3.1.1,
4.8.24; JSON Schema Validation 2020-12, 9.4), and neither is required where it does not occur.
`Order` is the schema for reading. Requests, and all schemas that are sent in them, refer to
`OrderInput`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from urllib.parse import quote

from specwright.document.model import Document
from specwright.document.operations.naming import STEP, is_from_place, model_name
from specwright.document.operations.sites import (
    Direction,
    Site,
    contents,
    operations,
    parameters,
    request_body,
    responses,
)
from specwright.document.schemas.inspection import discriminator_mapping, map_children, unwrapped
from specwright.document.schemas.unions import says_its_tag
from specwright.document.shape import OBJECTS
from specwright.json_values import JsonObject, JsonValue, mapping, sequence
from specwright.pointer import Pointer, join, split

COMPONENTS = join("components", "schemas")
SUFFIX = "Input"
READ, SENT = "readOnly", "writeOnly"
_HELD = frozenset(["schema", "itemSchema"])
_PARTS = ("allOf", "anyOf", "oneOf")


def split_directions(document: Document) -> Document:
    """Return a normalised document in which requests and responses have schemas of their own."""
    schemas = _schemas(document)
    divided = _divided(document)
    if not divided:
        return document
    sent = _reached(document, _holders(document, sent=True)) & divided
    read = _reached(document, _holders(document, sent=False))
    here = {key for key in sent - read if is_from_place(key)}
    inputs = _named(schemas, sent - here) | {key: key for key in here}
    to_server = _Rewriting(document, READ, inputs)
    to_client = _Rewriting(document, SENT, {})
    changed: JsonObject = {}
    for key, schema in schemas.items():
        changed[key] = to_client.schema(schema) if key in divided - here else schema
        if key in inputs:
            changed[inputs[key]] = to_server.schema(schema)
    components = {**mapping(document.data["components"]), "schemas": changed}
    for holder in _holders(document, sent=True):
        for key in _HELD & holder.value.keys():
            holder.value[key] = to_server.schema(holder.value[key])
    return document.with_data({**document.data, "components": components})


def inputs_of(document: Document) -> dict[str, str]:
    """Return the keys of the schemas that have a second one for requests, with its key."""
    sent = _reached(document, _holders(document, sent=True)) & _divided(document)
    return _named(_schemas(document), sent)


def _named(schemas: Mapping[str, JsonValue], sent: Set[str]) -> dict[str, str]:
    reserved = {model_name(key) for key in schemas}
    return {
        key: key + (STEP if model_name(key + SUFFIX) in reserved else "") + SUFFIX
        for key in schemas
        if key in sent
    }


def _schemas(document: Document) -> Mapping[str, JsonValue]:
    return mapping(mapping(document.data.get("components")).get("schemas"))


def _divided(document: Document) -> set[str]:
    """Return the components that differ between requests and responses."""
    schemas = _schemas(document)
    keys = {key for key, each in schemas.items() if _has_marks(document, each)}
    users: dict[str, set[str]] = {}
    for key, each in schemas.items():
        for used in _components_of(document, each):
            users.setdefault(used, set()).add(key)
    pending = list(keys)
    while pending:
        new = users.get(pending.pop(), set()) - keys
        keys |= new
        pending.extend(new)
    return keys


def _has_marks(document: Document, schema: JsonValue) -> bool:
    return any(
        _is_marked(document, value, keyword)
        for part in _within(schema)
        for value in _properties(part).values()
        for keyword in (READ, SENT)
    )


def _is_marked(document: Document, schema: JsonValue, keyword: str) -> bool:
    return any(
        isinstance(schema_, dict) and schema_.get(keyword) is True
        for schema_ in (schema, unwrapped(schema)[1], document.follow(unwrapped(schema)[1]))
    )


def _within(schema: JsonValue) -> Iterator[JsonObject]:
    """Yield a schema and all schemas in it, without following references."""
    if isinstance(schema, dict):
        yield schema
        for key, value in schema.items():
            match OBJECTS["schema"].get(key), value:
                case "schema", dict():
                    yield from _within(value)
                case "schema[]", list():
                    for item in value:
                        yield from _within(item)
                case "schema{}", dict():
                    for member in value.values():
                        yield from _within(member)


def _properties(schema: JsonValue) -> Mapping[str, JsonValue]:
    return mapping(mapping(schema).get("properties"))


def _components_of(document: Document, schema: JsonValue) -> set[str]:
    """Return the keys of the components that a schema refers to, in whole or in part."""
    references = (part.get("$ref") for part in _within(schema))
    components = (_component(document, ref) for ref in references if document.is_local(ref))
    return {key for key, _ in components if key}


def _component(document: Document, ref: str) -> tuple[str, Pointer]:
    """Return the component that a reference names, and the rest of the pointer."""
    target = document.target(ref)
    if not target.startswith(COMPONENTS + "/"):
        return "", target
    _, _, key, *inner = split(target)
    return key, join(*inner)


def _reached(document: Document, holders: list[Site]) -> set[str]:
    schemas = _schemas(document)
    reached: set[str] = set()
    pending = [holder.value[key] for holder in holders for key in _HELD & holder.value.keys()]
    while pending:
        new = _components_of(document, pending.pop()) - reached
        reached |= new
        pending += [schemas.get(key) for key in new]
    return reached


def _holders(document: Document, *, sent: bool) -> list[Site]:
    """Return the media types and parameters with values that clients send, or read."""
    holders: dict[Pointer, Site] = {}
    for site in operations(document):
        is_request = (site.direction is Direction.PATH) is sent
        body = request_body(document, site) if is_request else None
        answers = [] if is_request else [each for _, each in responses(document, site)]
        arguments = parameters(document, site).values() if is_request else ()
        for holder in (*arguments, *([body] if body else ()), *answers):
            holders[holder.pointer] = holder
            holders |= {each.pointer: each for _, each in contents(document, holder)}
    return list(holders.values())


@dataclass(frozen=True, slots=True)
class _Rewriting:
    """A rewriting of schemas without the members that one direction leaves out.

    Attributes:
        keyword: marks the members to leave out.
        keys: the keys of components in this direction.
    """

    document: Document
    keyword: str
    keys: Mapping[str, str]

    def schema(self, schema: JsonValue, above: Set[str] = frozenset()) -> JsonValue:
        if not isinstance(schema, dict):
            return schema
        gone = above | self._left_out(schema, ())
        result = map_children(
            schema,
            lambda each, step: self.schema(each, gone if split(step)[0] in _PARTS else frozenset()),
        )
        if isinstance(properties := result.get("properties"), dict):
            marked = self._marked(schema)
            result["properties"] = {k: v for k, v in properties.items() if k not in marked}
        if isinstance(required := schema.get("required"), list):
            result["required"] = [name for name in required if name not in gone]
        if self.document.is_local(ref := schema.get("$ref")):
            result["$ref"] = self._reference(ref)
        if isinstance(discriminator := schema.get("discriminator"), dict):
            result["discriminator"] = self._discriminator(schema, discriminator)
        return result

    def _marked(self, schema: JsonValue) -> set[str]:
        members = _properties(schema).items()
        return {name for name, each in members if _is_marked(self.document, each, self.keyword)}

    def _left_out(self, schema: JsonValue, above: tuple[int, ...]) -> set[str]:
        """Return the properties that a schema loses, itself or through its parts."""
        followed = self.document.follow(schema)
        if not isinstance(followed, dict) or id(followed) in above:
            return set()
        above = (*above, id(followed))
        parts = [part for keyword in _PARTS for part in sequence(followed.get(keyword))]
        return self._marked(followed).union(*(self._left_out(part, above) for part in parts))

    def _reference(self, ref: str) -> str:
        key, inner = _component(self.document, ref)
        target = COMPONENTS + join(self.keys.get(key, key)) + inner
        return "#" + quote(target) if key in self.keys else ref

    def _discriminator(self, schema: JsonObject, discriminator: JsonObject) -> JsonObject:
        """Return the discriminator, with a mapping for tags that were names of alternatives."""
        tag, targets = str(discriminator.get("propertyName")), discriminator_mapping(schema)
        mapped = {self._key(target) for target in targets.values()}
        for union_member in (*sequence(schema.get("oneOf")), *sequence(schema.get("anyOf"))):
            ref = mapping(union_member).get("$ref")
            key = _component(self.document, ref)[0] if self.document.is_local(ref) else ""
            if (
                key in self.keys
                and key not in mapped
                and not says_its_tag(self.document, union_member, tag)
            ):
                targets[key] = key
        if not targets:
            return dict(discriminator)
        return {
            **discriminator,
            "mapping": {value: self._mapped(target) for value, target in targets.items()},
        }

    def _key(self, target: str) -> str:
        """Return the component that a discriminator maps to, by its key or by a reference."""
        return target if target in _schemas(self.document) else _component(self.document, target)[0]

    def _mapped(self, target: str) -> str:
        key = self._key(target)
        return "#" + quote(COMPONENTS + join(self.keys[key])) if key in self.keys else target

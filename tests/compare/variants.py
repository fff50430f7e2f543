"""Other ways to write the same document."""

import copy
import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from specwright.document.shape import walk
from specwright.pointer import resolve

Data = dict[str, Any]
_SCHEMAS = "#/components/schemas/"


def same(data: Data) -> Data:
    return copy.deepcopy(data)


def shuffled(data: Data) -> Data:
    """The members of every object in another order, but for paths, whose order is theirs."""
    chance = random.Random(1)

    def shuffle(value: Any) -> Any:
        if isinstance(value, list):
            return [shuffle(each) for each in value]
        if not isinstance(value, dict):
            return value
        names = list(value)
        chance.shuffle(names)
        return {name: shuffle(value[name]) for name in names}

    return shuffle(data)


def _schema_references(data: Data) -> Iterator[Data]:
    for node in walk(data):
        if node.kind == "schema" and str(node.ref).startswith(_SCHEMAS):
            yield node.value


def inlined(data: Data) -> Data:
    """Each reference to a schema replaced by that schema, one step deep."""
    changed = copy.deepcopy(data)
    for schema in list(_schema_references(changed)):
        target = resolve(data, schema["$ref"][1:])
        if isinstance(target, dict) and not (schema.keys() - {"$ref"}) & target.keys():
            del schema["$ref"]
            schema.update(copy.deepcopy(target))
    return changed


def wrapped(data: Data) -> Data:
    """Each object schema taken apart into an `allOf` of its properties and the rest."""
    changed = copy.deepcopy(data)
    for node in list(walk(changed)):
        schema = node.value
        if (
            node.kind == "schema"
            and "properties" in schema
            and not {"allOf", "additionalProperties", "unevaluatedProperties"} & schema.keys()
            and not any(mark in schema for mark in ("discriminator", "default"))
        ):
            first = {"properties": schema.pop("properties")}
            schema["allOf"] = [first, {"required": schema.pop("required", [])}]
    return changed


def renamed(data: Data) -> Data:
    """Every component schema under another name."""

    def rename(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: rename(each) for name, each in value.items()}
        if isinstance(value, list):
            return [rename(each) for each in value]
        if isinstance(value, str) and value.startswith(_SCHEMAS):
            return value.replace(_SCHEMAS, f"{_SCHEMAS}Other")
        return value

    changed: Data = rename(data)
    schemas = changed.get("components", {}).get("schemas", {})
    for name in list(schemas):
        schemas[f"Other{name}"] = schemas.pop(name)
    return changed


VARIANTS: Mapping[str, Callable[[Data], Data]] = {
    each.__name__: each for each in (same, shuffled, inlined, wrapped, renamed)
}

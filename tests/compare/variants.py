"""Other ways to write the same document."""

import copy
import json
import random
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from specwright.document.shape import walk
from specwright.pointer import resolve

Data = dict[str, Any]
_SCHEMAS = "#/components/schemas/"
_SLASH = re.compile("/")


def same(data: Data) -> Data:
    return copy.deepcopy(data)


def shuffled(data: Data) -> Data:
    """Shuffle the members of every object; items of arrays stay in order."""
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
    nodes = list(walk(changed))
    # What stands inside of these would have another address.
    above = {
        str(node.ref)[1 : at.start()] for node in nodes for at in _SLASH.finditer(str(node.ref))
    }
    for node in nodes:
        schema = node.value
        if (
            node.kind == "schema"
            and "properties" in schema
            and node.pointer not in above
            and not {"allOf", "additionalProperties", "unevaluatedProperties"} & schema.keys()
            and not any(mark in schema for mark in ("discriminator", "default"))
        ):
            first = {"properties": schema.pop("properties")}
            schema["allOf"] = [first, {"required": schema.pop("required", [])}]
    return changed


def _readdressed(value: Any, addresses: Mapping[str, str]) -> Any:
    """All references that begin in one way begin in another way; the first that fits counts."""
    if isinstance(value, dict):
        return {name: _readdressed(each, addresses) for name, each in value.items()}
    if isinstance(value, list):
        return [_readdressed(each, addresses) for each in value]
    if isinstance(value, str):
        for old, new in addresses.items():
            if value.startswith(old):
                return new + value[len(old) :]
    return value


def renamed(data: Data) -> Data:
    """Every component schema under another name."""
    changed: Data = _readdressed(data, {_SCHEMAS: f"{_SCHEMAS}Other"})
    schemas = changed.get("components", {}).get("schemas", {})
    for name in list(schemas):
        schemas[f"Other{name}"] = schemas.pop(name)
    return changed


def _written(directory: Path, name: str, data: Data) -> Path:
    path = directory / name
    path.write_text(json.dumps(data), "utf-8")
    return path


def upgraded(data: Data, directory: Path) -> Path:
    """A document of 3.0 as the 3.1 document that it means, in a file that says so."""
    return _written(directory, "upgraded.json", data)


def split(data: Data, directory: Path) -> Path:
    """All component schemas in a file of their own."""
    components = data.get("components", {})
    inner = {_SCHEMAS: "#/", "#/": "split.json#/"}
    schemas = _readdressed(components.get("schemas", {}), inner)
    _written(directory, "schemas.json", schemas)
    others = {name: each for name, each in components.items() if name != "schemas"}
    main = _readdressed({**data, "components": others}, {_SCHEMAS: "schemas.json#/"})
    return _written(directory, "split.json", main)


# Other data, and other files.
VARIANTS: Mapping[str, Callable[[Data], Data]] = {
    each.__name__: each for each in (same, shuffled, inlined, wrapped, renamed)
}
FILES: Mapping[str, Callable[[Data, Path], Path]] = {
    each.__name__: each for each in (upgraded, split)
}

"""The Discriminator Object of a schema, as it is written (OAS 3.1.1, 4.8.25; 3.2.0, 4.25).

`discriminators` tells what it means: the alternatives, and all of their tags.
"""

from __future__ import annotations

from collections.abc import Mapping

from specwright.json_values import JsonObject, JsonValue, mapping

DISCRIMINATOR = "discriminator"


def tag_property(schema: JsonValue) -> str | None:
    """Return the property that a schema's discriminator names; None without a usable one."""
    name = _object(schema).get("propertyName")
    return name if isinstance(name, str) and name else None


def mapped(schema: JsonValue) -> dict[str, str]:
    """Return the schemas that a schema's discriminator maps tags to, as written: names or URIs."""
    targets = mapping(_object(schema).get("mapping"))
    return {tag: target for tag, target in targets.items() if isinstance(target, str)}


def default_target(schema: JsonValue) -> str | None:
    """Return the schema of values without a known tag, as written; None if none is declared."""
    target = _object(schema).get("defaultMapping")
    return target if isinstance(target, str) else None


def remapped(schema: JsonValue, targets: Mapping[str, str]) -> JsonObject:
    """Return the Discriminator Object of a schema, in which these tags have these targets."""
    written = _object(schema)
    of_tags = {**mapping(written.get("mapping")), **targets}
    return {**written, "mapping": of_tags} if targets else {**written}


def discriminator_object(name: str, targets: Mapping[str, str]) -> JsonObject:
    """Return a Discriminator Object for a property, with the targets of its tags."""
    return remapped({DISCRIMINATOR: {"propertyName": name}}, targets)


def _object(schema: JsonValue) -> JsonObject:
    return mapping(mapping(schema).get(DISCRIMINATOR))

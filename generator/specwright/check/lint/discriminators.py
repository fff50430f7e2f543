"""Rules about discriminators."""

from __future__ import annotations

from collections.abc import Iterator

from specwright.check.context import LintContext
from specwright.check.lint.rule import Category, LintRule, LintViolation
from specwright.document.model import is_remote
from specwright.document.schemas.applicators import Subschema, applying, held
from specwright.document.schemas.discriminators import Discriminators
from specwright.errors import did_you_mean
from specwright.findings import Level
from specwright.json_values import mapping
from specwright.pointer import Pointer, join, split


def discriminator_mapping(context: LintContext) -> Iterator[LintViolation]:
    known = mapping(context.components.get("schemas"))
    discriminators = Discriminators(context.document)
    for place, target in _targets(context):
        if not is_remote(target) and discriminators.target(target) is None:
            name = target.rpartition("/")[2]
            hint = did_you_mean(name, known, f"name a schema of {context.section('schema')}")
            yield LintViolation(place, f"'{target}' is not a schema of the document: {hint}")


def _targets(context: LintContext) -> Iterator[tuple[Pointer, str]]:
    """Yield the schemas that discriminators name, with the places of the names."""
    for node in context.of_kind("discriminator"):
        named = [
            (join("mapping", tag), name) for tag, name in mapping(node.value.get("mapping")).items()
        ]
        for place, name in (*named, (join("defaultMapping"), node.value.get("defaultMapping"))):
            if isinstance(name, str):
                yield node.pointer + place, name


def discriminator_property(context: LintContext) -> Iterator[LintViolation]:
    for node in context.of_kind("schema"):
        name = mapping(node.value.get("discriminator")).get("propertyName")
        schema = Subschema(node.pointer, node.value)
        if not isinstance(name, str) or _declares(context, _alone(schema), name):
            continue
        without = [
            alternative
            for alternative in _alternatives(context, schema)
            if mapping(alternative.value).get("type") != "null"
            and not _declares(context, alternative, name)
        ]
        if without:
            names = dict.fromkeys(_name(context, node.pointer, one) for one in without)
            # The class of an alternative has the property wherever it is used.
            ends = (context.document.end(one.pointer, one.value)[0] for one in without)
            yield LintViolation(
                node.pointer + join("discriminator", "propertyName"),
                f"'{name}' is not a property of {', '.join(names)}",
                concerned=tuple(dict.fromkeys(ends)),
            )


def _alternatives(context: LintContext, schema: Subschema) -> list[Subschema]:
    """Return the schemas that the discriminator of a schema chooses from."""
    if {"oneOf", "anyOf"} & mapping(schema.value).keys():
        return list(held(context.document, schema, ("oneOf", "anyOf")))
    discriminator = Discriminators(context.document).of(schema)
    tagged = discriminator.tags.values() if discriminator else ()
    # The schema may leave the property to its children.
    children = [child for child in tagged if child.pointer != schema.pointer]
    return children or [schema]


def _alone(schema: Subschema) -> Subschema:
    """Return a schema without its alternatives."""
    value = {k: v for k, v in mapping(schema.value).items() if k not in ("oneOf", "anyOf")}
    return Subschema(schema.pointer, value)


def _declares(context: LintContext, schema: Subschema, name: str) -> bool:
    """Return whether a schema, or one that applies with it, names a property."""
    return any(
        name in mapping(mapping(part.value).get("properties"))
        for part in applying(context.document, [schema])
    )


def _name(context: LintContext, holder: Pointer, schema: Subschema) -> str:
    """Return a schema in words: the name of its component, or its place in the holder."""
    end, _ = context.document.end(schema.pointer, schema.value)
    match split(end):
        case ("components", "schemas", name):
            return f"'{name}'"
    return end.removeprefix(f"{holder}/")


RULES = (
    LintRule(
        "discriminator-mapping",
        Category.SCHEMAS,
        "A tag of a discriminator names a schema; objects with a tag that names nothing cannot be "
        "read.",
        """
        components:
          schemas:
            Cat: {type: object, properties: {kind: {type: string}}}
            Pet:
              oneOf: [{$ref: "#/components/schemas/Cat"}]
              discriminator: {propertyName: kind, mapping: {cat: "#/components/schemas/Kat"}}
        """,
        """
        components:
          schemas:
            Cat: {type: object, properties: {kind: {type: string}}}
            Pet:
              oneOf: [{$ref: "#/components/schemas/Cat"}]
              discriminator: {propertyName: kind, mapping: {cat: "#/components/schemas/Cat"}}
        """,
        Level.WARNING,
        Level.ERROR,
        discriminator_mapping,
    ),
    LintRule(
        "discriminator-property",
        Category.SCHEMAS,
        "The property of a discriminator distinguishes the alternatives, so each of them declares "
        "it.",
        """
        components:
          schemas:
            Cat: {type: object, properties: {type: {type: string}}}
            Dog: {type: object, properties: {type: {type: string}}}
            Pet:
              oneOf: [{$ref: "#/components/schemas/Cat"}, {$ref: "#/components/schemas/Dog"}]
              discriminator: {propertyName: kind}
        """,
        """
        components:
          schemas:
            Cat: {type: object, properties: {type: {type: string}}}
            Dog: {type: object, properties: {type: {type: string}}}
            Pet:
              oneOf: [{$ref: "#/components/schemas/Cat"}, {$ref: "#/components/schemas/Dog"}]
              discriminator: {propertyName: type}
        """,
        Level.WARNING,
        Level.ERROR,
        discriminator_property,
    ),
)

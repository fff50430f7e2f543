"""Discriminators: the tags of the alternatives of a union (OAS 3.1.1, 4.8.25)."""

from __future__ import annotations

from collections.abc import Iterator

from specwright.compare.schemas.alternatives import Alternative
from specwright.compare.schemas.flatten import FlatSchema
from specwright.compare.schemas.pairs import Pair, directed
from specwright.compare.schemas.steps import SCHEMA_COMPATIBLE, DecidedStep
from specwright.compare.verdicts.change import became
from specwright.compare.verdicts.change_rule import ChangeCategory, ChangeRule
from specwright.compare.verdicts.example import REQUEST, example
from specwright.document.model import Document
from specwright.findings import values_of
from specwright.json_values import JsonObject

Discriminator = JsonObject

DISCRIMINATOR_CHANGED = ChangeRule(
    "discriminator-changed",
    ChangeCategory.WIRE,
    "Receivers distinguish the alternatives by a property that no longer identifies them.",
    example=example(
        REQUEST,
        "{type: object, discriminator: {propertyName: kind}}",
        "{type: object, discriminator: {propertyName: type}}",
        "{type: object, discriminator: {propertyName: kind}, properties: {type: {}}}",
    ),
    remedy="Keep the property, and add a second one for finer distinctions.",
)


def discriminator_changes(pair: Pair) -> Iterator[DecidedStep]:
    """Yield the changes of the discriminator property and its tags."""
    old, new = (_discriminator(flat) for flat in (pair.base, pair.revision))
    if old is None and new is None:
        return
    base = pair.base.place("discriminator", pair.revision)
    revision = pair.revision.place("discriminator", pair.base)
    if old is None or new is None:
        names = [
            discriminator and discriminator.get("propertyName") for discriminator in (old, new)
        ]
        words = f"the discriminator {became(*names)}"
        yield DecidedStep(SCHEMA_COMPATIBLE, base, revision, words, values_of(*names))
        return
    names = [discriminator.get("propertyName") for discriminator in (old, new)]
    if names[0] != names[1]:
        message = f"the discriminator {became(*names)}"
        yield DecidedStep(DISCRIMINATOR_CHANGED, base, revision, message, values_of(*names))
        return
    broken = sorted(_unidentified(pair, old, new))
    if broken:
        message = f"the discriminator has other tags for {', '.join(broken)}"
        yield DecidedStep(DISCRIMINATOR_CHANGED, base, revision, message, values_of(*broken))
    elif _tags(old).keys() != _tags(new).keys():
        message = f"tags of the discriminator {became(_words(old), _words(new))}"
        values = values_of(_tags(old), _tags(new))
        yield DecidedStep(SCHEMA_COMPATIBLE, base, revision, message, values)


def _unidentified(pair: Pair, old: Discriminator, new: Discriminator) -> Iterator[str]:
    """Yield the names of alternatives that are sent with a tag unknown to the receiver."""
    for union in pair.unions:
        for after, before in union.partners:
            base, revision = union.base[before], union.revision[after]
            sender, receiver, _ = directed(pair.transfer.polarity, (base, old), (revision, new))
            if not _sender_tags(*sender) <= _receiver_tags(*receiver):
                yield revision.name
    if not pair.unions:
        # Alternatives that refer to this schema by `allOf` are not known here.
        lost, others, _ = directed(pair.transfer.polarity, _tags(old), _tags(new))
        yield from (
            tag
            for tag, target in lost.items()
            if others and (tag not in others or _is_swapped(others, tag, target))
        )


def _is_swapped(tags: dict[str, str], tag: str, target: str) -> bool:
    """Return whether the former alternative of a tag has another tag now."""
    return tags[tag] != target and target in tags.values()


def _sender_tags(alternative: Alternative, discriminator: Discriminator) -> set[str]:
    """Return the tags that an alternative is sent with; empty if its schema has the tag."""
    name = str(discriminator.get("propertyName"))
    if name in alternative.tags:
        return set()
    return _mapped_tags(alternative, discriminator) or _implied_tags(alternative)


def _receiver_tags(alternative: Alternative, discriminator: Discriminator) -> set[str]:
    return _mapped_tags(alternative, discriminator) | _implied_tags(alternative)


def _mapped_tags(alternative: Alternative, discriminator: Discriminator) -> set[str]:
    pointer = alternative.reference
    return {
        tag
        for tag, target in _tags(discriminator).items()
        if pointer is not None and _target(alternative.document, target) == pointer
    }


def _implied_tags(alternative: Alternative) -> set[str]:
    """Return the name of the component, which is its tag unless it is mapped."""
    return {alternative.name} if alternative.reference is not None else set()


def _target(document: Document, target: str) -> str:
    """Return the pointer of a mapping's target, which is a reference or a component name."""
    return document.target(target) if "#" in target else f"/components/schemas/{target}"


def _discriminator(flat: FlatSchema) -> Discriminator | None:
    discriminator = flat.keywords.get("discriminator")
    return discriminator if isinstance(discriminator, dict) else None


def _tags(discriminator: Discriminator) -> dict[str, str]:
    mapping = discriminator.get("mapping")
    targets = mapping if isinstance(mapping, dict) else {}
    return {str(tag): str(target) for tag, target in targets.items()}


def _words(discriminator: Discriminator) -> str:
    return ", ".join(sorted(_tags(discriminator)))

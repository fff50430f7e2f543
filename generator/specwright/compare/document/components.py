"""Schemas that no operation refers to: payloads that are sent by other means."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from specwright.compare.document.contents import SharedSchema
from specwright.compare.schemas.equality import references
from specwright.compare.schemas.transfer import Transfer, ValueEncoding
from specwright.document.model import Document
from specwright.document.operations.sites import components
from specwright.document.schemas.applicators import Subschema
from specwright.document.schemas.discriminators import COMPONENTS, Discriminators
from specwright.document.schemas.polarity import Polarity
from specwright.errors import InputError
from specwright.json_values import JsonObject, mapping
from specwright.pointer import Pointer, join, split


def unused_schemas(
    base: Discriminators, revision: Discriminators
) -> Iterator[tuple[str, SharedSchema]]:
    """Yield the changed schemas by name, in both directions, as their sender is not declared."""
    sides = [_schemas(side.document) for side in (base, revision)]
    changed = [name for name in sides[0] if sides[1].get(name, sides[0][name]) != sides[0][name]]
    if not changed:
        return
    used = _used_components(base) | _used_components(revision)
    for name in changed:
        at = COMPONENTS + join(name)
        if at not in used:
            old, new = ((Subschema(at, side[name]),) for side in sides)
            for polarity in Polarity:
                yield name, SharedSchema(old, new, Transfer(polarity, ValueEncoding.TYPED))


def _schemas(document: Document) -> JsonObject:
    return mapping(components(document).value.get("schemas"))


def _used_components(discriminators: Discriminators) -> set[Pointer]:
    """Return the components that operations refer to, directly or indirectly.

    Alternatives belong to the schema with their discriminator, however they are declared.
    """
    document = discriminators.document
    pending = [document.data.get(name) for name in ("paths", "webhooks")]
    used: set[Pointer] = set()
    seen: set[str] = set()
    while pending:
        for ref in references(pending.pop()):
            if ref not in seen and document.is_local(ref):
                seen.add(ref)
                with suppress(InputError):
                    schema = Subschema(document.target(ref), document.resolve(ref))
                    discriminator = discriminators.of(schema)
                    tagged = () if discriminator is None else discriminator.targets.values()
                    for part in (schema, *tagged):
                        if part.pointer not in used:
                            used.add(part.pointer)
                            pending.append(part.value)
    return {join(*split(pointer)[:3]) for pointer in used}

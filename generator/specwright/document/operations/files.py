"""Files, and the texts that JSON has in their place.

OpenAPI 3.0 describes both as `format: binary`, and documents use one schema in a form and in JSON.
"""

from __future__ import annotations

from specwright.document.model import Document
from specwright.document.operations.reach import (
    component_schemas,
    holders,
    reached_components,
    schemas_within,
)
from specwright.document.operations.sites import concrete
from specwright.document.schemas.inspection import is_binary, map_children
from specwright.json_values import JsonValue, mapping
from specwright.runtime.shared.media.table import medium_of


def directional(document: Document) -> set[str]:
    """Return the components with files in one direction, and texts in their place in the other."""
    binary = {key for key, schema in component_schemas(document).items() if _has_file(schema)}
    if not binary:
        return set()
    sent, read = (_carried(document, sent=sent) for sent in (True, False))
    texts_sent = reached_components(document, holders(document, sent=True)) - sent
    texts_read = reached_components(document, holders(document, sent=False)) - read
    return binary & ((sent & texts_read) | (read & texts_sent))


def with_texts_for_files(document: Document) -> Document:
    """Return a document with texts in place of the files that no body carries."""
    schemas = component_schemas(document)
    binary = {key for key, schema in schemas.items() if _has_file(schema)}
    if not binary:
        return document
    texts = binary - _carried(document, sent=True) - _carried(document, sent=False)
    changed = {key: _without_files(schemas[key]) for key in texts}
    components = {**mapping(document.data["components"]), "schemas": {**schemas, **changed}}
    return document.with_data({**document.data, "components": components})


def _carried(document: Document, *, sent: bool) -> set[str]:
    """Return the components of values in bodies that may contain files."""
    with_files = (
        holder
        for holder in holders(document, sent=sent)
        if holder.media_type is not None
        and medium_of(concrete(document, holder.media_type, holder.site)).has_files
    )
    return reached_components(document, with_files)


def _has_file(schema: JsonValue) -> bool:
    return any(map(is_binary, schemas_within(schema)))


def _without_files(schema: JsonValue) -> JsonValue:
    if not isinstance(schema, dict):
        return schema
    changed = map_children(schema, lambda child, _: _without_files(child))
    if not is_binary(schema):
        return changed
    members = changed.items()
    return {k: v for k, v in members if k != "contentMediaType" and (k, v) != ("format", "binary")}

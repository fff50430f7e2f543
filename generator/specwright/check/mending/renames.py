"""Parts of a document under the names that the project gives them in code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from jsonschema_rs.canonical.schema import clone

from specwright.check.mending.edits import rename_schemas
from specwright.config import Renames
from specwright.document.model import Document
from specwright.document.operations.naming import first_tag
from specwright.document.operations.sites import components, operations, parameters
from specwright.errors import InputError, did_you_mean


def rename(document: Document, names: Renames) -> Document:
    """Return the document with the project's names in code; parameters keep theirs on the wire.

    Raises:
        InputError: the document has no part with a name that is to be replaced.
    """
    if names == Renames():
        return document
    document = replace(document, data=clone(document.data))
    sites = list(operations(document))
    schemas = components(document).value.get("schemas") or {}
    # As written: the keys of parameters have the names of headers in lower case.
    sent = {
        parameter.value["name"]
        for site in sites
        for parameter in parameters(document, site).values()
    }
    _known(document, "parameters", names.parameters, sent)
    _known(document, "schemas", names.schemas, schemas)
    _known(document, "tags", names.tags, {first_tag(site.value) for site in sites})
    called = {site.pointer: (site.id or "", f"{site.method} {site.key}") for site in sites}
    known = [name for both in called.values() for name in both if name]
    _known(document, "operations", names.operations, known)
    for site in sites:
        new = [names.operations[name] for name in called[site.pointer] if name in names.operations]
        if new:
            site.value["operationId"] = new[0]
        if first_tag(site.value) in names.tags:
            others = (site.value.get("tags") or [])[1:]
            site.value["tags"] = [names.tags[first_tag(site.value)], *others]
    return rename_schemas(document, names.schemas)


def _known(document: Document, kind: str, names: Mapping[str, str], there: Iterable[str]) -> None:
    found = sorted(there)
    for name in names:
        if name not in found:
            raise InputError(
                f"names.{kind}: {document.path} has no {name!r} to rename",
                hint=did_you_mean(
                    name, found, "remove it from [tool.specwright] of pyproject.toml"
                ),
            )

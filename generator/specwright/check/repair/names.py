"""Names of the parts of a document in code: those of the project, and distinct ones."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace

from jsonschema_rs.canonical.schema import clone

from specwright.check.lint.names import (
    classes_of,
    in_code,
    operation_id_clash,
    schema_name_clash,
    tag_name_clash,
)
from specwright.check.lint.operations import operation_id_unique
from specwright.check.lint.table import RULES
from specwright.check.repair.edits import rename_schemas
from specwright.config import Renames
from specwright.document.model import Document
from specwright.document.operations.naming import first_tag, group_names, model_name
from specwright.document.operations.security import schemes
from specwright.document.operations.sites import (
    Direction,
    OperationSite,
    components,
    operations,
    parameters,
)
from specwright.errors import InputError, did_you_mean
from specwright.json_values import mapping, sequence

# The rules about clashes of names that this module resolves.
_CHECKS = (operation_id_clash, operation_id_unique, schema_name_clash, tag_name_clash)
TOLD_APART = frozenset(rule.id for rule in RULES if rule.check in _CHECKS)


def tell_apart(document: Document, *, short: bool) -> Document:
    """Return the document, changed in place, with names that are distinct in generated code.

    The first of several in the order of the document keeps its name. The new name of another one
    depends on that one alone, so that an addition to the document renames nothing.
    """
    _tags(document)
    _operations(document, short=short)
    return _schemas(document)


def _tags(document: Document) -> None:
    """Rename tags that have different groups but a class in common."""
    attributes: set[str] = set()
    classes: set[tuple[Hashable, str]] = set()
    for site in operations(document):
        tag = first_tag(site.value)
        if site.direction is not Direction.PATH:
            continue
        if group_names(tag).attribute not in attributes and classes & set(classes_of(tag)):
            tag = f"{tag} {_digest(tag)}"
            site.value["tags"] = [tag, *sequence(site.value.get("tags"))[1:]]
        attributes.add(group_names(tag).attribute)
        classes.update(classes_of(tag))


def _operations(document: Document, *, short: bool) -> None:
    reserved: set[tuple[Hashable, str]] = set()
    identifiers: set[str | None] = set()
    for site in operations(document):
        names = set(in_code(site, short=short))
        if reserved & names or (site.id and site.id in identifiers):
            names = _named_after_path(site, reserved, short=short)
        reserved |= names
        identifiers.add(site.id)


def _named_after_path(
    site: OperationSite, reserved: set[tuple[Hashable, str]], *, short: bool
) -> set[tuple[Hashable, str]]:
    site.value.pop("operationId", None)
    names = set(in_code(site, short=short))
    if reserved & names:
        site.value["operationId"] = f"{site.name} {_digest(f'{site.method} {site.key}')}"
        names = set(in_code(site, short=short))
    return names


def _schemas(document: Document) -> Document:
    reserved: set[str] = set()
    new: dict[str, str] = {}
    for key in mapping(components(document).value.get("schemas")):
        if model_name(key) in reserved:
            new[key] = f"{key}_{_digest(key)}"
        reserved.add(model_name(new.get(key, key)))
    return rename_schemas(document, new)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:6]


def rename(document: Document, names: Renames) -> Document:
    """Return the document with the project's names in code; parameters keep theirs on the wire.

    Raises:
        InputError: the document has no part with a name that is to be replaced.
    """
    if names == Renames():
        return document
    check_names(document, names)
    document = replace(document, data=clone(document.data))
    for site in operations(document):
        identifier = names.of_operation(site.id, f"{site.method} {site.key}")
        tag = first_tag(site.value)
        if identifier is not None:
            site.value["operationId"] = identifier
        if tag in names.tags:
            site.value["tags"] = [names.tags[tag], *sequence(site.value.get("tags"))[1:]]
    return rename_schemas(document, names.schemas)


def check_names(document: Document, names: Renames) -> None:
    """Raise an error if names of the project are about parts that the document does not have.

    Raises:
        InputError: the document has no part with a name that is to be replaced.
    """
    if names == Renames():
        return
    sites = list(operations(document))
    schemas = mapping(components(document).value.get("schemas"))
    # As written: the keys of parameters have the names of headers in lower case.
    sent = {
        str(parameter.value["name"])
        for site in sites
        for parameter in parameters(document, site).values()
    }
    _known(document, "parameters", names.parameters, sent)
    _known(document, "credentials", names.credentials, dict(schemes(document)))
    _known(document, "schemas", names.schemas, schemas)
    _known(document, "tags", names.tags, {first_tag(site.value) for site in sites})
    called = [name for site in sites for name in (site.id, f"{site.method} {site.key}") if name]
    _known(document, "operations", names.operations, called)


def _known(document: Document, kind: str, names: Mapping[str, str], there: Iterable[str]) -> None:
    existing = sorted(there)
    for name in names:
        if name not in existing:
            raise InputError(
                f"names.{kind}: {document.path} has no {name!r} to rename",
                hint=did_you_mean(
                    name, existing, "remove it from [tool.specwright] of pyproject.toml"
                ),
            )

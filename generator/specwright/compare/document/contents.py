"""The media types of bodies and responses, and the schemas of their content."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

from specwright.compare.document.lifecycle import deprecation_changes
from specwright.compare.document.pairing import (
    contents_by_media_type,
    headers_by_name,
    pairs_by_key,
)
from specwright.compare.document.serialisation import (
    encoding_changes,
    encoding_of,
    parts_of_form,
    serialisation_changes,
)
from specwright.compare.schemas.flatten import Subschemas
from specwright.compare.schemas.presence import (
    HEADER_RULES,
    PresenceRules,
    presence,
    presence_change,
    presence_words,
)
from specwright.compare.schemas.transfer import Transfer, ValueEncoding
from specwright.compare.verdicts.change import Change, became, display
from specwright.compare.verdicts.change_rule import (
    ADDED,
    SERIALISATION_CHANGED,
    ChangeCategory,
    ChangeRule,
)
from specwright.compare.verdicts.example import OPERATION, example
from specwright.document.model import Document
from specwright.document.operations.sites import Site, is_json, is_xml, members
from specwright.document.schemas.applicators import Subschema
from specwright.document.schemas.polarity import Polarity
from specwright.document.schemas.xml_shapes import XmlDescriptions
from specwright.findings import values_of
from specwright.json_values import JsonValue
from specwright.pointer import join
from specwright.runtime.shared.media.table import medium_of

_MULTIPART = "multipart/"
_FORMS = (_MULTIPART, "application/x-www-form-urlencoded")

MEDIA_TYPE_REMOVED = ChangeRule(
    "media-type-removed",
    ChangeCategory.WIRE,
    "Clients send, or ask for, a media type that the API no longer supports.",
    example=example(
        OPERATION,
        "requestBody: {content: {application/json: {}, text/csv: {}}}",
        "requestBody: {content: {application/json: {}}}",
        "requestBody: {content: {application/json: {}, text/csv: {}}, description: CSV goes.}",
    ),
    remedy=(
        "Keep both media types, and say in `description` which one the next major version removes."
    ),
)


@dataclass(frozen=True, slots=True)
class SharedSchema:
    """A schema at the same place in both documents, and how its values are sent."""

    base: Subschemas
    revision: Subschemas
    transfer: Transfer


ChangeOrSchema = Change | SharedSchema


def content_changes(
    documents: tuple[Document, Document], old: Site, new: Site, polarity: Polarity
) -> Iterator[ChangeOrSchema]:
    """Yield added and removed media types, and the schemas of the shared ones."""
    base, revision = (
        contents_by_media_type(document, holder)
        for document, holder in zip(documents, (old, new), strict=True)
    )
    # The receiver may accept a media type by a range, such as `text/*`.
    sender, receiver = (base, revision) if polarity is Polarity.TO_SERVER else (revision, base)
    ranges = {name: _range(name, receiver) for name in sender if name not in receiver}
    covered = {name: range_ for name, range_ in ranges.items() if range_ is not None}
    for name, one, other in pairs_by_key(base, revision):
        if one is None and other is None:
            continue
        if name in covered:
            one, other = one or base[covered[name]], other or revision[covered[name]]
        if one is not None and other is not None:
            yield _schemas(name, one, other, polarity)
            if is_xml(name):
                yield from _root_changes(documents, one, other)
            if name.startswith(_FORMS):
                yield from encoding_changes(documents, one, other, polarity)
            if name.startswith(_MULTIPART):
                yield from _part_headers(documents, one, other, polarity)
        elif one is not None and name not in covered.values():
            message = f"media type {display(name)} was removed"
            at = new / "content"
            yield Change(MEDIA_TYPE_REMOVED, one.pointer, at, message, values_of(name))
        elif other is not None:
            message = f"media type {display(name)} was added"
            yield Change(ADDED, None, other.pointer, message, values_of(name))


def _root_changes(
    documents: tuple[Document, Document], old: Site, new: Site
) -> Iterator[ChangeOrSchema]:
    """Yield the change of a root element that is named after a component (OAS 3.2.0, 4.24.3)."""
    base, revision = (
        XmlDescriptions(document).inferred_root(*_schema(site))
        for document, site in zip(documents, (old, new), strict=True)
    )
    if base and revision and base != revision:
        message = f"the root element {became(base, revision)}"
        yield Change(
            SERIALISATION_CHANGED, old.pointer, new.pointer, message, values_of(base, revision)
        )


def _part_headers(
    documents: tuple[Document, Document], old: Site, new: Site, polarity: Polarity
) -> Iterator[ChangeOrSchema]:
    """Yield the changes of the headers that the parts of a form have (OAS 3.1.1, 4.8.15)."""
    for name, one, other in parts_of_form(documents, old, new):
        yield from header_changes(documents, one, other, f"part '{name}': header", polarity)


def _range(name: str, others: dict[str, Site]) -> str | None:
    """Return the range among other media types that includes a media type."""
    return next((other for other in others if "*" in other and fnmatchcase(name, other)), None)


def _schemas(name: str, old: Site, new: Site, polarity: Polarity) -> SharedSchema:
    # Parts of a multipart body are JSON if they are objects, and items of a stream always.
    is_typed = is_json(name) or name.startswith(_MULTIPART) or medium_of(name).is_stream
    text = ValueEncoding.XML if is_xml(name) else ValueEncoding.TEXT
    encoding = ValueEncoding.TYPED if is_typed else text
    schemas = schemas_of(old, new, Transfer(polarity, encoding))
    if not name.startswith(_FORMS):
        return schemas
    # A form is an object even if its schema does not say so.
    base, revision = (
        (*schema, Subschema(schema[0].pointer, {"type": "object"}))
        for schema in (schemas.base, schemas.revision)
    )
    return SharedSchema(base, revision, schemas.transfer)


def schemas_of(old: Site, new: Site, transfer: Transfer) -> SharedSchema:
    """Return the schemas of two holders, such as parameters or media types."""
    return SharedSchema(_schema(old), _schema(new), transfer)


def _schema(holder: Site) -> Subschemas:
    # A missing schema and the schema `true` both allow any value.
    name = "itemSchema" if "itemSchema" in holder.value else "schema"
    value: JsonValue = holder.value.get(name, True)
    return (Subschema(holder.pointer + join(name), value),)


def header_changes(
    documents: tuple[Document, Document], old: Site, new: Site, kind: str, polarity: Polarity
) -> Iterator[ChangeOrSchema]:
    """Yield the changes of the headers of a response, or of a part of a form."""
    base, revision = (
        headers_by_name(members(document, holder, "headers"))
        for document, holder in zip(documents, (old, new), strict=True)
    )
    for name, one, other in pairs_by_key(base, revision):
        words = f"{kind} '{name}'"
        values = values_of(name)
        yield from presence_changes(HEADER_RULES, words, values, one, other, (old, new), polarity)
        if one is not None and other is not None:
            yield from deprecation_changes(one, other, words)
            yield from serialisation_changes(one, other, "header", words, polarity)
            yield from value_changes(documents, one, other, polarity)


def value_changes(
    documents: tuple[Document, Document], old: Site, new: Site, polarity: Polarity
) -> Iterator[ChangeOrSchema]:
    """Yield the changes of a parameter or header value, which has a schema or one content."""
    has_content = ["content" in site.value for site in (old, new)]
    if all(has_content):
        yield from content_changes(documents, old, new, polarity)
    elif any(has_content):
        message = "its serialisation changed between `schema` and `content`"
        values = values_of(*has_content)
        yield Change(SERIALISATION_CHANGED, old.pointer, new.pointer, message, values)
    else:
        yield schemas_of(old, new, Transfer(polarity, encoding_of(new)))


def presence_changes(
    rules: PresenceRules,
    words: str,
    values: tuple[str, ...],
    old: Site | None,
    new: Site | None,
    owners: tuple[Site, Site],
    polarity: Polarity,
) -> Iterator[Change]:
    """Yield the change of the presence of a parameter, header or body, which `values` identify."""
    before, after = (
        presence(declared=site is not None, required=_is_required(site)) for site in (old, new)
    )
    change = presence_change(before, after, polarity)
    if change is not None:
        yield Change(
            rules[change],
            old.pointer if old else owners[0].pointer,
            new.pointer if new else owners[1].pointer,
            f"{words} {presence_words(before, after)}",
            values,
        )


def _is_required(site: Site | None) -> bool:
    return site is not None and site.value.get("required") is True

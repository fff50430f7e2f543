"""The serialisation of parameters, headers and parts of a form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from specwright.compare.document.pairing import pairs_by_key
from specwright.compare.schemas.flatten import types
from specwright.compare.schemas.transfer import ValueEncoding
from specwright.compare.verdicts.change import Change, became
from specwright.compare.verdicts.change_rule import RELAXED, SERIALISATION_CHANGED
from specwright.document.model import Document
from specwright.document.operations.sites import Site, members
from specwright.document.operations.sites import schema as schema_of
from specwright.document.schemas.polarity import Polarity
from specwright.findings import values_of

# The serialisation fields of a parameter or header, with their defaults.
_SERIALISATION: Mapping[str, object] = {
    "style": None,
    "explode": None,
    "allowReserved": False,
    "allowEmptyValue": False,
}
# For these, true allows more.
_ALLOWING = ("allowReserved", "allowEmptyValue")
_STYLES = {"query": "form", "cookie": "form", "path": "simple", "header": "simple"}
# The media type of a part by the type of its schema (OAS 3.1.1, 4.8.15.1.1).
_PARTS = {"object": "application/json", "array": "application/json"}


def serialisation_changes(
    old: Site, new: Site, place: str, words: str, polarity: Polarity
) -> Iterator[Change]:
    """Yield the changes in the serialisation of a parameter or header."""
    before, after = (_serialisation(site, place) for site in (old, new))
    yield from _changes(before, after, (old, new), words, polarity)


def _changes(
    before: Mapping[str, object],
    after: Mapping[str, object],
    sites: tuple[Site, Site],
    words: str,
    polarity: Polarity,
) -> Iterator[Change]:
    old, new = sites
    for name in before:
        if before[name] != after[name]:
            allows_more = name in _ALLOWING and (after[name] is True) is (
                polarity is Polarity.TO_SERVER
            )
            rule = RELAXED if allows_more else SERIALISATION_CHANGED
            message = f"{words}: {name} {became(before[name], after[name])}"
            values = values_of(before[name], after[name])
            yield Change(rule, old / name, new / name, message, values)


def _serialisation(site: Site, place: str) -> dict[str, object]:
    style = site.value.get("style", _STYLES.get(place))
    defaults = {**_SERIALISATION, "style": style}
    values = {name: site.value.get(name, default) for name, default in defaults.items()}
    # The default of `explode` follows from the style; a change of the style is reported itself.
    if values["explode"] == (style == "form"):
        values["explode"] = None
    return values


def encoding_changes(
    documents: tuple[Document, Document], old: Site, new: Site, polarity: Polarity
) -> Iterator[Change]:
    """Yield the changes in the serialisation of the parts of a form."""
    sides = tuple(zip(documents, (old, new), strict=True))
    for name, *sites in parts_of_form(documents, old, new):
        before, after = (
            {
                **_serialisation(part, "query"),
                "contentType": _media_types(document, site, name, part),
            }
            for (document, site), part in zip(sides, sites, strict=True)
        )
        yield from _changes(before, after, (sites[0], sites[1]), f"part '{name}'", polarity)


def parts_of_form(
    documents: tuple[Document, Document], old: Site, new: Site
) -> Iterator[tuple[str, Site, Site]]:
    """Yield the encodings of the parts of a form by name; one is empty if it is not declared."""
    base, revision = (
        dict(members(document, site, "encoding"))
        for document, site in zip(documents, (old, new), strict=True)
    )
    for name, one, other in pairs_by_key(base, revision):
        yield name, one or Site(old / "encoding", {}), other or Site(new / "encoding", {})


def _media_types(document: Document, content: Site, name: str, part: Site) -> str:
    """Return the media types of a part of a form, as declared or by its schema."""
    declared = part.value.get("contentType")
    if isinstance(declared, str):
        return ", ".join(
            sorted("".join(media_type.lower().split()) for media_type in declared.split(","))
        )
    schema = dict(members(document, schema_of(document, content), "properties")).get(name)
    values = schema.value if schema else {}
    if values.get("format") == "binary" or {"contentEncoding", "contentMediaType"} & values.keys():
        return str(values.get("contentMediaType", "application/octet-stream"))
    kinds = [_PARTS[type_] for type_ in types(values.get("type")) if type_ in _PARTS]
    return kinds[0] if kinds else "text/plain"


def encoding_of(site: Site) -> ValueEncoding:
    """Return how the value of a parameter or header is serialised."""
    style = site.value.get("style", _STYLES.get(str(site.value.get("in"))))
    repeats = style == "form" and site.value.get("explode") is not False
    return ValueEncoding.REPEATED if repeats else ValueEncoding.TEXT

"""Lists in pages: declared pagination in terms of the generated code."""

from __future__ import annotations

from collections.abc import Sequence

from specwright.document.model import Document
from specwright.document.operations import sites
from specwright.document.operations.sites import Site
from specwright.ir.kinds import ALTERNATIVES
from specwright.ir.model.bodies import ResponseDefinition
from specwright.ir.model.operations import PaginationDefinition
from specwright.ir.model.parameters import ParameterDefinition, ParameterLocation
from specwright.ir.types import Types
from specwright.json_values import mapping
from specwright.pointer import join, split
from specwright.runtime.shared.operation import Way
from specwright.text import Text
from specwright.vocabulary.keywords.pagination import PaginationContract, is_in_body


def page(
    document: Document,
    types: Types,
    declared: PaginationContract | None,
    parameters: Sequence[ParameterDefinition],
    responses: Sequence[ResponseDefinition],
) -> PaginationDefinition | None:
    """Return the page of an operation; None without a declaration, or without a JSON response."""
    body = _body(document, responses)
    if declared is None or body is None:
        return None
    items, schema = walk(document, types, body, declared.items)
    way = _way(declared)
    argument = {"page": declared.page, "offset": declared.offset}.get(way, declared.cursor)
    is_member = argument is not None and is_in_body(argument)
    place = declared.next_url if way == "url" else declared.next

    def path(place: Text | None) -> tuple[str, ...]:
        return walk(document, types, body, place)[0]

    return PaginationDefinition(
        item=types.slot(schema / "items", schema.value.get("items")),
        way=way,
        cursor=next((p.name for p in parameters if _is_query(p, argument)), ""),
        member=tuple(map(Text, split(argument.raw))) if argument and is_member else (),
        items=items,
        next=path(place),
        more=path(declared.more),
        first=declared.first_page if way == "page" else 0,
        total=path(declared.total),
        pages=path(declared.pages),
        resume=declared.resume,
        interval=declared.interval_seconds,
        expired=declared.expired,
    )


def _is_query(parameter: ParameterDefinition, name: Text | None) -> bool:
    return parameter.location is ParameterLocation.QUERY and parameter.wire == name


def _way(declared: PaginationContract) -> Way:
    ways: dict[Way, object] = {
        "cursor": declared.cursor,
        "url": declared.next_url,
        "link": declared.link or None,
        "page": declared.page,
        "offset": declared.offset,
    }
    return next((way for way, by in ways.items() if by is not None), "cursor")


def attributes(
    document: Document, types: Types, declared: Text, responses: Sequence[ResponseDefinition]
) -> tuple[str, ...]:
    """Return the attributes of the response's model on the path to a value."""
    body = _body(document, responses)
    return () if body is None else walk(document, types, body, declared)[0]


def _body(document: Document, responses: Sequence[ResponseDefinition]) -> Site | None:
    """Return the schema of the first successful response, if it is JSON."""
    success = next((declared for declared in responses if declared.is_success), None)
    if success is None:
        return None
    content = sites.json_content(document, sites.at(document, success.pointer))
    return None if content is None else sites.schema(document, content)


def walk(
    document: Document, types: Types, schema: Site, place: Text | None
) -> tuple[tuple[str, ...], Site]:
    """Return the attributes of the models on the path to a value, and the schema of the value."""
    attributes = []
    for name in split(place.raw) if place else ():
        holder = _holder(document, schema, name) or schema
        models = [types.index.get(site.pointer) for site in (schema, holder)]
        fields = (model.fields for model in models if model is not None and name in model.fields)
        attributes.append(next(fields, {name: name})[name])
        value = mapping(holder.value.get("properties")).get(name)
        schema = sites.follow(document, holder.pointer + join("properties", name), value)
    return tuple(attributes), schema


def _holder(document: Document, schema: Site, name: str) -> Site | None:
    """Return the schema that describes a property: this one, or one of its parts."""
    if name in mapping(schema.value.get("properties")):
        return schema
    parts = (
        part
        for alternative in ALTERNATIVES
        for _, part in sites.members(document, schema, alternative)
    )
    candidates = (_holder(document, part, name) for part in parts if part.pointer != schema.pointer)
    return next((candidate for candidate in candidates if candidate is not None), None)

"""Lists in pages: what pagination declares, in the words of the generated code."""

from __future__ import annotations

from collections.abc import Sequence

from specwright.document import sites
from specwright.document.model import Document
from specwright.document.sites import Site
from specwright.ir.model import Page, Parameter, Response
from specwright.ir.types import Types
from specwright.pointer import join, resolve, split
from specwright.text import Text
from specwright.vocabulary.keywords.pagination import Pagination


def page(
    document: Document,
    types: Types,
    declared: Pagination | None,
    parameters: Sequence[Parameter],
    responses: Sequence[Response],
) -> Page | None:
    """The page of an operation; None when it declares none, or has no JSON answer."""
    body = _body(document, responses)
    if declared is None or body is None:
        return None
    items, schema = walk(document, types, body, declared.items)
    return Page(
        item=types.slot(schema / "items", schema.value.get("items")),
        cursor=next((p.name for p in parameters if p.wire == declared.cursor), ""),
        items=items,
        next=walk(document, types, body, declared.next)[0],
        more=walk(document, types, body, declared.more)[0],
        resume=declared.resume,
        interval=declared.interval_seconds,
        expired=declared.expired,
    )


def attributes(
    document: Document, types: Types, declared: Text, responses: Sequence[Response]
) -> tuple[str, ...]:
    """Attributes of the answer's model on the way to a value."""
    body = _body(document, responses)
    return () if body is None else walk(document, types, body, declared)[0]


def _body(document: Document, responses: Sequence[Response]) -> Site | None:
    """The schema of the first success, if it is JSON."""
    success = next((response for response in responses if response.is_success), None)
    if success is None:
        return None
    answer = Site(success.pointer, resolve(document.data, success.pointer))
    content = sites.json_content(document, answer)
    return None if content is None else sites.schema(document, content)


def walk(
    document: Document, types: Types, schema: Site, place: Text | None
) -> tuple[tuple[str, ...], Site]:
    """Attributes of the models on the way to a value, and the schema of that value."""
    attributes = []
    for name in split(place.raw) if place else ():
        model = types.index.get(schema.pointer)
        attributes.append(name if model is None else model.fields.get(name, name))
        value = schema.value.get("properties", {}).get(name)
        schema = sites.follow(document, schema.pointer + join("properties", name), value)
    return tuple(attributes), schema

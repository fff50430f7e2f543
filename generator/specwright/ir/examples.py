"""Example values for the schemas of a document: its own examples, else generated values."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice

from specwright.document.model import Document
from specwright.document.operations import sites
from specwright.document.operations.sites import Site
from specwright.ir.model.api import ExampleValue, Webhook
from specwright.ir.model.operations import OperationDefinition
from specwright.ir.model.values import TypeRef
from specwright.json_values import JsonValue, mapping
from specwright.pointer import ROOT, Pointer, join, resolve, split
from specwright.samples.witnesses import Witnesses
from specwright.text import Text
from specwright.vocabulary.keywords.pagination import PAGINATION, PaginationContract


class Examples:
    """The examples of a document, each created on first use.

    Attributes:
        witnesses: values of its schemas, for missing examples.
    """

    def __init__(self, document: Document) -> None:
        self._document = document
        self.witnesses = Witnesses(document)

    def models(self, operations: Iterable[OperationDefinition]) -> tuple[ExampleValue, ...]:
        """Return one example of each model that is the body of a success, or an item of a list."""
        bodies: dict[str | None, ExampleValue] = {}
        items: dict[str | None, ExampleValue] = {}
        for operation in operations:
            page = PAGINATION.read(sites.at(self._document, operation.pointer).value)
            item = operation.page.item if operation.page else None
            for response in operation.successes:
                # Values take long to find, and many operations respond with the same model.
                if _has(bodies, response.json) and (page is None or _has(items, item)):
                    continue
                for value in self._body(response.pointer, page) if response.json else ():
                    _add(bodies, response.json, value)
                    for first in _first(page, value):
                        _add(items, item, first)
        return tuple({**items, **bodies}.values())

    def events(self, webhooks: Iterable[Webhook]) -> tuple[ExampleValue, ...]:
        """Return one example of each event, by its type."""
        return tuple(
            ExampleValue(webhook.payload, _written(value), webhook.event_type)
            for webhook in webhooks
            if webhook.payload is not None and webhook.payload.is_class
            if webhook.operation.body is not None
            for value in self._body(webhook.operation.body.pointer, None)
        )

    def of(self, holder: Site, page: PaginationContract | None = None) -> Iterator[JsonValue]:
        """Yield the values of a media type or parameter object, then its invalid examples."""
        yield from self.valid(holder, page)
        yield from (value for _, value in sites.examples(self._document, holder))

    def valid(self, holder: Site, page: PaginationContract | None = None) -> Iterator[JsonValue]:
        """Yield a media type or parameter object's valid examples, then values of its schema."""
        yield from self.declared(holder)
        if "schema" not in holder.value:
            return
        schema = holder / "schema"
        for value in self.witnesses.of(schema):
            yield from self._last_pages(schema, value, page)
            yield value

    def declared(self, holder: Site) -> Iterator[JsonValue]:
        """Yield the examples of a media type or parameter object that its schema accepts."""
        for _, example in sites.examples(self._document, holder):
            value = self.sent(holder, example)
            if "schema" not in holder.value or self.witnesses.is_valid(holder / "schema", value):
                yield value

    def sent(self, holder: Site, value: JsonValue) -> JsonValue:
        """Return a value of a media type or parameter object as it is sent."""
        return self.witnesses.sent(holder / "schema", value) if "schema" in holder.value else value

    def _body(self, pointer: Pointer, page: PaginationContract | None) -> Iterator[JsonValue]:
        """Yield the example of the first JSON body at a place, if it has one."""
        content = sites.json_content(self._document, sites.at(self._document, pointer))
        if content is not None:
            for value in self.of(content, page):
                yield value
                return

    def _last_pages(
        self, schema: Pointer, value: JsonValue, page: PaginationContract | None
    ) -> Iterator[JsonValue]:
        """Yield the value as a page without a next page, so that a list of it has an end."""
        if page is None:
            return
        ended = value
        for place, end in ((page.more, False), (page.total, 1), (page.pages, 1)):
            ended = ended if place is None else with_member(ended, place.raw, end)
        items = [
            [item] for item in islice(self.witnesses.of(self._items(schema, page) / "items"), 1)
        ]
        if ends_without_items(page):
            items = [[]]
        for example in (*(with_member(ended, page.items.raw, list_) for list_ in items), ended):
            without = example
            for place in (page.next, page.next_url):
                without = without if place is None else with_member(without, place.raw, None)
            yield from (
                last for last in (without, example) if self.witnesses.is_valid(schema, last)
            )

    def _items(self, schema: Pointer, page: PaginationContract) -> Site:
        """Return the schema of the items of a page."""
        site = sites.follow(self._document, schema, resolve(self._document.data, schema))
        for name in split(page.items.raw):
            value = mapping(site.value.get("properties")).get(name)
            site = sites.follow(self._document, site.pointer + join("properties", name), value)
        return site


def ends_without_items(page: PaginationContract) -> bool:
    """Return whether only missing items show that a page is the last one."""
    by_number = page.cursor is None and page.next_url is None and not page.link
    places = (page.more, page.total if page.page is None else None, page.pages)
    is_counted = page.page is not None or page.offset is not None
    return by_number and is_counted and not any(places)


def _has(examples: Mapping[str | None, ExampleValue], type_: TypeRef | None) -> bool:
    """Return whether no further example of a type is needed."""
    return type_ is None or type_.model is None or type_.model in examples


def _add(examples: dict[str | None, ExampleValue], type_: TypeRef | None, value: JsonValue) -> None:
    if type_ is not None and type_.model is not None:
        examples.setdefault(type_.model, ExampleValue(type_, _written(value)))


def _first(page: PaginationContract | None, value: JsonValue) -> Iterator[JsonValue]:
    """Yield the first item of a page, if it has one."""
    if page is not None:
        with suppress(KeyError, ValueError):
            yield resolve(value, page.items.raw + join(0))


def with_member(value: JsonValue, pointer: Pointer, member: JsonValue) -> JsonValue:
    """Return a copy of a value with another member at a place, if it has that place."""
    if pointer == ROOT:
        return member
    name, *rest = split(pointer)
    if not isinstance(value, dict) or name not in value:
        return value
    return {**value, name: with_member(value[name], join(*rest), member)}


def _written(value: JsonValue) -> Text:
    return Text(json.dumps(value, separators=(",", ":")))

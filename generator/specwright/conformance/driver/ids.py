"""Ids from responses, by the paths that they belong to and by names such as `user_id`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urljoin

from specwright.conformance.contract.calls import Key, OperationCall
from specwright.conformance.contract.contract import Contract, ContractOperation, ParameterSlot
from specwright.conformance.contract.links import (
    Unknown,
    evaluate,
    leads,
    named,
    names_of,
    wanted_names,
)
from specwright.conformance.contract.resources import (
    Shape,
    singular,
    up_to_variables,
)
from specwright.conformance.contract.routes import ContractRoutes
from specwright.conformance.contract.value_parts import in_place
from specwright.conformance.recording.exchange import Exchange, value_at
from specwright.conformance.recording.record import Linked
from specwright.json_values import JsonValue, mapping
from specwright.names import snake
from specwright.pointer import join

# How many of the newest values are kept, and how many are tried.
_KEPT, _TRIED = 20, 3
# Replaces each letter and digit by another one: a hexadecimal digit by such a one.
_ANOTHER = str.maketrans(
    "0123456789abcdefghijklmnopqrstuvwxyz", "1234567890bcdefahijklmnopqrstuvwxyzg"
)
# Beyond any number that a service has issued.
_FAR = 10**8
# Members by which a body refers to another resource; a name or a code is often its own.
_REFERENCES = ("id", "uuid", "uid", "slug")

_Each = TypeVar("_Each")


@dataclass(frozen=True, slots=True)
class _Trail:
    """Values of path variables that belong together."""

    values: tuple[JsonValue, ...]
    expressions: tuple[str, ...]
    source: str


class KnownIds:
    """A store of ids, in which the id of a resource stays together with those of its parents."""

    def __init__(self, contract: Contract, base_url: str, linked: dict[Linked, Linked]) -> None:
        self._contract = contract
        self._routes = ContractRoutes(contract, base_url)
        # The origins of parameter values, for the report.
        self._linked = linked
        self._trails: dict[Shape, list[_Trail]] = defaultdict(list)
        self._named: dict[str, list[tuple[JsonValue, Linked]]] = defaultdict(list)

    def learn(self, call: OperationCall, exchange: Exchange) -> None:
        """Remember the ids in a successful response."""
        contract, operation, response = self._contract, call.operation, exchange.response
        assert response is not None
        location = response.header("location")
        if location is not None:
            self._follow(urljoin(exchange.request.url, location), operation)
        for lead in leads(contract, call, response):
            try:
                values = tuple(
                    evaluate(expression, call, response) for expression in lead.expressions
                )
            except Unknown:
                continue
            self._keep(lead.shape, _Trail(values, lead.expressions, operation.name))
        for name, place in named(contract, operation, response):
            entry = value_at(response.json_or_none, place), (operation.name, place)
            _put_first(self._named[name], entry)

    def link(self, target: ContractOperation, values: Mapping[str, JsonValue], source: str) -> bool:
        """Remember the path values of a declared link; return whether they cover the path."""
        whole = next(iter(up_to_variables(target.site.key)), None)
        if whole is None or not values.keys() >= set(whole[1]):
            return False
        path, names = whole
        self._keep(path, _Trail(tuple(values[name] for name in names), (), source))
        return True

    def _follow(self, url: str, operation: ContractOperation) -> None:
        route = self._routes.path(url)
        for part, names in up_to_variables(route[0]) if route else ():
            values = tuple(route[1][: len(names)]) if route else ()
            expressions = ("$response.header.Location",) * len(names)
            self._keep(part, _Trail(values, expressions, operation.name))

    def _keep(self, path: Shape, trail: _Trail) -> None:
        # Text in a header and a number in a body may be the same id.
        same = [*map(str, trail.values)]
        known = self._trails[path]
        known[:] = [trail, *(older for older in known if [*map(str, older.values)] != same)][:_KEPT]

    def path(self, operation: ContractOperation) -> dict[Key, list[JsonValue]]:
        """Return values of path parameters; those at the same index belong together."""
        for part, names in up_to_variables(operation.site.key):
            trails = self._trails[part]
            if trails:
                newest = trails[0]
                # Values of declared links have no expressions: these links are in the document.
                for name, expression in zip(names, newest.expressions, strict=False):
                    self._linked[operation.name, name] = newest.source, expression
                return {
                    ("path", name): [trail.values[index] for trail in trails]
                    for index, name in enumerate(names)
                }
        return {}

    def parameter(self, operation: ContractOperation, slot: ParameterSlot) -> list[JsonValue]:
        """Return known values for a parameter by its name, if they fit its schema."""
        name = slot.written.wire
        return self._by_name(operation, name, wanted_names(operation.site.key, name), slot.schema)

    def members(self, operation: ContractOperation, body: JsonValue) -> dict[str, JsonValue]:
        """Return the members of a body that refer to other resources, such as its `flow_id`.

        A member that contains such a reference, such as the list of lines of an order, is
        returned whole.
        """
        schema = self._contract.body_schema(operation)
        if schema is None or not isinstance(body, dict):
            return {}
        own = tuple(f"{name}_" for name in names_of(self._contract, operation, 201))
        return self._members(operation, schema, body, own)

    def _members(
        self,
        operation: ContractOperation,
        schema: str,
        body: dict[str, JsonValue],
        own: tuple[str, ...],
    ) -> dict[str, JsonValue]:
        places = {
            name: at + join("properties", name)
            for at, members in in_place(self._contract.document, schema)
            for name in mapping(members.get("properties"))
        }
        members: dict[str, JsonValue] = {}
        for name in body.keys() & places.keys():
            value, place = body[name], places[name]
            is_list = isinstance(value, list)
            if is_list:
                place = self._items(place)
            one = singular(snake(name))
            if is_reference(name) and not one.startswith(own):
                values = self._by_name(operation, name, (one,), place)
                if values:
                    members[name] = values[:1] if is_list else values[0]
                continue
            inner = value[0] if isinstance(value, list) and value else value
            if isinstance(inner, dict) and (below := self._members(operation, place, inner, own)):
                whole: JsonValue = {**inner, **below}
                members[name] = [whole] if is_list else whole
        return members

    def _items(self, schema: str) -> str:
        """Return the pointer of the schema of the items of a list."""
        lists = (at for at, each in in_place(self._contract.document, schema) if "items" in each)
        return f"{next(lists, schema)}/items"

    def _by_name(
        self, operation: ContractOperation, name: str, names: Iterable[str], schema: str
    ) -> list[JsonValue]:
        problems = self._contract.requests.problems
        fitting = [
            candidate
            for wanted in names
            for candidate in self._named.get(wanted, ())
            if not any(problems(schema, candidate[0]))
        ][:_TRIED]
        if fitting:
            self._linked[operation.name, name] = fitting[0][1]
        return [value for value, _ in fitting]


def is_reference(name: str) -> bool:
    """Return whether a member of a body refers to a resource, by its name: `flow_id`, `flowIds`."""
    return singular(snake(name)).rpartition("_")[2] in _REFERENCES


def invented(value: str | int) -> str | int:
    """Return a value of the same form that has not been issued."""
    if isinstance(value, int):
        return value + _FAR
    # The beginning may have a meaning, such as the version of a UUID (RFC 9562, 4.2).
    end = len(value) * 2 // 3
    return value[:end] + value[end:].translate(_ANOTHER)


def _put_first(known: list[_Each], entry: _Each) -> None:
    if entry in known:
        known.remove(entry)
    known.insert(0, entry)
    del known[_KEPT:]

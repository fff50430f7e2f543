"""Values that one answer hands to the next request (OpenAPI 3.1.1, 4.8.20)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from specwright.conformance.contract.calls import Absent, Call
from specwright.conformance.contract.contract import Contract, Link, Operation
from specwright.conformance.recording.exchange import JsonValue, Response, value_at
from specwright.names import snake
from specwright.pointer import join


class Unknown(Exception):  # noqa: N818 - it is an answer, not an error
    """An expression that stands for nothing in this exchange."""


def evaluate(expression: JsonValue, call: Call, response: Response) -> JsonValue:
    """What a runtime expression stands for; anything else stands for itself.

    Raises:
        Unknown: the exchange has no such value.
    """
    if isinstance(expression, dict):
        return {name: evaluate(each, call, response) for name, each in expression.items()}
    if not isinstance(expression, str) or not expression.startswith("$"):
        return expression
    side, _, rest = expression.partition(".")
    if expression == "$statusCode":
        return response.status
    if expression == "$method":
        return call.operation.method
    found: JsonValue = None
    if rest.startswith("body"):
        body = response.json_or_none if side == "$response" else call.body
        found = None if isinstance(body, Absent) else value_at(body, rest[len("body#") :])
    elif side == "$response" and rest.startswith("header."):
        found = response.header(rest.removeprefix("header."))
    elif side == "$request":
        place, _, name = rest.partition(".")
        found = call.arguments.get((place, name.lower() if place == "header" else name))
    if found is None:
        raise Unknown(expression)
    return found


def inferred(contract: Contract, operation: Operation, response: Response) -> Iterator[Link]:
    """Links that nobody wrote: from a collection to its members, by names.

    `/pets` leads to `/pets/{petId}` by the `petId`, `pet_id` or `id` of what was created or listed.
    """
    found = response.json_or_none
    items = _listed(found)
    item, place = (items[0][1], items[0][0]) if items else (found, "")
    if not isinstance(item, dict):
        return
    for target in contract.operations.values():
        collection, variable = _member_path(target.site.key)
        if collection != operation.site.key or variable is None:
            continue
        own = re.sub(r"_?(id|key|name|slug|code)$", r"_\1", snake(variable))
        wanted = (snake(variable), own, own.rpartition("_")[2])
        named = {snake(name): name for name in item}
        name = next((named[each] for each in wanted if each in named), None)
        if name is not None:
            expression = f"$response.body#{place}{join(name)}"
            yield Link("", "", str(response.status), target.pointer, {variable: expression}, None)


def _member_path(path: str) -> tuple[str, str | None]:
    """`/pets/{petId}/toys` -> (`/pets`, `petId`), for the last variable of a path."""
    before, found, rest = path.rpartition("/{")
    return (before, rest.partition("}")[0]) if found else (path, None)


def _listed(value: JsonValue) -> list[tuple[str, JsonValue]]:
    """The first items of the arrays of an answer that lists something, with their places."""
    if isinstance(value, list):
        return [("/0", value[0])] if value else []
    if isinstance(value, dict):
        return [
            (join(name, 0), each[0])
            for name, each in value.items()
            if isinstance(each, list) and each and isinstance(each[0], dict)
        ]
    return []

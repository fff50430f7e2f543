"""Links: values from one response for the next request (OpenAPI 3.1.1, 4.8.20)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from specwright.conformance.contract.calls import Absent, OperationCall
from specwright.conformance.contract.contract import Contract, ContractOperation, Link
from specwright.conformance.contract.resources import (
    COLLECTION_VERBS,
    Shape,
    qualified,
    shape,
    singular,
    variables,
    without_verb,
)
from specwright.conformance.recording.exchange import HttpResponse, value_at
from specwright.json_values import JsonValue
from specwright.names import snake
from specwright.pointer import Pointer, join, split

# Members in which a response may wrap a resource.
ENVELOPES = ("data", "result", "item", "resource", "object", "attributes", "payload")
# Words in schema names for a representation of a resource.
_VIEWS = frozenset(
    (
        *("response", "read", "out", "public", "detail", "details", "schema", "dto", "model"),
        *("view", "info", "summary", "output", "item", "list"),
    )
)
_IDS = ("id", "uuid", "uid", "key", "slug", "name", "code")


class Unknown(Exception):  # noqa: N818 - it is a result, not an error
    """An expression without a value in this exchange."""


@dataclass(frozen=True, slots=True)
class Lead:
    """The place of the id of a collection's member in an exchange.

    Attributes:
        shape: the path of the member.
        expressions: one for each variable of that path, those of the parents first.
    """

    shape: Shape
    expressions: tuple[str, ...]


def evaluate(expression: JsonValue, call: OperationCall, response: HttpResponse) -> JsonValue:
    """Return the value of a runtime expression; any other value is returned as it is.

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
    value: JsonValue = None
    if rest.startswith("body"):
        body = response.json_or_none if side == "$response" else call.body
        value = None if isinstance(body, Absent) else value_at(body, rest[len("body#") :])
    elif side == "$response" and rest.startswith("header."):
        value = response.header(rest.removeprefix("header."))
    elif side == "$request":
        place, _, name = rest.partition(".")
        value = call.arguments.get((place, name.lower() if place == "header" else name))
    if value is None:
        raise Unknown(expression)
    return value


def inferred(contract: Contract, call: OperationCall, response: HttpResponse) -> Iterator[Link]:
    """Yield undeclared links, from a collection to the operations below its members."""
    for lead in leads(contract, call, response):
        for targets in contract.members.get(lead.shape, {}).values():
            for target in targets:
                names = (f"path.{name}" for name in variables(target.site.key))
                parameters: dict[str, JsonValue] = dict(zip(names, lead.expressions, strict=True))
                yield Link("", "", str(response.status), target.pointer, parameters, None)


def leads(contract: Contract, call: OperationCall, response: HttpResponse) -> Iterator[Lead]:
    """Yield the places of ids in an exchange, by the names of variables and members.

    `/users/{user}/posts` is linked to `/users/{user}/posts/{postId}` by the `postId`, `post_id` or
    `id` of the post that was created or listed, and by the `user` of the request.
    """
    path = call.operation.site.key
    own, parents = shape(path), tuple(f"$request.path.{name}" for name in variables(path))
    for collection in dict.fromkeys((own, without_verb(own))):
        member = (*collection, None)
        for name in contract.members.get(member, ()) if collection else ():
            expression = _id_of(call, response, member_names(collection, name))
            if expression is not None:
                yield Lead(member, (*parents, expression))
                break
        for selected, names in contract.selections.get(collection, ()):
            expression = _id_of(call, response, names)
            if expression is not None:
                yield Lead(selected, (*parents, expression))


def listed(response: HttpResponse, expression: str) -> Iterator[str]:
    """Yield the ids of all items of a list, by an expression for the id of the first item."""
    yield from (id_ for id_, _ in listed_items(response, expression))


def listed_items(response: HttpResponse, expression: str) -> Iterator[tuple[str, JsonValue]]:
    """Yield the items of a list with their ids, by an expression for the id of the first item."""
    array, zero, member = expression.partition("#")[2].rpartition("/0/")
    items = value_at(response.json_or_none, array) if zero else None
    for item in items if isinstance(items, list) else ():
        id_ = value_at(item, f"/{member}")
        if id_ is not None:
            yield str(id_), item


def named(
    contract: Contract, operation: ContractOperation, response: HttpResponse
) -> Iterator[tuple[str, Pointer]]:
    """Yield qualified names of the ids in a response, such as `user_id`, with their pointers."""
    resources = names_of(contract, operation, response.status)
    for place, item in _items(response.json_or_none, is_list=operation.is_safe)[:1]:
        for name, value in item.items():
            plain = snake(name)
            if not _is_plain(value):
                continue
            if plain in _IDS:
                yield from ((f"{resource}_{plain}", place + join(name)) for resource in resources)
            elif plain.rpartition("_")[2] in _IDS:
                yield plain, place + join(name)


def names_of(contract: Contract, operation: ContractOperation, status: int) -> tuple[str, ...]:
    """Return the likely names of the resource in a response, by its path and its schema."""
    parts = list(shape(operation.site.key))
    while parts and (parts[-1] is None or parts[-1] in COLLECTION_VERBS):
        parts.pop()
    names = {} if not parts or parts[-1] is None else {singular(snake(parts[-1])): None}
    response = operation.response(status)
    schema = None if response is None else contract.schema_of(response)
    if schema is not None:
        at, value = contract.document.end(schema, {"$ref": f"#{schema}"})
        if isinstance(value, dict) and "items" in value:
            at, value = contract.document.end(f"{at}/items", value["items"])
        if at.startswith("/components/schemas/"):
            words = snake(split(at)[-1]).split("_")
            # By its path, a `BlockSchema` may be a resource of that name and not a view of a block.
            while len(words) > 1 and words[-1] in _VIEWS and "_".join(words) not in names:
                words.pop()
            names["_".join(words)] = None
    return tuple(names)


def wanted_names(path: str, name: str) -> tuple[str, ...]:
    """Return the names of a parameter elsewhere: `{id}` of `/users/{id}` is a `user_id`."""
    plain = snake(name)
    return (qualified(path, name), plain) if plain in _IDS else (plain, f"{plain}_id")


def member_names(collection: Shape, variable: str) -> tuple[str, ...]:
    """Return names for the value of a path variable in the member itself, the likeliest first."""
    plain = snake(variable)
    kind = next((id_ for id_ in _IDS if plain.endswith(id_)), None)
    if kind is not None:
        return plain, plain.removesuffix(kind).rstrip("_") + f"_{kind}", kind
    # `{post}` or `{p}` below `/posts` is its id, and `{status}` is not.
    plural = snake(collection[-1] or "")
    is_its_name = plain == singular(plural) or plural.startswith(plain)
    return plain, f"{plain}_id", *(_IDS if is_its_name else ())


def _id_of(call: OperationCall, response: HttpResponse, wanted: tuple[str, ...]) -> str | None:
    """Return an expression for the id in the response, or else in the body of the request."""
    operation = call.operation
    place = _place(_items(response.json_or_none, is_list=operation.is_safe), wanted)
    if place is not None:
        return f"$response.body#{place}"
    if operation.is_safe or isinstance(call.body, Absent):
        return None
    place = _place(_items(call.body, is_list=False)[:1], wanted)
    return None if place is None else f"$request.body#{place}"


def _place(
    items: list[tuple[Pointer, dict[str, JsonValue]]], wanted: tuple[str, ...]
) -> Pointer | None:
    for place, item in items:
        members = {snake(name): name for name, value in item.items() if _is_plain(value)}
        name = next((members[member] for member in wanted if member in members), None)
        if name is not None:
            return place + join(name)
    return None


def _is_plain(value: JsonValue) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def _items(body: JsonValue, *, is_list: bool) -> list[tuple[Pointer, dict[str, JsonValue]]]:
    """Return the resources in a body with their pointers, the likeliest first."""
    if isinstance(body, list):
        return [("/0", body[0])] if body and isinstance(body[0], dict) else []
    if not isinstance(body, dict):
        return []
    wrapped = [
        (join(name), each)
        for name, each in body.items()
        if snake(name) in ENVELOPES and isinstance(each, dict)
    ]
    listed = [
        (place + join(name, 0), each[0])
        for place, holder in [("", body), *wrapped]
        for name, each in holder.items()
        if isinstance(each, list) and each and isinstance(each[0], dict)
    ]
    single = [("", body), *wrapped]
    return [*listed, *single] if is_list else [*single, *listed]

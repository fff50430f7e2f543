"""Documents with the declarations that a team would add."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

# Keys by their place: the members that lead to it, or the name of an item of a list.
Declarations = Mapping[tuple[str, ...], Mapping[str, Any]]


def declared(document: Any, declarations: Declarations) -> Any:
    """Return a document with declarations."""
    made = copy.deepcopy(document)
    for place, keys in declarations.items():
        holder = made
        for name in place:
            if isinstance(holder, list):
                holder = next(item for item in holder if item.get("name") == name)
            else:
                holder = holder[name]
        holder.update(keys)
    return made


def errors(codes: Mapping[str, tuple[int, str | None]], **places: str) -> Mapping[str, Any]:
    """Return the declaration of errors: statuses and conditions by code, and where members are."""
    conditions = {code: {"condition": name} for code, (_, name) in codes.items() if name}
    return {
        "x-contract-error": {
            **places,
            "codes": {
                code: {"status": status, "type": "error", **conditions.get(code, {})}
                for code, (status, _) in codes.items()
            },
        }
    }


def pages(items: str, **given: Any) -> Mapping[str, Any]:
    """Return the declaration of a list."""
    least = {"cursor": None, "limit": "limit", "next": None, "more": None, "id": "/id"}
    return {"x-contract-pagination": {**least, "items": items, **given}}


def matching(property_: str, match: str = "equals") -> Mapping[str, Any]:
    """Return the declaration of a filter."""
    return {"x-contract-filter": {"property": property_, "match": match}}


def ordered(by: str, direction: str = "ascending") -> Mapping[str, Any]:
    """Return the declaration of the order of a list."""
    return {"x-contract-order": {"by": by, "direction": direction}}


def sorting(*properties: str) -> Mapping[str, Any]:
    """Return the declaration of a parameter for the order of a list, where a minus reverses it."""
    ways = (("", "ascending"), ("-", "descending"))
    orders = {
        f"{sign}{name}": {"by": f"/{name}", "direction": direction}
        for name in properties
        for sign, direction in ways
    }
    return {"x-contract-sort": {"orders": orders}}


def final(at: str, *states: str) -> Mapping[str, Any]:
    """Return the declaration of a resource that reaches a final state."""
    return {"x-contract-final": {"at": at, "states": list(states), "interval_seconds": 1}}

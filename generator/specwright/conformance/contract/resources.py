"""The names of resources in paths, and the shapes of paths."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

from specwright.names import snake

# The parts of a path, with None for a variable, so that its name does not matter.
Shape: TypeAlias = "tuple[str | None, ...]"

# Actions below a collection, as opposed to its members.
COLLECTION_VERBS = frozenset(
    (
        *("new", "create", "add", "register", "search", "filter", "query", "list", "all"),
        *("paginate", "scroll"),
    )
)
_VARIABLE = re.compile(r"\{([^{}]+)\}")


def shape(path: str) -> Shape:
    """Return the parts of a path, without a trailing slash: `/users/{id}/` is `("users", None)`."""
    parts = path.strip("/").split("/")
    return tuple(None if _VARIABLE.fullmatch(part) else part for part in parts if part)


def without_verb(path: Shape) -> Shape:
    """Return a path without an action below a collection at its end."""
    return path[:-1] if path and path[-1] in COLLECTION_VERBS else path


def variables(path: str) -> list[str]:
    """Return the names of the variables that are whole parts of a path."""
    parts = (_VARIABLE.fullmatch(part) for part in path.split("/"))
    return [match[1] for match in parts if match is not None]


def up_to_variables(path: str) -> Iterator[tuple[Shape, list[str]]]:
    """Yield the shape of a path up to each variable, with the names up to there, longest first."""
    parts, names = shape(path), variables(path)
    ends = [number for number, part in enumerate(parts, 1) if part is None]
    for count in range(len(ends), 0, -1):
        yield parts[: ends[count - 1]], names[:count]


def singular(name: str) -> str:
    """Return the singular of a name, by the usual plural endings."""
    for ending, replaced in (
        ("ies", "y"),
        ("sses", "ss"),
        ("xes", "x"),
        ("ches", "ch"),
        ("ss", "ss"),
    ):
        if name.endswith(ending):
            return name.removesuffix(ending) + replaced
    return name.removesuffix("s")


def qualified(path: str, variable: str) -> str:
    """Return the name of a variable with that of its collection: `user_id` in `/users/{id}`."""
    before = path.partition(f"{{{variable}}}")[0]
    literals = [snake(literal) for literal in before.strip("/").split("/") if "{" not in literal]
    plain = snake(variable)
    collection = next((literal for literal in reversed(literals) if literal != plain), "")
    return f"{singular(collection)}_{plain}"

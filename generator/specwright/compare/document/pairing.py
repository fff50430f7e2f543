"""The pairing of parts of the base with their counterparts in the revision."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from specwright.document.model import Document
from specwright.document.operations.servers import servers_of
from specwright.document.operations.sites import (
    Direction,
    OperationSite,
    Site,
    callbacks,
    contents,
    operations,
    parameters,
)
from specwright.errors import InputError

K = TypeVar("K")
V = TypeVar("V")

_CHARSET = re.compile(r";charset=\"?utf-?8\"?")
_EXPRESSION = re.compile(r"\{([^{}]*)\}")


class OperationKey(NamedTuple):
    """The key of an operation: the path, or the name of the webhook or callback."""

    direction: Direction
    name: str
    method: str

    @property
    def template(self) -> OperationKey:
        """The key without the names of path parameters, which do not matter."""
        if self.direction is not Direction.PATH:
            return self
        return self._replace(name=_EXPRESSION.sub("{}", self.name))


class ParameterKey(NamedTuple):
    """The key of a parameter: its name, or its position in the path."""

    place: str
    name: str


def pairs_by_key(
    base: Mapping[K, V], revision: Mapping[K, V]
) -> Iterator[tuple[K, V | None, V | None]]:
    """Yield every key of either side with both values, in the order of the base."""
    for key in dict.fromkeys((*base, *revision)):
        yield key, base.get(key), revision.get(key)


def operations_by_key(
    document: Document, prefixes: Sequence[str] = (), before: str = ""
) -> dict[OperationKey, OperationSite]:
    """Return the operations of paths and webhooks; callbacks belong to their operations.

    Args:
        prefixes: path prefixes to ignore, such as `/v1`.
        before: the end of the server's URL that is a part of the paths of the other document.

    Raises:
        InputError: two operations are the same without their prefixes.
    """
    by_key: dict[OperationKey, OperationSite] = {}
    for operation in operations(document):
        if operation.direction is Direction.CALLBACK:
            continue
        is_below = operation.direction is Direction.PATH and not servers_of(operation)
        name = _without_prefix(f"{before}{operation.key}" if is_below else operation.key, prefixes)
        key = OperationKey(operation.direction, name, operation.method)
        if key in by_key:
            raise InputError(
                f"'{operation.key}' and '{by_key[key].key}' are the same without their prefixes",
                document.locate(operation.pointer),
                "pass fewer prefixes to --strip-prefix",
            )
        by_key[key] = operation
    return by_key


def _without_prefix(path: str, prefixes: Sequence[str]) -> str:
    """Return a path without the first prefix that matches whole segments of it."""
    for prefix in prefixes:
        cut = prefix.rstrip("/")
        if cut and (path == cut or path.startswith(f"{cut}/")):
            return path.removeprefix(cut) or "/"
    return path


def callbacks_by_key(
    document: Document, operation: OperationSite
) -> dict[OperationKey, OperationSite]:
    """Return the operations of the callbacks that an operation declares."""
    return {
        OperationKey(callback.direction, f"{name} {callback.key}", callback.method): callback
        for name, callback in callbacks(document, operation)
    }


def match_operations(
    base: Mapping[OperationKey, OperationSite], revision: Mapping[OperationKey, OperationSite]
) -> Iterator[tuple[OperationSite | None, OperationSite | None]]:
    """Yield every operation of either side with its counterpart: by name, else by template."""
    unmatched = {key.template: key for key in revision if key not in base}
    partners = {
        key: unmatched.pop(key.template)
        for key in base
        if key not in revision and key.template in unmatched
    }
    for key, operation in base.items():
        yield operation, revision.get(partners.get(key, key))
    renamed = set(partners.values())
    for key, operation in revision.items():
        if key not in base and key not in renamed:
            yield None, operation


def parameters_by_key(document: Document, operation: OperationSite) -> dict[ParameterKey, Site]:
    """Return the parameters of an operation by key."""
    declared = parameters(document, operation)
    positions = _positions(operation, [name for place, name in declared if place == "path"])
    return {
        ParameterKey(place, positions.get(name, name) if place == "path" else name): parameter
        for (place, name), parameter in declared.items()
    }


def _positions(operation: OperationSite, declared: list[str]) -> dict[str, str]:
    """Return the positions of path parameters; a name missing from the path takes a free position.

    A missing name makes the document invalid, but is not reported as a change.
    """
    variables = _EXPRESSION.findall(operation.key)
    others = iter([name for name in declared if name not in variables])
    names = [name if name in declared else next(others, name) for name in variables]
    return {name: str(position) for position, name in enumerate(names)}


def headers_by_name(headers: Iterator[tuple[str, Site]]) -> dict[str, Site]:
    """Return response headers by lower-case name, as case does not matter (RFC 9110, 5.1)."""
    return {name.lower(): header for name, header in headers}


def contents_by_media_type(document: Document, holder: Site) -> dict[str, Site]:
    """Return the contents of a body or response by media type, without case and spaces.

    A UTF-8 charset is dropped: text is UTF-8 even without it (RFC 8259, 8.1).
    """
    return {
        _CHARSET.sub("", "".join(name.lower().split())): content
        for name, content in contents(document, holder)
    }

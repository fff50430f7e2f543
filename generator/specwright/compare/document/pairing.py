"""Which part of the revision is the same one as a part of the base."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from specwright.document.model import Document
from specwright.document.sites import (
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
    """What an operation is known by: the path, or the name of the webhook or callback."""

    direction: Direction
    name: str
    method: str

    @property
    def template(self) -> OperationKey:
        """The same without the names of path parameters, which are nobody's concern."""
        if self.direction is not Direction.PATH:
            return self
        return self._replace(name=_EXPRESSION.sub("{}", self.name))


class ParameterKey(NamedTuple):
    """What a parameter is known by: its name, or its position in the path."""

    place: str
    name: str


def paired(base: Mapping[K, V], revision: Mapping[K, V]) -> Iterator[tuple[K, V | None, V | None]]:
    """Every key of either side with what both have for it, in the order of the base."""
    for key in dict.fromkeys((*base, *revision)):
        yield key, base.get(key), revision.get(key)


def operations_by_key(
    document: Document, prefixes: Sequence[str] = ()
) -> dict[OperationKey, OperationSite]:
    """The operations of paths and webhooks; those of callbacks belong to an operation.

    Args:
        prefixes: starts of paths that do not count, such as `/v1`.

    Raises:
        InputError: without them two operations are the same.
    """
    found: dict[OperationKey, OperationSite] = {}
    for operation in operations(document):
        if operation.direction is Direction.CALLBACK:
            continue
        name = _without(operation.key, prefixes)
        key = OperationKey(operation.direction, name, operation.method)
        if key in found:
            raise InputError(
                f"without its prefix '{operation.key}' is the same path as '{found[key].key}'",
                document.locate(operation.pointer),
                "name fewer prefixes with --strip-prefix",
            )
        found[key] = operation
    return found


def _without(path: str, prefixes: Sequence[str]) -> str:
    """A path without the first prefix whose segments it starts with."""
    for prefix in prefixes:
        cut = prefix.rstrip("/")
        if cut and (path == cut or path.startswith(f"{cut}/")):
            return path.removeprefix(cut) or "/"
    return path


def callbacks_by_key(
    document: Document, operation: OperationSite
) -> dict[OperationKey, OperationSite]:
    """The operations of the callbacks that an operation declares."""
    return {
        OperationKey(called.direction, f"{name} {called.key}", called.method): called
        for name, called in callbacks(document, operation)
    }


def paired_operations(
    base: Mapping[OperationKey, OperationSite], revision: Mapping[OperationKey, OperationSite]
) -> Iterator[tuple[OperationSite | None, OperationSite | None]]:
    """Every operation of either side with its partner: of the same name, else template."""
    left = {key.template: key for key in revision if key not in base}
    partners = {
        key: left.pop(key.template) for key in base if key not in revision and key.template in left
    }
    for key, operation in base.items():
        yield operation, revision.get(partners.get(key, key))
    renamed = set(partners.values())
    for key, operation in revision.items():
        if key not in base and key not in renamed:
            yield None, operation


def parameters_by_key(document: Document, operation: OperationSite) -> dict[ParameterKey, Site]:
    """The parameters of an operation."""
    found = parameters(document, operation)
    positions = _positions(operation, [name for place, name in found if place == "path"])
    return {
        ParameterKey(place, positions.get(name, name) if place == "path" else name): parameter
        for (place, name), parameter in found.items()
    }


def _positions(operation: OperationSite, declared: list[str]) -> dict[str, str]:
    """Where in the path parameters stand; a name that the path lacks stands where none else does.

    The latter makes a document invalid, and is no reason to report a change.
    """
    named = _EXPRESSION.findall(operation.key)
    left = iter([name for name in declared if name not in named])
    fitted = [name if name in declared else next(left, name) for name in named]
    return {name: str(position) for position, name in enumerate(fitted)}


def headers_by_name(headers: Iterator[tuple[str, Site]]) -> dict[str, Site]:
    """Response headers; their names have no case (RFC 9110, 5.1)."""
    return {name.lower(): header for name, header in headers}


def contents_by_media_type(document: Document, holder: Site) -> dict[str, Site]:
    """The contents of a body or response; media types have no case and no spaces that count.

    Text is UTF-8 whether a media type says so or not (RFC 8259, 8.1).
    """
    return {
        _CHARSET.sub("", "".join(name.lower().split())): content
        for name, content in contents(document, holder)
    }

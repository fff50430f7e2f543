"""The selection of the operations that a command uses."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import wraps
from typing import Any

import click

from specwright.check.sound import without
from specwright.document.model import Document
from specwright.document.operations.sites import Direction, OperationSite, operations
from specwright.errors import InputError, did_you_mean


@dataclass(frozen=True, slots=True)
class Selection:
    """The chosen operations: all, or those that fit some patterns, except those that fit others.

    A pattern is a glob for `POST /orders`, the method, the path, the operationId or a tag.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def of(self, document: Document) -> tuple[Document, tuple[OperationSite, ...]]:
        """Return a document without the operations that are not chosen, and those operations.

        Raises:
            InputError: a pattern fits no operation, or no operation is left.
        """
        sites = [
            operation for operation in operations(document) if operation.direction is Direction.PATH
        ]
        self._check(sites)
        others = tuple(site for site in sites if not self._has(site))
        if len(others) == len(sites) > 0:
            raise InputError("--include and --exclude leave no operation to test")
        return without(document, (site.pointer for site in others)) if others else document, others

    def _has(self, operation: OperationSite) -> bool:
        is_included = not self.include or _fits(operation, self.include)
        return is_included and not _fits(operation, self.exclude)

    def _check(self, sites: list[OperationSite]) -> None:
        for option, patterns in (("--include", self.include), ("--exclude", self.exclude)):
            for pattern in patterns:
                if not any(_fits(site, [pattern]) for site in sites):
                    known = sorted({name for site in sites for name in _names(site)})
                    raise InputError(
                        f"{option} {pattern!r} matches no operation",
                        hint=did_you_mean(
                            pattern, known, "name a method, a path, an operationId or a tag"
                        ),
                    )


def _fits(operation: OperationSite, patterns: Iterable[str]) -> bool:
    names = _names(operation)
    return any(fnmatchcase(name, pattern) for pattern in patterns for name in names)


def _names(operation: OperationSite) -> list[str]:
    tags = operation.value.get("tags")
    return [
        f"{operation.method} {operation.key}",
        operation.method,
        operation.key,
        *([operation.id] if operation.id else []),
        *(map(str, tags) if isinstance(tags, list) else ()),
    ]


def selection_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that choose operations to a command, which gets them as `selection`."""

    @wraps(command)
    def with_selection(
        *args: Any, include: tuple[str, ...], exclude: tuple[str, ...], **others: Any
    ) -> None:
        command(*args, selection=Selection(include, exclude), **others)

    return _include(_exclude(with_selection))


_include = click.option(
    "--include",
    multiple=True,
    metavar="GLOB",
    help="Call these operations only: a glob for `POST /orders`, a method, a path, an operationId "
    "or a tag (repeatable).",
)
_exclude = click.option(
    "--exclude", multiple=True, metavar="GLOB", help="Never call these operations (repeatable)."
)

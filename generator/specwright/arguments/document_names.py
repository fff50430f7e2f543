"""The names of documents on the command line: in their place, or after `--document`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from specwright.document.model import is_remote
from specwright.errors import InputError

_Command = Callable[..., None]
_OPTION = "--document"
# The parameter of the option, beside that of the argument.
_NAMED = "named_document"


def path_or_url(value: str) -> Path | str:
    """Return an address as it is, and any other argument as a path.

    Raises:
        InputError: it is an address that does not begin with https:// or http://.
    """
    if is_remote(value):
        return value
    if "://" in value:
        raise InputError(
            f"'{value}' is not an address to read from",
            hint="an address begins with https:// or http://",
        )
    return Path(value)


class _DocumentName(click.Path):
    """The type of such a parameter; a shell completes it as the path of a file."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Path | str:
        if "://" in str(value):
            return path_or_url(str(value))
        return Path(os.fsdecode(super().convert(value, param, ctx)))


def document_argument(
    name: str = "document", default: str = "that of the project"
) -> Callable[[_Command], _Command]:
    """Return a decorator: the command has a document as an argument, and as `--document`.

    Args:
        name: the parameter of the command, and in capital letters the argument.
        default: the document of a command that names none, in words.
    """

    def decorate(command: _Command) -> _Command:
        @wraps(command)
        def with_document(*args: Any, **others: Any) -> None:
            first, second = others.pop(name), others.pop(_NAMED)
            if first is not None and second is not None:
                raise click.UsageError(
                    f"'{first}' and {_OPTION} '{second}' both name {name.upper()}; name it once"
                )
            command(*args, **{name: second if first is None else first}, **others)

        option = click.option(
            _OPTION,
            _NAMED,
            type=_DocumentName(),
            metavar="PATH|URL",
            help=f"The same as {name.upper()}.  [default: {default}]",
        )
        return click.argument(name, type=_DocumentName(), required=False)(option(with_document))

    return decorate


def documents_argument(command: _Command) -> _Command:
    """Let a command have documents as arguments, and as `--document`, which may be repeated."""

    @wraps(command)
    def with_documents(*args: Any, documents: tuple[Path | str, ...], **others: Any) -> None:
        named: tuple[Path | str, ...] = others.pop(_NAMED)
        command(*args, documents=(*documents, *named), **others)

    option = click.option(
        _OPTION,
        _NAMED,
        type=_DocumentName(),
        multiple=True,
        metavar="PATH|URL",
        help="One of DOCUMENTS (repeatable).  [default: those of the project]",
    )
    return click.argument("documents", type=_DocumentName(), nargs=-1)(option(with_documents))


def local(names: Iterable[Path | str], advice: str) -> tuple[Path, ...]:
    """Return the names of files, for a command that cannot use an address.

    Args:
        advice: what to do instead.

    Raises:
        InputError: one of them is an address.
    """
    paths = []
    for name in names:
        if isinstance(name, str):
            raise InputError(f"{name}: is on another machine", hint=advice)
        paths.append(name)
    return tuple(paths)

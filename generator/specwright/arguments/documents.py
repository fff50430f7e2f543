"""The documents that commands work on, and the settings files beside them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from specwright import policy
from specwright.arguments.document_names import path_or_url
from specwright.arguments.project import (
    chosen_document,
    configured,
    reference_directories,
    settings_for,
)
from specwright.check.checks import LEFT_OUT
from specwright.check.lint.table import RULE_IDS
from specwright.check.sound import Sound, sound
from specwright.config import PackageOptions, is_same, parse_toml
from specwright.document.model import Document
from specwright.document.operations.pagination import with_pagination
from specwright.document.operations.sites import named_operations
from specwright.document.sources.bundle import Remote
from specwright.document.sources.git import PREFIX, Commit
from specwright.document.sources.load import load, load_commit
from specwright.document.sources.upgrade import upgrade
from specwright.errors import InputError, Location
from specwright.files import read_argument, why_not_read
from specwright.json_values import JsonObject
from specwright.policy import Settings

if TYPE_CHECKING:
    from specwright.compare.verdicts.acceptances import Acceptance


def read_document(
    name: Path | str, allowed: tuple[Path, ...], remote: Remote = Remote.REFUSE
) -> Document:
    """Read a document, with the files that it may refer to and the pagination of its settings.

    Args:
        name: its path or its address.
        allowed: directories outside the project that it may refer to, too.

    Raises:
        InputError: it cannot be used, or its settings do not fit it.
    """
    return completed(_written(name, allowed, remote), name)


def completed(document: Document, name: Path | str) -> Document:
    """Return a document with the pagination of its settings.

    Settings of another document, which are the only ones of the project, apply to the operations
    that both have.

    Raises:
        InputError: the settings of this document name an operation that it does not have.
    """
    config = settings_for(name)
    declared = config.options.pagination
    if config.document is None or is_same(config.document, name):
        return with_pagination(document, declared)
    return _completed_in_part(document, declared)


def _completed_in_part(document: Document, declared: Mapping[str, JsonObject]) -> Document:
    known = named_operations(document) if declared else ()
    return with_pagination(document, {key: declared[key] for key in declared if key in known})


def _written(name: Path | str, allowed: tuple[Path, ...], remote: Remote) -> Document:
    within = reference_directories(name, allowed)
    return load(name, remote=remote, within=within, read=read_argument)


def read_side(name: str, allowed: tuple[Path, ...], project: str | None = None) -> Document:
    """Read one of the documents of a comparison, upgraded: a file, an address or `git:REF:path`.

    It has the pagination of the settings for the operations that it has: they are those of today,
    and an earlier or later document may lack some.

    Args:
        project: the document whose settings apply to both; None if it is this one.

    Raises:
        InputError: it cannot be used.
    """
    read = (
        load_commit(name, remote=Remote.KEEP)
        if name.startswith(PREFIX)
        else _written(path_or_url(name), allowed, Remote.KEEP)
    )
    declared = settings_for(_place(project or name)).options.pagination
    return upgrade(_completed_in_part(read, declared))


def _place(name: str) -> Path | str:
    """Return the file of a document of a comparison in the working tree, or its address."""
    return Path(name.split(":", 2)[-1]) if name.startswith(PREFIX) else path_or_url(name)


def valid_document(named: Path | str | None, allowed: tuple[Path, ...]) -> Document:
    """Return the named document, or that of the project, upgraded.

    Raises:
        InputError: it has errors.
    """
    path = chosen_document(configured(document=named))
    return without_errors(read_document(path, allowed))


def without_errors(document: Document) -> Document:
    """Return a document without errors, upgraded.

    Raises:
        InputError: it has errors.
    """
    result = sound(upgrade(document))
    if result.errors:
        raise _with_errors(document)
    return result.document


def sound_part(document: Document) -> Sound:
    """Return a document, upgraded, without the operations that its errors affect.

    Raises:
        InputError: they affect all operations.
    """
    part = sound(upgrade(document))
    if not part.is_usable:
        raise _with_errors(document)
    return part


def _with_errors(document: Document) -> InputError:
    return InputError(
        f"{document.path}: a document with errors cannot be used",
        hint=f"see specwright validate {document.path}",
    )


class _KnownRules(Collection[str]):
    """The ids of all rules with settings.

    Those of the review, and then the checks of `specwright test`, take longer to import.
    """

    def _tables(self) -> Iterator[Collection[str]]:
        yield RULE_IDS | {LEFT_OUT.id}
        from specwright.compare.table import BY_ID

        yield BY_ID
        from specwright.conformance.checks import table

        yield table.BY_ID

    def __contains__(self, rule: object) -> bool:
        return any(rule in table for table in self._tables())

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(self._tables())

    def __len__(self) -> int:
        return sum(map(len, self._tables()))


def lint_settings(
    document: str | Path,
    options: PackageOptions = PackageOptions(),  # noqa: B008 (it never changes)
    *,
    file: str | None = None,
) -> Settings:
    """Return the settings of the checks, from a file or from the one beside the document.

    Args:
        options: the options of the package, for the rules about names in code.

    Raises:
        InputError: a setting in the file is invalid.
    """
    chosen = file or policy.find(str(document))
    loaded = policy.load(chosen, _KnownRules()) if chosen else Settings()
    return _with_options(loaded, options)


def lint_settings_in(commit: Commit, document: Path, options: PackageOptions) -> Settings:
    """Return the settings of the checks that a document had in a commit.

    Args:
        options: as those of `lint_settings`.

    Raises:
        InputError: a setting in the file is invalid.
    """
    read = _read_beside(commit, document, policy.FILE_NAME)
    layers = policy.layers(*read, commit) if read else ()
    loaded = policy.settings(layers, _KnownRules())
    return _with_options(loaded, options)


def _with_options(loaded: Settings, options: PackageOptions) -> Settings:
    today = datetime.now(UTC).date()
    short_names = options.short_method_names
    return replace(loaded, short_method_names=short_names, names=options.names, today=today)


def change_settings(revision: str | Path) -> Settings:
    """Return the settings of the review, from the `lint.toml` beside a revision.

    Raises:
        InputError: a setting in the file is invalid.
    """
    if str(revision).startswith(PREFIX):
        return Settings()
    return lint_settings(revision)


def accepted(revision: str | Path, file: str | None = None) -> tuple[Acceptance, ...]:
    """Return the changes that the project accepts, from a file or from the one beside the revision.

    Raises:
        InputError: an entry in the file is invalid.
    """
    # Imported here: only a review needs it.
    from specwright.compare.table import BY_ID
    from specwright.compare.verdicts import acceptances

    file = file or acceptances.find(str(revision))
    return acceptances.load(file, BY_ID) if file else ()


def accepted_in(commit: Commit, document: Path) -> tuple[Acceptance, ...]:
    """Return the changes that the project already accepted in a commit.

    Raises:
        InputError: an entry in the file is invalid.
    """
    # Imported here: only a review needs it.
    from specwright.compare.table import BY_ID
    from specwright.compare.verdicts import acceptances

    read = _read_beside(commit, document, acceptances.FILE_NAME)
    return acceptances.entries(*read, BY_ID) if read else ()


def _read_beside(
    commit: Commit, document: Path, file: str
) -> tuple[str, str, dict[str, object]] | None:
    """Return the name, the text and the data of a file beside a document in a commit, if there."""
    name = commit.name_of(document.parent / file)
    try:
        content = commit.read(name)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"cannot be read: {why_not_read(error)}", Location(name, 1, 1)) from None
    return name, *parse_toml(Path(name), content)

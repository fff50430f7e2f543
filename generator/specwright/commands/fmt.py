"""`specwright fmt`: the canonical form of documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from specwright.arguments.document_names import documents_argument, local
from specwright.arguments.project import (
    all_configured,
    allow_refs_from,
    chosen_documents,
    reference_directories,
    usual_documents,
)
from specwright.document.shape import DocumentShape, is_swagger, shape_of
from specwright.document.sources.canonical import FileContent, canonical
from specwright.document.sources.load import (
    decode,
    is_json,
    load_in_part,
    parse,
    read_file,
)
from specwright.errors import InputError, Location
from specwright.files import replace_files, why_not_written
from specwright.json_values import JsonValue, mapping
from specwright.pointer import Pointer
from specwright.report.terminal import say


@dataclass(frozen=True, slots=True)
class _File:
    """A file to format.

    Attributes:
        name: its path as people write it.
        document: the document that it belongs to, which may be itself.
        shape: that of the document.
        parts: the kinds of the objects that documents refer to, by their places in the file.
    """

    name: Path
    document: Path
    shape: DocumentShape
    parts: dict[Pointer, str]


@click.command(
    epilog="""
\b
Examples:
  specwright fmt
  specwright fmt --check public.yaml partners.json

Exit codes: 0 if the documents are in canonical form now, 1 if --check found one that is not, 2 if
one cannot be read or written.
"""
)
@documents_argument
@allow_refs_from
@click.option("--check", is_flag=True, help="Change nothing; report files that would change.")
@click.pass_context
def fmt(
    ctx: click.Context,
    documents: tuple[Path | str, ...],
    allowed: tuple[Path, ...],
    check: bool,
) -> None:
    """Rewrite OpenAPI documents in canonical form.

    By default, DOCUMENTS are those of [tool.specwright], or the openapi or swagger file (.json,
    .yaml or .yml) in this directory. The files of the project that they refer to are rewritten,
    too; one that is named itself is rewritten alone.

    Fields are in the order of the specification, component names are sorted, and the file ends
    with one line feed. JSON is indented by two spaces. YAML keeps its style and its comments, which
    move with the field below them. The content does not change.
    """
    changed: list[tuple[_File, bytes]] = []
    for file in _chosen(local(chosen_documents(documents), "format a copy of it"), allowed):
        before = read_file(str(file.name))
        after = _formatted(file, before)
        if after != before:
            changed.append((file, after))
    for file, content in changed:
        if check:
            say(f"{file.name}: would change; run: specwright fmt {file.document}")
        else:
            _replace(file.name, content)
            say(f"{file.name}: changed")
    ctx.exit(1 if check and changed else 0)


def _chosen(named: Iterable[Path], allowed: Sequence[Path]) -> Iterable[_File]:
    """Return the files of documents, and those that are named as parts of one, each once."""
    files: dict[Path, _File] = {}
    for path in named:
        try:
            _add(files, _files(path, allowed))
        except InputError as error:
            if _is_document(parse(str(path), read_file(str(path)))[0]):
                raise
            part = _part(path, allowed)
            if part is None:
                hint = f"{error.hint}; a part of a document is formatted with it: name the document"
                raise InputError(error.message, error.location, hint) from None
            _add(files, [part])
    return files.values()


def _add(files: dict[Path, _File], others: Iterable[_File]) -> None:
    for file in others:
        files.setdefault(file.name.resolve(), file).parts.update(file.parts)


def _part(path: Path, allowed: Sequence[Path]) -> _File | None:
    """Return a file as a part of the documents of the project."""
    configured = (config.document for config in all_configured())
    files: dict[Path, _File] = {}
    for document in local(filter(None, configured), "") or usual_documents():
        _add(files, _files(document, allowed))
    return files.get(path.resolve())


def _files(document: Path, allowed: Sequence[Path]) -> Iterator[_File]:
    """Yield a document, and the files of its project that it refers to, perhaps repeatedly."""
    loaded = load_in_part(document, within=reference_directories(document, allowed))
    shape = shape_of(loaded.data)
    kinds = {place: kind for kind, place in shape.sections.items()}
    [project] = reference_directories(document, ())
    yield _File(document, document, shape, {})
    for place, graft in loaded.grafts.items():
        name = Path(graft.source.file)
        if name.resolve().is_relative_to(project):
            section = place.rpartition("/")[0]
            yield _File(name, document, shape, {graft.pointer: kinds[section]})


def _is_document(data: JsonValue) -> bool:
    return "openapi" in mapping(data) or is_swagger(mapping(data))


def _formatted(file: _File, before: bytes) -> bytes:
    name = str(file.name)
    data, text = parse(name, before)[0], decode(name, before)
    # A part may be in a document, too.
    content = None if _is_document(data) else FileContent.of_parts(file.parts, file.shape)
    if is_json(name, text):
        return canonical(data, content).encode()
    # Imported here because JSON documents do not need it.
    from specwright.document.sources.canonical_yaml import canonical_yaml

    return canonical_yaml(name, text, content).encode()


def _replace(file: Path, content: bytes) -> None:
    try:
        replace_files({file.resolve(): content})
    except OSError as error:
        raise InputError(
            f"cannot be written: {why_not_written(error)}",
            Location(str(file), 1, 1),
            "it is unchanged",
        ) from None

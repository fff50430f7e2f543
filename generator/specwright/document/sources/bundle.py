"""One document from several files, with all parts where OpenAPI expects them.

Targets in other files, and at places that OpenAPI does not know, move into `components`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import PurePosixPath
from typing import Protocol
from urllib.parse import unquote, urldefrag, urljoin

from specwright.document.model import Document, Graft, Source, is_remote
from specwright.document.shape import Node, shape_of, walk
from specwright.document.sources.base_uris import BaseUris
from specwright.errors import InputError, Location, UnreadableError, UnresolvedError
from specwright.files import why_not_read
from specwright.json_values import JsonObject, JsonValue
from specwright.pointer import Pointer, escape, join, resolve, split

Parse = Callable[[str, bytes], tuple[JsonValue, Source]]
# Work that yields other work, which has to be done before it continues.
Steps = Generator["Steps", None, None]
Bringing = Generator["Steps", None, str]

MAX_FILES = 5_000
MAX_BYTES = 128 * 1024 * 1024
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]+:")
_OBJECT = {1: "an object", 2: "objects"}
_NOT_A_NAME = re.compile(r"[^A-Za-z0-9._-]+")


class Remote(StrEnum):
    """The treatment of references to other machines."""

    REFUSE = "refuse"
    KEEP = "keep"
    FETCH = "fetch"


class LeadsOut(Exception):  # noqa: N818
    """A file outside the directories that a document may refer to."""


class Files(Protocol):
    """The files that a document may refer to: those of directories, or of a commit."""

    def beside(self, file: str, path: str) -> str:
        """Return the name of the file at a path in another file."""
        ...

    def identity(self, file: str) -> str:
        """Return a string that is the same for all names of one file."""
        ...

    def read(self, file: str) -> bytes:
        """Return the content of a file.

        Raises:
            LeadsOut: it may not be read.
            OSError: it cannot be read.
        """
        ...


def bundle(
    data: JsonObject, source: Source, parse: Parse, *, remote: Remote, files: Files
) -> Document:
    """Replace references to parts elsewhere with references into `components` of this file."""
    bundler = _Bundler(data, source, parse, remote, files)
    # An explicit stack: files may form an endless chain of references.
    stack = [bundler.rewrite(data, source, "document", "")]
    while stack:
        inner = next(stack[-1], None)
        if inner is None:
            stack.pop()
        else:
            stack.append(inner)
    return Document(source.file, data, source, bundler.grafts, {}, bundler.unresolved)


@dataclass
class _Bundler:
    root: JsonObject
    source: Source
    parse: Parse
    remote: Remote
    files: Files
    grafts: dict[Pointer, Graft] = field(default_factory=dict)
    unresolved: dict[Pointer, UnresolvedError] = field(default_factory=dict)
    _files: dict[str, tuple[JsonValue, Source]] = field(default_factory=dict)
    _names: dict[tuple[str, Pointer, str], Pointer] = field(default_factory=dict)
    _counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    # Aliases and overlapping targets show one object twice; it must be rewritten once.
    _rewritten: set[int] = field(default_factory=set)
    # The places of the objects that OpenAPI knows in the file itself.
    _known: frozenset[Pointer] = frozenset()
    _self: str | None = None
    _bytes: int = 0

    def __post_init__(self) -> None:
        self._shape = shape_of(self.root)

    def rewrite(self, value: JsonValue, source: Source, kind: str, pointer: Pointer) -> Steps:
        """Rewrite a value in place; yielded work has to be done before the next step."""
        if source is self.source:
            self._files[self._identity(source.file)] = (self.root, source)
            own = self.root.get("$self")
            self._self = own if isinstance(own, str) else None
        nodes = list(walk(value, kind, pointer, self._shape))
        if kind == "document":
            self._known = frozenset(node.pointer for node in nodes)
        uris = BaseUris((self._self or "") if source is self.source else "", nodes)
        ids = {uri for place, uri in uris.by_place.items() if place}
        for node in nodes:
            ref = node.ref
            if id(node.value) in self._rewritten or (
                ids and ref and urldefrag(uris.absolute(ref, node.pointer)).url in ids
            ):
                continue
            self._rewritten.add(id(node.value))
            if (
                ref is not None
                and node.kind in self._shape.sections
                and (
                    self._is_elsewhere(ref, source)
                    # Below an `$id`, a pointer begins at the schema that has it.
                    or (ref.startswith("#/") and not ids and self._is_unknown(unquote(ref[1:])))
                )
            ):
                yield from self._replace(node, ref, source)
            elif node.kind == "discriminator":
                yield from self._rewrite_mapping(node, source)

    def _replace(self, node: Node, ref: str, source: Source) -> Steps:
        at = f"{node.pointer}/$ref"
        try:
            node.value["$ref"] = yield from self._bring(ref, node.kind, source, at)
        except UnresolvedError as error:
            self.unresolved[self._place(node.pointer, source)] = error
            del node.value["$ref"]

    def _place(self, pointer: Pointer, source: Source) -> Pointer:
        """Return the place in the document of a value from one of the files."""
        for place, graft in self.grafts.items():
            if graft.source is source and f"{pointer}/".startswith(f"{graft.pointer}/"):
                return place + pointer[len(graft.pointer) :]
        return pointer

    def _rewrite_mapping(self, node: Node, source: Source) -> Steps:
        mapping = node.value.get("mapping")
        if not isinstance(mapping, dict):
            return
        for key, ref in mapping.items():
            if isinstance(ref, str) and _is_path(ref) and self._is_elsewhere(ref, source):
                at = f"{node.pointer}/mapping/{escape(key)}"
                mapping[key] = yield from self._bring(ref, "schema", source, at)

    def _is_elsewhere(self, ref: str, source: Source) -> bool:
        if self._self and ref.startswith(f"{self._self}#"):
            return False
        if self.remote is Remote.KEEP and is_remote(ref):
            return False
        return source is not self.source or not ref.startswith("#")

    def _is_unknown(self, target: Pointer) -> bool:
        """Return whether the file itself has a value at a place that OpenAPI does not know."""
        if target in self._known or self._is_component(target):
            return False
        try:
            return not isinstance(resolve(self.root, target), bool)
        except (KeyError, ValueError):
            return False

    def _is_component(self, pointer: Pointer) -> bool:
        """Return whether a place is that of a shared object, even of an unknown section."""
        section = pointer.rpartition("/")[0]
        return section in self._shape.sections.values() or (
            section.count("/") == 2 and section.startswith("/components/")
        )

    def _bring(self, ref: str, kind: str, source: Source, at: Pointer) -> Bringing:
        """Bring the target of a reference into the document; return the reference to its place."""
        place = Location(source.file, *source.position(split(at)))
        path, _, fragment = ref.partition("#")
        file = self._file(path, source.file, ref, place) if path else source.file
        target = unquote(fragment)
        is_own = self._identity(file) == self._identity(self.source.file)
        if is_own and not self._is_unknown(target):
            return f"#{fragment}"
        data, other = self._open(file, ref, place)
        key = (self._identity(file), target, kind)
        if key in self._names:
            return f"#{self._names[key]}"
        try:
            value = resolve(data, target)
        except (KeyError, ValueError):
            raise UnresolvedError(
                f"'{ref}' does not resolve", place, f"{file} has nothing at '{target}'"
            ) from None
        if not isinstance(value, dict) and not (kind == "schema" and isinstance(value, bool)):
            raise UnresolvedError(
                f"'{ref}' refers to a value that is not an object",
                place,
                f"refer to an object of the kind '{kind}'",
            )
        section = self._section(kind, place)
        name = self._claim(section, file, target, kind)
        pointer = self._shape.sections[kind] + join(name)
        self._names[key] = pointer
        self.grafts[pointer] = Graft(other, target)
        section[name] = value
        yield self.rewrite(value, other, kind, target)
        return f"#{pointer}"

    def _section(self, kind: str, place: Location) -> JsonObject:
        """Return the section of the document for objects of a kind."""
        section: JsonValue = self.root
        names = split(self._shape.sections[kind])
        for name in names:
            section = section.setdefault(name, {}) if isinstance(section, dict) else None
        if not isinstance(section, dict):
            raise InputError(
                "content of other files cannot be added",
                place,
                f"{' and its '.join(map(repr, names))} must be {_OBJECT[len(names)]}",
            )
        return section

    def _claim(self, section: JsonObject, file: str, target: Pointer, kind: str) -> str:
        """Return a free name, from the last part of the pointer or from the file."""
        tokens = split(target)
        wanted = tokens[-1] if tokens else PurePosixPath(file.replace("\\", "/")).stem
        wanted = name = _NOT_A_NAME.sub("_", wanted).strip("_") or kind
        while name in section:
            self._counts[kind, wanted] += 1
            name = f"{wanted}_{self._counts[kind, wanted] + 1}"
        return name

    def _file(self, path: str, base: str, ref: str, place: Location) -> str:
        if is_remote(path) or is_remote(base):
            return self._address(path, base, ref, place)
        if _SCHEME.match(path) or path.startswith(("/", "\\")):
            raise InputError(
                f"'{ref}' is not a path relative to this file",
                place,
                "refer to other files relative to the file that refers to them",
            )
        file = self.files.beside(base, unquote(path))
        if "\0" in file:
            raise InputError(f"'{ref}' does not resolve", place, "the file name is invalid")
        return file

    def _address(self, path: str, base: str, ref: str, place: Location) -> str:
        if self.remote is not Remote.FETCH:
            raise UnresolvedError(
                f"'{ref}' is on another machine, and fetching is not allowed by default",
                place,
                "keep a copy next to the document and refer to that, or pass --remote-refs fetch",
            )
        try:
            address = urljoin(base, path)
        except ValueError:
            address = ""
        if not is_remote(address):
            raise InputError(f"'{ref}' is not an HTTP address", place)
        return address

    def _open(self, file: str, ref: str, place: Location) -> tuple[JsonValue, Source]:
        identity = self._identity(file)
        if identity not in self._files:
            if len(self._files) == MAX_FILES:
                raise InputError(f"more than {MAX_FILES:,} files are referred to", place)
            content = self._content(file, ref, place)
            self._bytes += len(content)
            if self._bytes > MAX_BYTES:
                raise InputError(f"more than {MAX_BYTES >> 20} MB are referred to", place)
            try:
                self._files[identity] = self.parse(file, content)
            except InputError as error:
                # Its message may quote from a file that was not meant to be shown.
                raise InputError(
                    f"'{ref}' of {place} is not JSON or YAML", error.location, error.hint
                ) from None
        return self._files[identity]

    def _identity(self, file: str) -> str:
        return file if is_remote(file) else self.files.identity(file)

    def _content(self, file: str, ref: str, place: Location) -> bytes:
        if is_remote(file):
            # Imported here because almost no run needs it.
            from specwright.document.sources.remote import fetch

            return fetch(file, place)
        try:
            return self.files.read(file)
        except LeadsOut:
            raise InputError(
                f"'{ref}' refers to a file outside the project",
                place,
                "keep a copy in the project, or pass --allow-refs-from with its directory",
            ) from None
        except OSError as error:
            raise UnreadableError(
                file,
                f"'{ref}' does not resolve: {why_not_read(error)}",
                place,
                f"looked for {file}",
            ) from None


def _is_path(ref: str) -> bool:
    return "#" in ref or "/" in ref or ref.endswith((".json", ".yaml", ".yml"))

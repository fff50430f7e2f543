"""The document as everything else takes it: plain data that knows where it was written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeGuard
from urllib.parse import unquote

from specwright.errors import InputError, Location, UnresolvedError
from specwright.pointer import ROOT, Pointer, resolve, split

JsonObject = dict[str, Any]


def is_remote(ref: str) -> bool:
    """Whether a reference leads to another machine."""
    return ref[:8].lower().startswith(("http://", "https://"))


class Source(Protocol):
    """One file that was read, and where in it each value stands."""

    @property
    def file(self) -> str: ...
    @property
    def text(self) -> str: ...
    def position(self, tokens: tuple[str, ...]) -> tuple[int, int]:
        """Line and column of the deepest value on this way that exists."""
        ...

    def line(self, number: int) -> str:
        """The text of a line, without its end."""
        ...


@dataclass(frozen=True, slots=True)
class Graft:
    """A part of another file that was brought into the document."""

    source: Source
    pointer: Pointer


@dataclass(frozen=True, slots=True)
class Document:
    """An OpenAPI document: data, and the way back from a pointer to a line of a file.

    Attributes:
        unresolved: what is wrong with references that lead nowhere, by the place of the object
            that had it, and has none any more.
        written: the document before it was upgraded, if it was.
    """

    path: str
    data: JsonObject
    source: Source
    grafts: Mapping[Pointer, Graft]
    anchors: Mapping[str, Pointer]
    unresolved: Mapping[Pointer, UnresolvedError] = field(default_factory=dict)
    written: Document | None = None

    @property
    def version(self) -> str:
        """The `openapi` field, such as `3.1.1`."""
        return str(self.data["openapi"])

    def with_data(self, data: JsonObject) -> Document:
        """The same document with other data; pointers still lead to the original lines."""
        return replace(self, data=data)

    def locate(self, pointer: Pointer) -> Location:
        """Where the value (its key, for members of objects) or its nearest parent stands."""
        source, inner = self.origin(pointer)
        line, column = source.position(split(inner))
        return Location(source.file, line, column)

    @property
    def sources(self) -> dict[str, Source]:
        """The files that the document consists of, or their addresses."""
        grafted = {graft.source.file: graft.source for graft in self.grafts.values()}
        return {self.source.file: self.source, **grafted}

    def line(self, location: Location) -> str | None:
        """The text of the line at a location, if the file belongs to this document."""
        source = self.sources.get(location.file)
        return source.line(location.line) if source else None

    def has(self, pointer: Pointer) -> bool:
        """Return whether there is a value at a place."""
        try:
            resolve(self.data, pointer)
        except (KeyError, ValueError):
            return False
        return True

    def resolve(self, ref: str) -> Any:
        """What a reference inside the document names; references of the target stay unfollowed."""
        try:
            return resolve(self.data, self.target(ref))
        except (KeyError, ValueError):
            raise InputError(f"'{ref}' does not resolve", Location(self.path, 1, 1)) from None

    def target(self, ref: str) -> Pointer:
        """The pointer that a reference inside the document stands for."""
        if ref in self.anchors:
            return self.anchors[ref]
        return unquote(ref.partition("#")[2])

    def is_local(self, ref: Any) -> TypeGuard[str]:
        """Return whether a value is a reference to a part of the document."""
        return isinstance(ref, str) and not (is_remote(ref) and ref not in self.anchors)

    def follow(self, value: Any) -> Any:
        """The value itself, or what its chain of references ends in."""
        return self.end(ROOT, value)[1]

    def end(self, pointer: Pointer, value: Any) -> tuple[Pointer, Any]:
        """Where a chain of references ends that begins at a place, and the value there.

        A reference to another machine, if those were kept, is the end of the chain.
        """
        while isinstance(value, dict) and self.is_local(value.get("$ref")):
            pointer, value = self.target(value["$ref"]), self.resolve(value["$ref"])
        return pointer, value

    def origin(self, pointer: Pointer) -> tuple[Source, Pointer]:
        """The file that a value comes from, and its pointer in that file."""
        if self.grafts:
            prefix = pointer
            while prefix:
                graft = self.grafts.get(prefix)
                if graft:
                    return graft.source, graft.pointer + pointer[len(prefix) :]
                prefix = prefix.rpartition("/")[0]
        return self.source, pointer

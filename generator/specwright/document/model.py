"""The document as all other modules use it: plain data with its locations in files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeGuard
from urllib.parse import unquote

from specwright.document.moves import Moves
from specwright.document.shape import is_swagger
from specwright.errors import InputError, Location, UnresolvedError
from specwright.json_values import JsonObject, JsonValue
from specwright.pointer import ROOT, Pointer, resolve, split


def is_remote(ref: str) -> bool:
    """Return whether a reference is a URL on another machine."""
    return ref[:8].lower().startswith(("http://", "https://"))


class Source(Protocol):
    """A file that was read, with the position of each value."""

    @property
    def file(self) -> str: ...
    @property
    def text(self) -> str: ...
    def position(self, tokens: tuple[str, ...]) -> tuple[int, int]:
        """Return line and column of the deepest existing value on this path."""
        ...

    def line(self, number: int) -> str:
        """Return the text of a line, without its end."""
        ...


@dataclass(frozen=True, slots=True)
class Graft:
    """A part of another file that was brought into the document."""

    source: Source
    pointer: Pointer


@dataclass(frozen=True, slots=True)
class Remark:
    """A part that an upgrade could not keep, or where it had to choose a meaning.

    Attributes:
        rule: the id of the rule that reports it.
        pointer: its place in the document before the upgrade.
    """

    rule: str
    pointer: Pointer
    message: str


@dataclass(frozen=True, slots=True)
class Document:
    """An OpenAPI document: data, and the way from a pointer to a line of a file.

    Attributes:
        unresolved: the errors of references that lead nowhere, by the place of the object that had
            the reference, which is removed.
        written: the document before it was upgraded, if it was.
        moves: the parts that the upgrade moved.
        remarks: the parts that the upgrade could not keep.
    """

    path: str
    data: JsonObject
    source: Source
    grafts: Mapping[Pointer, Graft]
    anchors: Mapping[str, Pointer]
    unresolved: Mapping[Pointer, UnresolvedError] = field(default_factory=dict)
    written: Document | None = None
    moves: Moves = field(default_factory=Moves)
    remarks: tuple[Remark, ...] = ()

    @property
    def version(self) -> str:
        """The field `openapi`, such as `3.1.1`, or `swagger`, which is `2.0`."""
        return str(self.data["swagger" if is_swagger(self.data) else "openapi"])

    def with_data(self, data: JsonObject) -> Document:
        """Return the document with other data; pointers keep their original lines."""
        return replace(self, data=data)

    def locate(self, pointer: Pointer) -> Location:
        """Return the location of a value (of its key, for members) or its nearest parent."""
        source, inner = self.origin(pointer)
        line, column = source.position(split(inner))
        return Location(source.file, line, column)

    @property
    def sources(self) -> dict[str, Source]:
        """The sources that the document consists of, by file or address."""
        grafted = {graft.source.file: graft.source for graft in self.grafts.values()}
        return {self.source.file: self.source, **grafted}

    @property
    def size(self) -> int:
        """The number of characters of all sources."""
        return sum(len(source.text) for source in self.sources.values())

    def line(self, location: Location) -> str | None:
        """Return the text of the line at a location, if the file belongs to this document."""
        source = self.sources.get(location.file)
        return source.line(location.line) if source else None

    @property
    def original(self) -> Document:
        """The document as it was before its upgrade."""
        return self.written or self

    def as_written(self, pointer: Pointer) -> Pointer:
        """Return the place that a value has in the document before its upgrade."""
        return self.moves.before(pointer)

    def upgraded(self, data: JsonObject, moves: Moves, remarks: Iterable[Remark] = ()) -> Document:
        """Return the upgraded document; its parts have their original lines.

        Args:
            data: its data.
            moves: the parts that are elsewhere in this data.
        """
        brought = {new: graft for at, graft in self.grafts.items() for new in moves.after(at)}
        moved = {new: Graft(*self.origin(old)) for new, old in moves}
        return replace(
            self,
            data=data,
            grafts={**brought, **moved},
            unresolved={moves.after(at)[0]: error for at, error in self.unresolved.items()},
            written=self.written or self,
            moves=self.moves.then(moves),
            remarks=(*self.remarks, *remarks),
        )

    def has(self, pointer: Pointer) -> bool:
        """Return whether there is a value at a place."""
        try:
            resolve(self.data, pointer)
        except (KeyError, ValueError):
            return False
        return True

    def resolve(self, ref: str) -> JsonValue:
        """Return the value at a local reference; a reference found there is not followed."""
        try:
            return resolve(self.data, self.target(ref))
        except (KeyError, ValueError):
            raise InputError(f"'{ref}' does not resolve", Location(self.path, 1, 1)) from None

    def target(self, ref: str) -> Pointer:
        """Return the pointer of a reference inside the document."""
        if ref in self.anchors:
            return self.anchors[ref]
        return unquote(ref.partition("#")[2])

    def is_local(self, ref: object) -> TypeGuard[str]:
        """Return whether a value is a reference to a part of the document."""
        return isinstance(ref, str) and not (is_remote(ref) and ref not in self.anchors)

    def follow(self, value: JsonValue) -> JsonValue:
        """Return the value, or the value at the end of its chain of references."""
        return self.end(ROOT, value)[1]

    def end(self, pointer: Pointer, value: JsonValue) -> tuple[Pointer, JsonValue]:
        """Return the place and the value at the end of the chain of references from a place.

        A reference to another machine, if these were kept, ends the chain.
        """
        while isinstance(value, dict) and self.is_local(ref := value.get("$ref")):
            pointer, value = self.target(ref), self.resolve(ref)
        return pointer, value

    def origin(self, pointer: Pointer) -> tuple[Source, Pointer]:
        """Return the source that a value comes from, and its pointer in that source."""
        if self.grafts:
            prefix = pointer
            while prefix:
                graft = self.grafts.get(prefix)
                if graft:
                    return graft.source, graft.pointer + pointer[len(prefix) :]
                prefix = prefix.rpartition("/")[0]
        return self.source, pointer

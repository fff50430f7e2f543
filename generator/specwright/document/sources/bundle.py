"""One document out of several files: what is referred to elsewhere moves into `components`."""

from __future__ import annotations

import os.path
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote, urljoin

from specwright.document.model import Graft, JsonObject, Source, is_remote
from specwright.document.shape import SECTIONS, Node, walk
from specwright.errors import InputError, Location
from specwright.pointer import Pointer, escape, join, resolve, split

Parse = Callable[[str, bytes], tuple[Any, Source]]

MAX_REMOTE_BYTES = 32 * 1024 * 1024
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]+:")
_NOT_A_NAME = re.compile(r"[^A-Za-z0-9._-]+")


class Remote(StrEnum):
    """What to do about references to other machines."""

    REFUSE = "refuse"
    KEEP = "keep"
    FETCH = "fetch"


def bundle(
    data: JsonObject, source: Source, parse: Parse, *, remote: Remote
) -> tuple[JsonObject, dict[Pointer, Graft]]:
    """Replace references to other files by references into `components` of this one."""
    bundler = _Bundler(data, source, parse, remote)
    bundler.rewrite(data, source, "document", "")
    return data, bundler.grafts


@dataclass(slots=True)
class _Bundler:
    root: JsonObject
    source: Source
    parse: Parse
    remote: Remote
    grafts: dict[Pointer, Graft] = field(default_factory=dict)
    _files: dict[str, tuple[Any, Source]] = field(default_factory=dict)
    _names: dict[tuple[str, Pointer, str], Pointer] = field(default_factory=dict)
    # Aliases and overlapping targets show one object twice; it must be rewritten once.
    _rewritten: set[int] = field(default_factory=set)
    _self: str | None = None

    def rewrite(self, value: Any, source: Source, kind: str, pointer: Pointer) -> None:
        if source is self.source:
            self._files[_identity(source.file)] = (self.root, source)
            own = self.root.get("$self")
            self._self = own if isinstance(own, str) else None
        nodes = list(walk(value, kind, pointer))
        ids = {
            node.value["$id"]
            for node in nodes
            if node.kind == "schema" and isinstance(node.value.get("$id"), str)
        }
        for node in nodes:
            ref = node.ref
            if id(node.value) in self._rewritten or (ref and ref in ids):
                continue
            self._rewritten.add(id(node.value))
            if ref is not None and self._is_elsewhere(ref, source):
                node.value["$ref"] = self._bring(ref, node.kind, source, f"{node.pointer}/$ref")
            elif node.kind == "discriminator":
                self._rewrite_mapping(node, source)

    def _rewrite_mapping(self, node: Node, source: Source) -> None:
        mapping = node.value.get("mapping")
        if not isinstance(mapping, dict):
            return
        for key, ref in mapping.items():
            if isinstance(ref, str) and _is_path(ref) and self._is_elsewhere(ref, source):
                at = f"{node.pointer}/mapping/{escape(key)}"
                mapping[key] = self._bring(ref, "schema", source, at)

    def _is_elsewhere(self, ref: str, source: Source) -> bool:
        if self._self and ref.startswith(f"{self._self}#"):
            return False
        if self.remote is Remote.KEEP and is_remote(ref):
            return False
        return source is not self.source or not ref.startswith("#")

    def _bring(self, ref: str, kind: str, source: Source, at: Pointer) -> str:
        """Give the target of a reference a place in the document; the reference to that place."""
        place = Location(source.file, *source.position(split(at)))
        path, _, fragment = ref.partition("#")
        file = self._file(path, source.file, ref, place) if path else source.file
        target = unquote(fragment)
        if _identity(file) == _identity(self.source.file):
            return f"#{fragment}"
        data, other = self._open(file, ref, place)
        key = (_identity(file), target, kind)
        if key in self._names:
            return f"#{self._names[key]}"
        try:
            value = resolve(data, target)
        except (KeyError, ValueError):
            raise InputError(
                f"'{ref}' does not resolve", place, f"{file} has nothing at '{target}'"
            ) from None
        pointer = self._claim(file, target, kind)
        self._names[key] = pointer
        self.grafts[pointer] = Graft(other, target)
        section, name = split(pointer)[1:]
        self.root.setdefault("components", {}).setdefault(section, {})[name] = value
        self.rewrite(value, other, kind, target)
        return f"#{pointer}"

    def _claim(self, file: str, target: Pointer, kind: str) -> Pointer:
        """A free name in `components`, after the last part of the pointer or the file."""
        tokens = split(target)
        wanted = tokens[-1] if tokens else PurePosixPath(file.replace("\\", "/")).stem
        wanted = _NOT_A_NAME.sub("_", wanted).strip("_") or kind
        section = SECTIONS[kind]
        components = self.root.get("components")
        taken = components.get(section, {}) if isinstance(components, dict) else {}
        name, count = wanted, 1
        while name in taken:
            count += 1
            name = f"{wanted}_{count}"
        return join("components", section, name)

    def _file(self, path: str, base: str, ref: str, place: Location) -> str:
        if is_remote(path) or is_remote(base):
            if self.remote is Remote.FETCH:
                return urljoin(base, path)
            raise InputError(
                f"'{ref}' is on another machine, and nothing is fetched unless you allow it",
                place,
                "keep a copy beside the document and refer to that, or pass --remote-refs fetch",
            )
        if _SCHEME.match(path) or path.startswith(("/", "\\")):
            raise InputError(
                f"'{ref}' is not a path relative to this file",
                place,
                "refer to other files relative to the file that refers to them",
            )
        return os.path.normpath(os.path.join(os.path.dirname(base), unquote(path)))  # noqa: PTH118, PTH120

    def _open(self, file: str, ref: str, place: Location) -> tuple[Any, Source]:
        identity = _identity(file)
        if identity not in self._files:
            content = _fetch(file, place) if is_remote(file) else _read(file, ref, place)
            self._files[identity] = self.parse(file, content)
        return self._files[identity]


def _identity(file: str) -> str:
    return file if is_remote(file) else os.path.realpath(file)


def _is_path(ref: str) -> bool:
    return "#" in ref or "/" in ref or ref.endswith((".json", ".yaml", ".yml"))


def _read(file: str, ref: str, place: Location) -> bytes:
    try:
        with open(file, "rb") as stream:  # noqa: PTH123
            return stream.read()
    except OSError as error:
        raise InputError(
            f"'{ref}' does not resolve: {error.strerror or error}", place, f"looked for {file}"
        ) from None


def _fetch(url: str, place: Location) -> bytes:
    # Imported here because almost no run needs it.
    from urllib.error import URLError
    from urllib.request import urlopen

    try:
        with urlopen(url, timeout=10) as answer:
            content: bytes = answer.read(MAX_REMOTE_BYTES + 1)
    except (URLError, OSError, ValueError) as error:
        raise InputError(
            f"'{url}' cannot be fetched: {error}", place, "check the address"
        ) from None
    if len(content) > MAX_REMOTE_BYTES:
        raise InputError(f"'{url}' is too large", place, "keep a copy beside the document")
    return content

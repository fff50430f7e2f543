"""YAML 1.2 (core schema) parsed into JSON data, with the line and column of every value."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from specwright.document.sources.json_source import MAX_DEPTH
from specwright.document.sources.lines import Lines
from specwright.errors import InputError, Location
from specwright.json_values import JsonValue
from specwright.pointer import child

# Aliases may repeat content, but not multiply it: no real document comes near this many values.
MAX_VALUES = 1_000_000

_CORE_TAG = "tag:yaml.org,2002:"
_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEAN = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?[0-9]+")
_PREFIXED_INTEGER = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_MERGE = "<<"

Position = tuple[int, int]
Positions = dict[int, dict[str, Position]]


class YamlSource:
    """The text of a YAML file with the positions of all keys and items."""

    def __init__(self, file: str, text: str, data: JsonValue, positions: Positions) -> None:
        self.file = file
        self.text = text
        self._data = data
        self._lines = Lines(text)
        # Keyed by the identity of the containers, which `data` keeps alive.
        self._positions = positions

    def position(self, tokens: tuple[str, ...]) -> Position:
        value, here = self._data, (1, 1)
        for token in tokens:
            known = self._positions.get(id(value), {}).get(token)
            if known is None:
                break
            here = known
            value = child(value, token)
        return here

    def line(self, number: int) -> str:
        return self._lines.text(number)


@dataclass(slots=True)
class _Frame:
    """A mapping or sequence that is being read."""

    container: Any
    anchor: str | None
    positions: dict[str, Position] = field(default_factory=dict)
    merged: list[Any] = field(default_factory=list)
    key: str | None = None
    size: int = 1
    height: int = 1


@dataclass(frozen=True, slots=True)
class _Complete:
    """A complete value, with the number of values in it and the height of its tree."""

    value: Any
    size: int
    height: int


_UNCLOSED = "found unexpected end of stream"
# What the parser reports, in words of ours; it has two parsers, one of which is in C.
_PROBLEMS = {
    "did not find expected key": "a key was expected here",
    "expected <block end>": "a key was expected here",
    "did not find expected '-' indicator": "an item that begins with '-' was expected here",
    "did not find expected ',' or ']'": "',' or ']' was expected here",
    "expected ',' or ']'": "',' or ']' was expected here",
    "did not find expected ',' or '}'": "',' or '}' was expected here",
    "expected ',' or '}'": "',' or '}' was expected here",
    _UNCLOSED: "a quote is not closed",
    "could not find expected ':'": "a key without ':'",
    "mapping values are not allowed in this context": "a key is not allowed here",
    "found character that cannot start any token": "no text can begin with this character",
    "found unknown escape character": "a backslash in double quotes before another character",
    "block sequence entries are not allowed in this context": "'-' is not allowed here",
}


def parse(file: str, text: str) -> tuple[JsonValue, YamlSource]:
    """Parse one YAML document; anything that JSON cannot express is an error."""
    reader = _Reader(file)
    try:
        data = reader.read(yaml.parse(text, Loader=loader()))
    except yaml.MarkedYAMLError as error:
        # What is not closed is shown at its beginning, and not at the end of the file.
        is_unclosed = _UNCLOSED in (error.problem or "")
        mark = (not is_unclosed and error.problem_mark) or error.context_mark
        place = Location(file, mark.line + 1, mark.column + 1) if mark else Location(file, 1, 1)
        line, column = Lines(text).text(place.line), place.column - 1
        if line[column : column + 1] == "\t":
            verb = "has" if line[:column].strip(" ") else "begins with"
            raise InputError(
                f"not valid YAML: line {place.line} {verb} a tab",
                place,
                "YAML indents with spaces: replace the tab",
            ) from None
        problem = str(error.problem or error.context)
        words = next((words for sign, words in _PROBLEMS.items() if sign in problem), problem)
        raise InputError(
            f"not valid YAML: {words}",
            place,
            "check the indentation and quote text that contains ': ', '#', or starts with "
            "one of [ ] { } * & ! | > @ `",
        ) from None
    except yaml.reader.ReaderError as error:
        before = text[: error.position]
        place = Location(file, before.count("\n") + 1, error.position - before.rfind("\n"))
        raise InputError(
            f"not valid YAML: {error.reason}", place, "remove the control character"
        ) from None
    return data, YamlSource(file, text, data, reader.positions)


def loader() -> type[yaml.SafeLoader]:
    """Return the class that parses YAML."""
    # The C parser is an order of magnitude faster; some builds of PyYAML come without it.
    fastest: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return fastest


class _Reader:
    """The reader of parser events, which counts depth and size."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.positions: Positions = {}
        self._anchors: dict[str, _Complete] = {}
        self._frames: list[_Frame] = []
        self._root: Any = None
        self._documents = 0

    def read(self, events: Iterator[Any]) -> Any:
        handlers = {
            yaml.ScalarEvent: self._scalar,
            yaml.MappingStartEvent: self._open_mapping,
            yaml.SequenceStartEvent: self._open_sequence,
            yaml.MappingEndEvent: self._close,
            yaml.SequenceEndEvent: self._close,
            yaml.AliasEvent: self._alias,
            yaml.DocumentStartEvent: self._document,
        }
        for event in events:
            handler = handlers.get(type(event))
            if handler:
                handler(event)
        return self._root

    def _document(self, event: Any) -> None:
        self._documents += 1
        if self._documents > 1:
            raise self._error(event, "a second YAML document", "keep one document per file")

    def _scalar(self, event: Any) -> None:
        frame = self._frames[-1] if self._frames else None
        if frame and frame.key is None and type(frame.container) is dict:
            self._take_key(frame, event)
            return
        value = self._value(event)
        if event.anchor:
            self._anchors[event.anchor] = _Complete(value, 1, 0)
        self._place(_Complete(value, 1, 0), event)

    def _take_key(self, frame: _Frame, event: Any) -> None:
        key = event.value
        if key == _MERGE and event.implicit[0]:
            frame.key = key
            return
        if key in frame.positions:
            raise self._error(
                event, f"duplicate key '{key}'", "remove one of the two; keys are compared as text"
            )
        frame.key = key
        mark = event.start_mark
        frame.positions[key] = (mark.line + 1, mark.column + 1)
        if event.anchor:
            self._anchors[event.anchor] = _Complete(key, 1, 0)

    def _open_mapping(self, event: Any) -> None:
        self._open(event, {}, "map")

    def _open_sequence(self, event: Any) -> None:
        self._open(event, [], "seq")

    def _open(self, event: Any, container: Any, tag: str) -> None:
        if event.tag not in (None, "!", _CORE_TAG + tag):
            raise self._unknown_tag(event)
        if len(self._frames) >= MAX_DEPTH:
            raise self._too_deep(event)
        parent = self._frames[-1] if self._frames else None
        if parent and parent.key is None and type(parent.container) is dict:
            raise self._complex_key(event)
        if parent and type(parent.container) is list:
            mark = event.start_mark
            parent.positions[str(len(parent.container))] = (mark.line + 1, mark.column + 1)
        self._frames.append(_Frame(container, event.anchor))

    def _close(self, event: Any) -> None:
        frame = self._frames.pop()
        container = frame.container
        for other in frame.merged:
            for key, value in other.items():
                if key not in container:
                    container[key] = value
                    frame.positions[key] = self.positions[id(other)][key]
        self.positions[id(container)] = frame.positions
        complete = _Complete(container, frame.size, frame.height)
        if frame.anchor:
            self._anchors[frame.anchor] = complete
        self._place(complete, event)

    def _alias(self, event: Any) -> None:
        anchored = self._anchors.get(event.anchor)
        if anchored is None:
            inside = any(frame.anchor == event.anchor for frame in self._frames)
            problem = "contains itself" if inside else "is not defined before this"
            raise self._error(
                event, f"alias '*{event.anchor}' {problem}", "write the content out, or use $ref"
            )
        frame = self._frames[-1]
        if frame.key is None and type(frame.container) is dict:
            raise self._complex_key(event)
        if len(self._frames) + anchored.height > MAX_DEPTH:
            raise self._too_deep(event)
        self._place(anchored, event)

    def _place(self, complete: _Complete, event: Any) -> None:
        value = complete.value
        if not self._frames:
            self._root = value
            return
        frame = self._frames[-1]
        frame.size += complete.size
        frame.height = max(frame.height, complete.height + 1)
        if frame.size > MAX_VALUES:
            raise self._error(
                event,
                f"the aliases of this file expand to more than {MAX_VALUES:,} values",
                "use $ref for shared content",
            )
        container = frame.container
        if type(container) is list:
            index = str(len(container))
            if index not in frame.positions:
                mark = event.start_mark
                frame.positions[index] = (mark.line + 1, mark.column + 1)
            container.append(value)
            return
        if frame.key == _MERGE and _MERGE not in frame.positions:
            self._merge(frame, value, event)
        else:
            container[frame.key] = value
        frame.key = None

    def _merge(self, frame: _Frame, value: Any, event: Any) -> None:
        parts = value if type(value) is list else [value]
        if not all(type(part) is dict for part in parts):
            raise self._error(
                event, "'<<' takes a mapping or a list of mappings", "quote the key if it is a name"
            )
        frame.merged.extend(parts)

    def _value(self, event: Any) -> Any:
        text: str = event.value
        if event.tag not in (None, "!"):
            return self._tagged(event)
        if not event.implicit[0]:
            return text
        if text in _BOOLEAN:
            return _BOOLEAN[text]
        if text in _NULL:
            return None
        if not (text[0].isdigit() or text[0] in "+-."):
            return text
        return self._number(text, event)

    def _number(self, text: str, event: Any) -> Any:
        if len(text) < 4300 and _INTEGER.fullmatch(text):
            return int(text)
        if _PREFIXED_INTEGER.fullmatch(text):
            return int(text, 0)
        finite = _FLOAT.fullmatch(text)
        if _NOT_FINITE.fullmatch(text) or (finite and math.isinf(float(text))):
            raise self._error(
                event, f"{text[:20]} is not a number in JSON", "quote it if it is meant as text"
            )
        return float(text) if finite else text

    def _tagged(self, event: Any) -> Any:
        text: str = event.value
        match event.tag.removeprefix(_CORE_TAG):
            case "str":
                return text
            case "null" if text in _NULL:
                return None
            case "bool" if text in _BOOLEAN:
                return _BOOLEAN[text]
            case "int" if _INTEGER.fullmatch(text) or _PREFIXED_INTEGER.fullmatch(text):
                return self._number(text, event)
            case "float" if _FLOAT.fullmatch(text):
                return float(self._number(text, event))
        raise self._unknown_tag(event)

    def _too_deep(self, event: Any) -> InputError:
        return self._error(
            event,
            f"nested deeper than {MAX_DEPTH} levels",
            "no API needs this; the file is damaged or malicious",
        )

    def _unknown_tag(self, event: Any) -> InputError:
        return self._error(
            event,
            f"tag '{event.tag}' is not supported",
            "only JSON data is allowed: remove the tag",
        )

    def _complex_key(self, event: Any) -> InputError:
        return self._error(event, "a key that is not plain text", "write the key as text")

    def _error(self, event: Any, message: str, hint: str) -> InputError:
        mark = event.start_mark
        return InputError(message, Location(self.file, mark.line + 1, mark.column + 1), hint)

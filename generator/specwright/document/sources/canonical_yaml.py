"""The canonical order of a file in YAML: its lines move, and everything else stays as it is.

YAML can say one thing in many ways, and people choose between them. So the text is not written
again from the data: each field moves together with the comments above it and beside it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import yaml

from specwright.document.shape import DocumentShape
from specwright.document.sources.canonical import FileContent, in_order, inside, items_of
from specwright.document.sources.yaml_source import loader, parse
from specwright.errors import InputError, Location

_EMPTY_LINES = re.compile(r"\n\s*\Z")


def canonical_yaml(file: str, text: str, content: FileContent | None = None) -> str:
    """Return the text with fields in specification order, component names sorted, LF at its end.

    A field with an anchor stays before the fields that use it.

    Args:
        content: the content of the file, if it is not a document.

    Raises:
        InputError: it is not valid YAML, or its content would change.
    """
    # All of them are line breaks (YAML 1.2.2, 5.4).
    before = text.replace("\r\n", "\n").replace("\r", "\n")
    before += "" if before.endswith("\n") else "\n"
    data, _ = parse(file, before)
    root, aliases = _tree(before)
    # The comments at the top are about the file, not about its first field.
    content = content or FileContent.of_document(data)
    start, ordered = _Order(before, aliases, content.shape).node(
        root, content.holds, floor=root.start
    )
    after = before[:start] + ordered + before[root.end :]
    reason = "its content would change"
    try:
        if parse(file, after)[0] == data:
            return after
    except InputError as error:
        reason = error.message
    advice = "write its keys without '?', and define each anchor once"
    raise InputError(f"cannot be put in order: {reason}", Location(file, 1, 1), advice)


_Keys = list[tuple[str, int]]
# Fields by the field that has to come after them.
_Needs = dict[str, list[str]]


@dataclass(slots=True)
class _Node:
    """A value in a text, from the index `start` to the index `end`.

    Attributes:
        end: after empty lines that are content, and before others.
        keys: the keys of a mapping, with their indices.
        values: the values of a mapping, or the items of a sequence.
    """

    start: int
    end: int = 0
    is_flow: bool = True
    keys: _Keys | None = None
    values: list[_Node] = field(default_factory=list)


class _Alias(NamedTuple):
    """The index of an alias, and that of the anchor that it names."""

    start: int
    anchor: int


def _tree(text: str) -> tuple[_Node, list[_Alias]]:
    """Return the root and the aliases of a text that is valid YAML with keys of plain text."""
    nodes, anchors, aliases = [_Node(0)], dict[str, int](), list[_Alias]()
    events: Iterator[Any] = yaml.parse(text, Loader=loader())
    for event in events:
        kind = type(event)
        if kind is yaml.AliasEvent:
            aliases.append(_Alias(event.start_mark.index, anchors[event.anchor]))
        elif getattr(event, "anchor", None) is not None:
            anchors[event.anchor] = event.start_mark.index
        if kind in (yaml.MappingStartEvent, yaml.SequenceStartEvent):
            is_mapping = kind is yaml.MappingStartEvent
            node = _Node(
                event.start_mark.index, is_flow=event.flow_style, keys=[] if is_mapping else None
            )
            nodes[-1].values.append(node)
            nodes.append(node)
        elif kind in (yaml.MappingEndEvent, yaml.SequenceEndEvent):
            done = nodes.pop()
            # A block ends where the next token begins, after comments that are not inside it.
            last = None if done.is_flow else done.values[-1]
            done.end = last.end if last else event.end_mark.index
            if done.keys and last:
                done.end = _next_line(text, done.end)
        elif kind in (yaml.ScalarEvent, yaml.AliasEvent):
            _add_leaf(nodes[-1], event, text)
    return nodes[0].values[0], aliases


def _add_leaf(parent: _Node, event: Any, text: str) -> None:
    start, end = event.start_mark.index, event.end_mark.index
    if parent.keys is not None and len(parent.keys) == len(parent.values):
        parent.keys.append((event.value, start))
        return
    if type(event) is yaml.ScalarEvent and event.style in ("|", ">"):
        keeps = event.value.endswith("\n\n")
        end = end if keeps else start + len(_EMPTY_LINES.sub("\n", text[start:end]))
    parent.values.append(_Node(start, end))


def _next_line(text: str, index: int) -> int:
    """Return the index of the line after an index, unless a line begins there."""
    at_start = index > 0 and text[index - 1] == "\n"
    return index if at_start else text.index("\n", index) + 1


class _Field(NamedTuple):
    """A field that moves: its name, its text, and the rest behind it, such as empty lines."""

    name: str
    text: str
    after: str


class _Order:
    """A text with nodes to return in canonical order, each with its first index."""

    def __init__(self, text: str, aliases: list[_Alias], shape: DocumentShape) -> None:
        self._text = text
        self._aliases = aliases
        self._shape = shape

    def node(self, node: _Node, holds: str, parent: str = "", floor: int = 0) -> tuple[int, str]:
        """Return the text of a node, with the comments above the first field of a block.

        Args:
            holds: what the node holds, as in `canonical`.
            floor: an index that these comments do not reach above.
        """
        if node.keys is None:
            return node.start, self._items(node, items_of(holds))
        if not node.keys:
            return node.start, self._text[node.start : node.end]
        if node.is_flow:
            return node.start, self._flow(node, node.keys, holds, parent)
        return self._block(node, node.keys, holds, parent, floor)

    def _items(self, node: _Node, holds: str) -> str:
        pieces: list[str] = []
        done = node.start
        for value in node.values:
            start, text = self.node(value, holds, floor=done)
            pieces += self._text[done:start], text
            done = value.end
        return "".join([*pieces, self._text[done : node.end]])

    def _flow(self, node: _Node, keys: _Keys, holds: str, parent: str) -> str:
        begins = [start for _, start in keys]
        fields = [
            _Field(
                name,
                self._value(name, value, begin, value.end, holds),
                self._text[value.end : end],
            )
            for (name, begin), value, end in zip(
                keys, node.values, [*begins[1:], node.end], strict=True
            )
        ]
        # A comment between them may be about either one.
        has_comments = any("#" in entry.after for entry in fields)
        ordered = fields if has_comments else self._ordered(node, fields, keys, holds, parent)
        return self._text[node.start : begins[0]] + _joined(ordered, fields)

    def _block(
        self, node: _Node, keys: _Keys, holds: str, parent: str, floor: int
    ) -> tuple[int, str]:
        column = keys[0][1] - self._line(keys[0][1])
        floors = [floor, *(_next_line(self._text, value.end) for value in node.values)]
        begins = [
            self._with_comments(start, column, least)
            for (_, start), least in zip(keys, floors, strict=False)
        ]
        fields = []
        for (name, _), value, begin, end in zip(
            keys, node.values, begins, [*begins[1:], node.end], strict=True
        ):
            last = value.end + len(self._text[value.end : end].rstrip())
            last = _next_line(self._text, last)
            text = self._value(name, value, begin, last, holds)
            fields.append(_Field(name, text, self._text[last:end]))
        ordered = self._ordered(node, fields, keys, holds, parent)
        if begins[0] == self._line(begins[0]) or ordered[0] is fields[0]:
            return begins[0], _joined(ordered, fields)
        # The first field of an item is on the line of its dash.
        first, indented = fields[0], " " * column
        moved = [
            entry._replace(text=indented + entry.text) if entry is first else entry
            for entry in ordered
        ]
        return begins[0], _joined(moved, fields).removeprefix(indented)

    def _ordered(
        self, node: _Node, fields: list[_Field], keys: _Keys, holds: str, parent: str
    ) -> list[_Field]:
        names = in_order([name for name, _ in keys], holds, parent, self._shape)
        return _ordered(fields, names, self._needs(node, keys))

    def _value(self, name: str, value: _Node, begin: int, end: int, holds: str) -> str:
        start, text = self.node(value, inside(holds, name, self._shape), holds, begin)
        return self._text[begin:start] + text + _after(text, self._text[value.end : end])

    def _needs(self, node: _Node, keys: _Keys) -> _Needs:
        """Return the fields of a mapping with aliases of others, and those others."""
        begins = [start for _, start in keys]
        first = bisect_left(self._aliases, (begins[0],))
        last = bisect_left(self._aliases, (node.end,))
        needs: _Needs = {}
        for alias in self._aliases[first:last]:
            if alias.anchor > begins[0]:
                user, source = (keys[bisect_right(begins, index) - 1][0] for index in alias)
                if user != source:
                    needs.setdefault(user, []).append(source)
        return needs

    def _with_comments(self, start: int, column: int, floor: int) -> int:
        """Return where the comments above a key begin; deeper ones belong to the field before."""
        line = self._line(start)
        if self._text[line:start].strip():
            return start
        begin = line
        while line > floor:
            line = self._line(line - 1)
            content = self._text[line : self._text.index("\n", line)]
            comment = content.lstrip()
            if comment and (comment[0] != "#" or len(content) - len(comment) > column):
                break
            begin = line if comment else begin
        return begin

    def _line(self, index: int) -> int:
        """Return the index where the line of an index begins."""
        return self._text.rfind("\n", 0, index) + 1


def _ordered(fields: list[_Field], order: list[str], needs: _Needs) -> list[_Field]:
    """Return fields in an order, but after the fields that they need."""
    by_name = {entry.name: entry for entry in fields}
    waiting = order[::-1]
    names: dict[str, None] = {}
    while waiting:
        missing = [name for name in needs.get(waiting[-1], ()) if name not in names]
        if missing:
            waiting += missing[::-1]
        else:
            names[waiting.pop()] = None
    return [by_name[name] for name in names]


def _joined(ordered: list[_Field], fields: list[_Field]) -> str:
    """Return the fields in an order, with the text between them where it was."""
    pairs = zip(ordered, fields, strict=True)
    return "".join(each.text + _after(each.text, place.after) for each, place in pairs)


def _after(text: str, rest: str) -> str:
    """Return the rest, without empty lines if they would become content of the text."""
    return rest.lstrip("\n") if text.endswith("\n\n") else rest

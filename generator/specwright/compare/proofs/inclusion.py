"""Inclusion of patterns (ECMA-262): whether one matches every text that another matches.

Repeated groups, look-around and back references are not supported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, pairwise, product
from typing import NamedTuple

# A set of characters as ranges of code points, both ends included.
Ranges = tuple[tuple[int, int], ...]

_LAST = 0x10FFFF
_SURROGATES = (0xD800, 0xDFFF)
_DIGITS: Ranges = ((0x30, 0x39),)
_WORD: Ranges = (*_DIGITS, (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
_SPACE: Ranges = (
    *((0x9, 0xD), (0x20, 0x20), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A)),
    *((0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF)),
)
_LINE_ENDS: Ranges = ((0xA, 0xA), (0xD, 0xD), (0x2028, 0x2029))
_EVERY: Ranges = ((0, _LAST),)
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v", "0": "\0"}
_ESCAPE = (
    r"\\(?:(?P<set>[dDwWsS])|(?P<control>[tnrfv]|0(?!\d))|[xu](?P<code>(?<=x)[0-9a-fA-F]{2}"
    r"|(?<=u)[0-9a-fA-F]{4})|(?P<escaped>[^A-Za-z0-9]))"
)
_MEMBER = re.compile(rf"{_ESCAPE}|(?P<plain>[^\\])", re.DOTALL)
_ATOM = re.compile(
    rf"{_ESCAPE}|(?P<any>\.)|\[(?P<not>\^?)(?P<members>(?:\\.|[^\\\]])*)\]"
    r"|(?P<plain>[^\\\[\](){}*+?|^$.])",
    re.DOTALL,
)
_COUNT = re.compile(r"(?:(?P<sign>[*+?])|\{(?P<least>\d{1,4})(?P<more>,(?P<most>\d{1,4})?)?\})\??")
_SIGNS: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
# The limits of the search.
_MOST_SEQUENCES, _MOST_STATES = 64, 3_000
_READABLE = "a0A_-. "


class UndecidedError(Exception):
    """A pattern is not supported here, or too large."""


class Repeat(NamedTuple):
    """A repetition of characters of one set."""

    ranges: Ranges
    least: int = 1
    most: int | None = 1


Sequence = tuple[Repeat, ...]
States = frozenset[Sequence]


def text_outside(sender: str, receiver: str) -> str | None:
    """Return a shortest text that only `sender` matches; None if `receiver` matches all of them.

    Raises:
        UndecidedError: the patterns cannot be compared.
    """
    start = _sequences(sender), _sequences(receiver)
    characters = _characters(chain.from_iterable(chain(*start)))
    level = {start: ""}
    seen = {start}
    while level:
        following: dict[tuple[States, States], str] = {}
        for (one, other), text in level.items():
            if any(map(_may_end, one)) and not any(map(_may_end, other)):
                return text
            for character in characters:
                states = _after(one, character), _after(other, character)
                if states[0] and states not in seen:
                    seen.add(states)
                    following[states] = text + chr(character)
        if len(seen) > _MOST_STATES:
            raise UndecidedError
        level = following
    return None


def _may_end(sequence: Sequence) -> bool:
    return all(repeat.least == 0 for repeat in sequence)


def _after(states: States, character: int) -> States:
    """Return the states after a character."""
    return frozenset(rest for state in states for rest in _rests(state, character))


def _rests(sequence: Sequence, character: int) -> Iterator[Sequence]:
    for index, (ranges, least, most) in enumerate(sequence):
        if most != 0 and _holds(ranges, character):
            remaining = None if most is None else most - 1
            again = () if remaining == 0 else (Repeat(ranges, max(least - 1, 0), remaining),)
            yield again + sequence[index + 1 :]
        if least:
            return


def _holds(ranges: Ranges, character: int) -> bool:
    return any(first <= character <= last for first, last in ranges)


def _characters(repeats: Iterator[Repeat]) -> list[int]:
    """Return one character for each group that no set distinguishes, a readable one if possible."""
    edges = {0, _LAST + 1, _SURROGATES[0], _SURROGATES[1] + 1}
    for repeat in repeats:
        for first, last in repeat.ranges:
            edges |= {first, last + 1}
    characters = [
        next((ord(character) for character in _READABLE if first <= ord(character) < after), first)
        for first, after in pairwise(sorted(edges))
        if first != _SURROGATES[0]
    ]
    return sorted(characters, key=lambda code: (chr(code) not in _READABLE, code))


def _sequences(pattern: str) -> States:
    """Return all sequences of a pattern, with any text that may surround a match."""
    reader = _Reader(pattern)
    sequences = reader.alternatives(0)
    if reader.at < len(pattern):
        raise UndecidedError
    return frozenset(sequences)


class _Reader:
    """A parser of patterns, from left to right."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self.at = 0

    def alternatives(self, depth: int) -> list[Sequence]:
        sequences = self._sequence(depth)
        while self._skips("|"):
            sequences += self._sequence(depth)
        if len(sequences) > _MOST_SEQUENCES:
            raise UndecidedError
        return sequences

    def _sequence(self, depth: int) -> list[Sequence]:
        around: Sequence = () if depth else (Repeat(_EVERY, 0, None),)
        sequences: list[Sequence] = [() if not depth and self._skips("^") else around]
        while self.at < len(self._pattern) and self._pattern[self.at] not in "|)":
            if not depth and self._skips("$"):
                if self.at < len(self._pattern) and self._pattern[self.at] != "|":
                    raise UndecidedError
                return sequences
            parts = self._part(depth)
            sequences = [before + part for before, part in product(sequences, parts)]
            if len(sequences) > _MOST_SEQUENCES:
                raise UndecidedError
        return [sequence + around for sequence in sequences]

    def _part(self, depth: int) -> list[Sequence]:
        if self._skips("("):
            self._skips("?:")
            inner = self.alternatives(depth + 1)
            if not self._skips(")"):
                raise UndecidedError
            if self._skips("?"):
                return [*inner, ()]
            if _COUNT.match(self._pattern, self.at):
                raise UndecidedError
            return inner
        atom = _ATOM.match(self._pattern, self.at)
        if atom is None:
            raise UndecidedError
        self.at = atom.end()
        return [(Repeat(_ranges(atom), *self._count()),)]

    def _count(self) -> tuple[int, int | None]:
        count = _COUNT.match(self._pattern, self.at)
        if count is None:
            return 1, 1
        self.at = count.end()
        if count["sign"]:
            return _SIGNS[count["sign"]]
        least = int(count["least"])
        most = count["most"] if count["more"] else count["least"]
        return least, None if most is None else int(most)

    def _skips(self, text: str) -> bool:
        is_there = self._pattern.startswith(text, self.at)
        self.at += len(text) * is_there
        return is_there


def _ranges(atom: re.Match[str]) -> Ranges:
    if atom["any"]:
        return _complement(_LINE_ENDS)
    if atom["members"] is None:
        return _member(atom)
    ranges = tuple(_members(atom["members"]))
    return _complement(ranges) if atom["not"] else ranges


def _members(text: str) -> Iterator[tuple[int, int]]:
    atoms = list(_MEMBER.finditer(text))
    if sum(len(atom[0]) for atom in atoms) != len(text):
        raise UndecidedError
    while atoms:
        ranges = _member(atoms.pop(0))
        is_range = len(atoms) > 1 and atoms[0]["plain"] == "-"
        if is_range and not atoms[1]["set"] and len(ranges) == 1:
            atoms.pop(0)
            yield ranges[0][0], _member(atoms.pop(0))[0][0]
        else:
            yield from ranges


def _member(atom: re.Match[str]) -> Ranges:
    if name := atom["set"]:
        ranges = {"d": _DIGITS, "w": _WORD, "s": _SPACE}[name.lower()]
        return _complement(ranges) if name.isupper() else ranges
    if atom["code"]:
        code = int(atom["code"], 16)
    else:
        code = ord(_CONTROLS.get(atom["control"], "") or atom["escaped"] or atom["plain"])
    return ((code, code),)


def _complement(ranges: Ranges) -> Ranges:
    others, start = [], 0
    for first, last in sorted(ranges):
        if start < first:
            others.append((start, first - 1))
        start = max(start, last + 1)
    return (*others, *(((start, _LAST),) if start <= _LAST else ()))

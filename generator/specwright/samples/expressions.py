"""Patterns (ECMA-262, 22.2.1, with the flag `u`) as regular languages.

Back references are not supported.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import NamedTuple

from specwright.samples.languages import (
    ANYTHING,
    EMPTY,
    Language,
    Ranges,
    UndecidedError,
    characters,
    complement,
    intersection,
    others,
    repeated,
    sequence,
    shortest,
    some,
    union,
)

_DIGITS: Ranges = ((0x30, 0x39),)
_WORD: Ranges = (*_DIGITS, (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
_SPACE: Ranges = (
    *((0x9, 0xD), (0x20, 0x20), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A)),
    *((0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF)),
)
_LINE_ENDS: Ranges = ((0xA, 0xA), (0xD, 0xD), (0x2028, 0x2029))
_SETS = {"d": _DIGITS, "w": _WORD, "s": _SPACE}
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v", "0": "\0"}
# The scripts of Latin. The properties of other characters are not read, as they have hundreds of
# ranges.
_LATIN = 0x250
_ESCAPE = (
    r"\\(?:(?P<set>[dDwWsS])|(?P<control>[tnrfv]|0(?!\d))|[xu](?P<code>(?<=x)[0-9a-fA-F]{2}"
    r"|(?<=u)[0-9a-fA-F]{4})|(?P<property>[pP])\{(?P<category>[A-Z][a-z]?)\}"
    r"|(?P<escaped>[^A-Za-z0-9]))"
)
_MEMBER = re.compile(rf"{_ESCAPE}|(?P<plain>[^\\])", re.DOTALL)
_ATOM = re.compile(
    rf"{_ESCAPE}|(?P<any>\.)|\[(?P<not>\^?)(?P<members>(?:\\.|[^\\\]])*)\]"
    r"|(?P<plain>[^\\\[\](){}*+?|^$.])",
    re.DOTALL,
)
_GROUP = re.compile(r"\((?:\?(?P<sign>:|=|!|<=|<!|<[A-Za-z_$][\w$]*>))?")
_COUNT = re.compile(r"(?:(?P<sign>[*+?])|\{(?P<least>\d{1,4})(?P<more>,(?P<most>\d{1,4})?)?\})\??")
_SIGNS: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_MOST_SEQUENCES = 64
_LONGEST = 2_000


class _Condition(NamedTuple):
    """A language of the text around a place: of all before it, or of all after it."""

    is_before: bool
    language: Language


Items = tuple[Language | _Condition, ...]
_START, _END = _Condition(True, EMPTY), _Condition(False, EMPTY)


class Expression(NamedTuple):
    """The language of the texts in which a pattern has a match.

    Attributes:
        is_exact: whether it has no other texts.
    """

    language: Language
    is_exact: bool


@cache
def expression(pattern: str) -> Expression:
    """Read a pattern.

    Raises:
        UndecidedError: it is invalid, or not supported.
    """
    if len(pattern) > _LONGEST:
        raise UndecidedError
    reader = _Reader(pattern)
    try:
        language = reader.languages(reader.alternatives(), ANYTHING, ANYTHING)
    except RecursionError:
        raise UndecidedError from None
    if reader.at < len(pattern):
        raise UndecidedError
    return Expression(language, reader.is_exact)


def matching(pattern: str, count: int) -> Iterator[str]:
    """Yield different texts that are likely to match a pattern, the shortest first."""
    with suppress(UndecidedError):
        yield from some(expression(pattern).language, count)


def text_outside(sender: str, receiver: str) -> str | None:
    """Return a shortest text that only `sender` matches; None if `receiver` matches all of them.

    Raises:
        UndecidedError: the patterns cannot be compared.
    """
    sent, received = expression(sender), expression(receiver)
    if not (sent.is_exact and received.is_exact):
        raise UndecidedError
    return shortest(intersection(sent.language, complement(received.language)))


@dataclass(slots=True)
class _Reader:
    """A parser of patterns, from left to right.

    Conditions are kept at the top of a pattern: an alternative that has one makes several sequences
    of the one around it.
    """

    pattern: str
    at: int = 0
    is_exact: bool = True

    def alternatives(self) -> list[Items]:
        sequences = self._sequence()
        while self._skips("|"):
            sequences += self._sequence()
        return _few(sequences)

    def languages(self, sequences: Iterable[Items], before: Language, behind: Language) -> Language:
        """Return the texts of sequences, with the languages that may surround them."""
        return union(*(self._language(items, before, behind) for items in sequences))

    def _language(self, items: Items, before: Language, behind: Language) -> Language:
        """Return the texts of a sequence.

        What precedes a condition is known from the left, what follows it from the right. So the
        conditions of one kind are left out where they are between those of the other: that leaves
        more texts.
        """
        split = next(
            (n for n, item in enumerate(items) if isinstance(item, _Condition) and not item[0]),
            len(items),
        )
        left, right = before, behind
        for item in items[:split]:
            left = (
                intersection(left, item[1])
                if isinstance(item, _Condition)
                else sequence(left, item)
            )
        for item in reversed(items[split:]):
            if not isinstance(item, _Condition):
                right = sequence(item, right)
            elif item.is_before:
                self.is_exact = False
            else:
                right = intersection(item.language, right)
        language = sequence(left, right)
        if self.is_exact or split == len(items):
            return language
        without = tuple(i for i in items if not isinstance(i, _Condition) or i.is_before)
        return intersection(language, self._language(without, before, behind))

    def _sequence(self) -> list[Items]:
        sequences: list[Items] = [()]
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            parts = self._part()
            sequences = _few([before + part for before, part in product(sequences, parts)])
        return sequences

    def _part(self) -> list[Items]:
        if self._skips("^"):
            return [(_START,)]
        if self._skips("$"):
            return [(_END,)]
        if self.pattern[self.at : self.at + 2] in (r"\b", r"\B"):
            self.at += 2
            return _edges(is_edge=self.pattern[self.at - 1] == "b")
        if group := _GROUP.match(self.pattern, self.at):
            self.at = group.end()
            inner = self.alternatives()
            if not self._skips(")"):
                raise UndecidedError
            if group["sign"] in ("=", "!", "<=", "<!"):
                return [(self._condition(group["sign"], inner),)]
            return self._counted(inner)
        atom = _ATOM.match(self.pattern, self.at)
        if atom is None:
            raise UndecidedError
        self.at = atom.end()
        self.is_exact &= r"\p" not in atom[0].lower()
        return self._counted([(characters(_ranges(atom)),)])

    def _counted(self, inner: list[Items]) -> list[Items]:
        least, most = self._count()
        has_conditions = any(isinstance(item, _Condition) for items in inner for item in items)
        if has_conditions and most == 1:
            return inner if least else [*inner, ()]
        if has_conditions:
            self.is_exact = False
            inner = [tuple(i for i in items if not isinstance(i, _Condition)) for items in inner]
        return [(repeated(self.languages(inner, EMPTY, EMPTY), least, most),)]

    def _condition(self, sign: str, inner: list[Items]) -> _Condition:
        is_before = sign.startswith("<")
        others_ = any(
            isinstance(item, _Condition) and item.is_before is not is_before
            for items in inner
            for item in items
        )
        self.is_exact &= not others_
        around = (ANYTHING, EMPTY) if is_before else (EMPTY, ANYTHING)
        language = self.languages(inner, *around)
        return _Condition(is_before, complement(language) if sign.endswith("!") else language)

    def _count(self) -> tuple[int, int | None]:
        count = _COUNT.match(self.pattern, self.at)
        if count is None:
            return 1, 1
        self.at = count.end()
        if count["sign"]:
            return _SIGNS[count["sign"]]
        least = int(count["least"])
        most = count["most"] if count["more"] else count["least"]
        return least, None if most is None else int(most)

    def _skips(self, text: str) -> bool:
        is_there = self.pattern.startswith(text, self.at)
        self.at += len(text) * is_there
        return is_there


def _few(sequences: list[Items]) -> list[Items]:
    if len(sequences) > _MOST_SEQUENCES:
        raise UndecidedError
    return sequences


def _edges(*, is_edge: bool) -> list[Items]:
    """Return the ways in which a place is at an edge of a word, or is not."""
    word = characters(_WORD)
    before, behind = sequence(ANYTHING, word), sequence(word, ANYTHING)
    return [
        (
            _Condition(True, before if is_word else complement(before)),
            _Condition(False, behind if is_word is not is_edge else complement(behind)),
        )
        for is_word in (True, False)
    ]


def _ranges(atom: re.Match[str]) -> Ranges:
    if atom["any"]:
        return others(_LINE_ENDS)
    if atom["members"] is None:
        return _member(atom)
    ranges = tuple(_members(atom["members"]))
    return others(ranges) if atom["not"] else ranges


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
        return others(_SETS[name.lower()]) if name.isupper() else _SETS[name]
    if kind := atom["property"]:
        ranges = _of_category(atom["category"])
        return others(ranges) if kind == "P" else ranges
    if atom["code"]:
        code = int(atom["code"], 16)
    else:
        code = ord(_CONTROLS.get(atom["control"], "") or atom["escaped"] or atom["plain"])
    return ((code, code),)


@cache
def _of_category(name: str) -> Ranges:
    return tuple(
        (code, code) for code in range(_LATIN) if unicodedata.category(chr(code)).startswith(name)
    )

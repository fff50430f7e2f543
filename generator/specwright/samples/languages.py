"""Regular languages: sets of texts with union, intersection and complement.

A language is read character by character by its derivatives (Brzozowski, "Derivatives of regular
expressions", JACM 11, 1964): the language of what may follow a character.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise

# A set of characters as ranges of code points, both ends included.
Ranges = tuple[tuple[int, int], ...]

_LAST = 0x10FFFF
_SURROGATES = (0xD800, 0xDFFF)
EVERY: Ranges = ((0, _LAST),)
_READABLE = "a0A_-. "
# The limit of a search, in derivatives, which takes a second or less; and the number of languages
# and derivatives that are remembered.
_MOST_DERIVATIVES, _REMEMBERED = 300_000, 50_000


class UndecidedError(Exception):
    """A pattern is not supported here, or its language is too large to search."""


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """A set of texts; equal ones are mostly the same object.

    Attributes:
        has_empty: whether the empty text is one of them.
    """

    has_empty: bool

    def after(self, character: int) -> Language:
        """Return the texts that may follow a character."""
        raise NotImplementedError

    def parts(self) -> Iterable[Language]:
        """Return the languages that it is made of."""
        return ()


@dataclass(frozen=True, slots=True, eq=False)
class _Empty(Language):
    def after(self, character: int) -> Language:
        return NOTHING


@dataclass(frozen=True, slots=True, eq=False)
class _Characters(Language):
    ranges: Ranges

    def after(self, character: int) -> Language:
        return EMPTY if any(a <= character <= z for a, z in self.ranges) else NOTHING


@dataclass(frozen=True, slots=True, eq=False)
class _Sequence(Language):
    first: Language
    rest: Language

    def after(self, character: int) -> Language:
        following = sequence(after(self.first, character), self.rest)
        if not self.first.has_empty:
            return following
        return union(following, after(self.rest, character))

    def parts(self) -> Iterable[Language]:
        return self.first, self.rest


@dataclass(frozen=True, slots=True, eq=False)
class _Repeated(Language):
    part: Language
    least: int
    most: int | None

    def after(self, character: int) -> Language:
        most = None if self.most is None else self.most - 1
        rest = repeated(self.part, max(self.least - 1, 0), most)
        return sequence(after(self.part, character), rest)

    def parts(self) -> Iterable[Language]:
        return (self.part,)


@dataclass(frozen=True, slots=True, eq=False)
class _Union(Language):
    members: frozenset[Language]

    def after(self, character: int) -> Language:
        return union(*(after(member, character) for member in self.members))

    def parts(self) -> Iterable[Language]:
        return self.members


@dataclass(frozen=True, slots=True, eq=False)
class _Complement(Language):
    part: Language

    def after(self, character: int) -> Language:
        return complement(after(self.part, character))

    def parts(self) -> Iterable[Language]:
        return (self.part,)


EMPTY = _Empty(True)
NOTHING = _Characters(False, ())
ANYTHING = _Complement(True, NOTHING)


@lru_cache(_REMEMBERED)
def after(language: Language, character: int) -> Language:
    """Return the texts of a language that may follow a character."""
    return language.after(character)


@lru_cache(_REMEMBERED)
def characters(ranges: Ranges) -> Language:
    """Return the texts of one character of a set."""
    return _Characters(False, ranges) if ranges else NOTHING


@lru_cache(_REMEMBERED)
def sequence(first: Language, rest: Language) -> Language:
    """Return the texts of one language followed by those of another."""
    if NOTHING in (first, rest):
        return NOTHING
    if first is EMPTY or (first is rest is ANYTHING):
        return rest
    if rest is EMPTY:
        return first
    if isinstance(first, _Sequence):
        return sequence(first.first, sequence(first.rest, rest))
    return _Sequence(first.has_empty and rest.has_empty, first, rest)


@lru_cache(_REMEMBERED)
def repeated(part: Language, least: int, most: int | None) -> Language:
    """Return the texts of a language, one after another."""
    if most == 0 or part is EMPTY:
        return EMPTY
    if part is NOTHING:
        return NOTHING if least else EMPTY
    least = 0 if part.has_empty else least
    if (least, most) == (1, 1):
        return part
    if (least, most) == (0, None) and isinstance(part, _Characters) and part.ranges == EVERY:
        return ANYTHING
    return _Repeated(least == 0, part, least, most)


def union(*parts: Language) -> Language:
    """Return the texts of any of several languages."""
    flat = frozenset(
        inner
        for part in parts
        for inner in (part.members if isinstance(part, _Union) else (part,))
        if inner is not NOTHING
    )
    if ANYTHING in flat or any(complement(part) in flat for part in flat):
        return ANYTHING
    return _united(flat)


@lru_cache(_REMEMBERED)
def _united(parts: frozenset[Language]) -> Language:
    if len(parts) < 2:
        return next(iter(parts), NOTHING)
    return _Union(any(part.has_empty for part in parts), parts)


@lru_cache(_REMEMBERED)
def complement(language: Language) -> Language:
    """Return all texts that a language lacks."""
    if isinstance(language, _Complement):
        return language.part
    return ANYTHING if language is NOTHING else _Complement(not language.has_empty, language)


def intersection(*parts: Language) -> Language:
    """Return the texts that several languages have in common."""
    if EMPTY in parts:
        return EMPTY if all(part.has_empty for part in parts) else NOTHING
    return complement(union(*map(complement, parts)))


def literal(text: str) -> Language:
    """Return the language of one text."""
    language: Language = EMPTY
    for character in reversed(text):
        language = sequence(characters(((ord(character), ord(character)),)), language)
    return language


def of_length(least: int, most: int | None) -> Language:
    """Return the texts of some lengths, in code points."""
    return repeated(characters(EVERY), least, most)


def others(ranges: Ranges) -> Ranges:
    """Return the characters that a set lacks."""
    rest, start = [], 0
    for first, last in sorted(ranges):
        if start < first:
            rest.append((start, first - 1))
        start = max(start, last + 1)
    return (*rest, *(((start, _LAST),) if start <= _LAST else ()))


# Cached, as the texts of one pattern are looked for wherever a schema with it is used.
@lru_cache(maxsize=1_000)
def shortest(language: Language) -> str | None:
    """Return a shortest text, with readable characters where there is a choice; None without one.

    Raises:
        UndecidedError: it is not found within a limit.
    """
    every = _representatives(_sets(language))
    level = {language: ""}
    seen = {language}
    derivatives = 0
    while level:
        following: dict[Language, str] = {}
        for state, text in level.items():
            if state.has_empty:
                return text
            derivatives += _width(state) * len(every)
            if derivatives > _MOST_DERIVATIVES:
                raise UndecidedError
            for character in every:
                next_state = after(state, character)
                if next_state is not NOTHING and next_state not in seen:
                    seen.add(next_state)
                    following[next_state] = text + chr(character)
        level = following
    return None


def some(language: Language, count: int) -> Iterator[str]:
    """Yield different texts of a language, the shortest first, while a search finds one."""
    return islice(_each(language), count)


def _each(language: Language) -> Iterator[str]:
    while True:
        try:
            text = shortest(language)
        except UndecidedError:
            return
        if text is None:
            return
        yield text
        language = intersection(language, complement(literal(text)))


def _width(language: Language) -> int:
    """Return the number of languages of which the union or the intersection is one."""
    while isinstance(language, _Complement | _Sequence):
        language = language.part if isinstance(language, _Complement) else language.first
    return len(language.members) if isinstance(language, _Union) else 1


def _sets(language: Language) -> Iterator[Ranges]:
    """Yield the sets of characters that a language distinguishes."""
    pending, seen = [language], {language}
    while pending:
        part = pending.pop()
        if isinstance(part, _Characters):
            yield part.ranges
        new = {*part.parts()} - seen
        seen |= new
        pending += new


def _representatives(sets: Iterable[Ranges]) -> list[int]:
    """Return one character for each group that no set distinguishes, a readable one if possible."""
    edges = {0, _LAST + 1, _SURROGATES[0], _SURROGATES[1] + 1}
    for ranges in sets:
        for first, last in ranges:
            edges |= {first, last + 1}
    representatives = [
        next((ord(character) for character in _READABLE if first <= ord(character) < end), first)
        for first, end in pairwise(sorted(edges))
        if first != _SURROGATES[0]
    ]
    return sorted(representatives, key=_readability)


def _readability(code: int) -> tuple[int, int]:
    character = chr(code)
    if character in _READABLE:
        return 0, _READABLE.index(character)
    return (1 if character.isascii() and character.isalnum() else 2 + (not 32 < code < 127)), code

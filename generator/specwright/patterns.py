"""Patterns of documents (ECMA-262) in the syntax of Rust's engine, which takes linear time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic_core import SchemaValidator

_LONGEST = 50_000

# Flags of Rust's engine that change nothing. No pattern of a document has them, so they can
# separate several.
SEAL = "(?-x)"

_ANY = r"\x{0}-\x{10FFFF}"
_DIGITS = "0-9"
_WORD = "0-9A-Z_a-z"
_SPACE = r"\t-\r \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}"

# Escapes that ECMA-262 and Rust read differently, or that Rust rejects; all else is the same.
_SETS = {
    "d": _DIGITS,
    "D": f"^{_DIGITS}",
    "w": _WORD,
    "W": f"^{_WORD}",
    "s": _SPACE,
    "S": f"^{_SPACE}",
}
# Rust reads `\<` and `\>` as the edges of a word.
_WORD_EDGES = frozenset(("<", ">"))
_BOUNDARIES = {"b": r"(?-u:\b)", "B": r"(?-u:\B)"}

_ESCAPE = (
    r"\\(?:u(?P<high>[dD][89abAB][0-9a-fA-F]{2})\\u(?P<low>[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|c(?P<control>[A-Za-z])"
    r"|(?P<long>x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|u\{[^}]*\}|[pP]\{[^}]*\})"
    r"|(?P<nul>0(?![0-9]))"
    r"|(?P<short>.))"
)
_CLASS_ATOM = re.compile(rf"{_ESCAPE}|(?P<plain>.)", re.DOTALL)
_TOKEN = re.compile(
    rf"{_ESCAPE}|(?P<open>\[\^?)(?P<members>(?:\\.|[^\\\]])*+)(?P<close>\]?)"
    r"|(?P<brace>\{(?![0-9]+(?:,[0-9]*)?\}))",
    re.DOTALL,
)


# Units inside which parentheses and bars are literal: an escape, or a class.
_PIECE = re.compile(r"\\.|\[(?:\\.|[^\\\]])*+\]|.", re.DOTALL)
_AHEAD = ("(?=", "(?!")
# Flags apply to the rest of a pattern, so no part can be taken out. ECMA-262 has none.
_FLAGS = re.compile(r"\(\?[A-Za-z-]+\)")


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern without the look-aheads at its start, which are patterns of their own.

    Attributes:
        rest: the remaining pattern, in Rust's syntax like the others.
        like: patterns that a text must match.
        unlike: patterns that a text must not match.
    """

    rest: str
    like: tuple[str, ...] = ()
    unlike: tuple[str, ...] = ()

    def __and__(self, other: Pattern) -> Pattern:
        """Return the pattern of texts that match both."""
        like = (*self.like, other.rest, *other.like)
        return Pattern(self.rest, like, (*self.unlike, *other.unlike))


@cache
def parsed(pattern: str) -> Pattern | None:
    """Return a pattern as several, each of which takes linear time.

    None if `linear` refuses it for any reason other than look-aheads at its start, which apply to
    the same text as the part after `^`.
    """
    if len(pattern) > _LONGEST:
        return None
    asked: dict[str, list[str]] = {kind: [] for kind in _AHEAD}
    rest = pattern
    while rest.startswith(_AHEAD, 1) and rest.startswith("^"):
        end = _closing(rest[1:])
        if end is None:
            return None
        asked[rest[1:4]].append(f"^(?:{rest[4:end]})")
        rest = "^" + rest[end + 1 :]
    if rest != pattern and (_has_alternatives(rest) or _FLAGS.search(pattern)):
        return None
    translated = linear(rest)
    like, unlike = (tuple(map(linear, asked[kind])) for kind in _AHEAD)
    if translated is None or None in like or None in unlike:
        return None
    return Pattern(translated, *(tuple(filter(None, expression)) for expression in (like, unlike)))


def _closing(text: str) -> int | None:
    """Return the position, from 1, of the parenthesis that closes the first one of a text."""
    depth = 0
    for piece in _PIECE.finditer(text):
        depth += {"(": 1, ")": -1}.get(piece[0], 0)
        if depth == 0:
            return piece.end()
    return None


def _has_alternatives(pattern: str) -> bool:
    depth = 0
    for piece in _PIECE.finditer(pattern):
        depth += {"(": 1, ")": -1}.get(piece[0], 0)
        if depth == 0 and piece[0] == "|":
            return True
    return False


@cache
def linear(pattern: str) -> str | None:
    """Return the pattern in Rust's syntax.

    None if no engine matches it in linear time (look-around, back references), or if it is too
    large or invalid.
    """
    if len(pattern) > _LONGEST or SEAL in pattern:
        return None
    translated = _TOKEN.sub(_token, pattern)
    return None if _engine(translated) is None else translated


def matches(pattern: str, text: str) -> bool | None:
    """Return whether a text has a match; None if linear time cannot decide it."""
    translated = linear(pattern)
    engine = None if translated is None else _engine(translated)
    # The engine does not accept lone surrogates.
    return engine and engine.isinstance_python(text.encode(errors="replace").decode())


@cache
def _engine(translated: str) -> SchemaValidator | None:
    # Imported here: reading the rules does not need it.
    from pydantic_core import SchemaError, SchemaValidator, core_schema

    try:
        return SchemaValidator(
            core_schema.str_schema(pattern=translated, regex_engine="rust-regex")
        )
    except SchemaError:
        return None


def _token(match: re.Match[str]) -> str:
    if match["brace"]:
        return r"\{"
    if match["open"]:
        return _class(match) if match["close"] else match[0]
    short = match["short"]
    if short == "(" and match.string.startswith("?", match.end()):
        return "[(]"
    if short in _SETS:
        return f"[{_SETS[short]}]"
    return _BOUNDARIES.get(short) or _character(match)


def _class(match: re.Match[str]) -> str:
    atoms = list(_CLASS_ATOM.finditer(match["members"]))
    shorts = {atom["short"] for atom in atoms}
    is_any = any(short in shorts and short.swapcase() in shorts for short in _SETS)
    members = _ANY if is_any else "".join(_members(atoms))
    if members:
        return match["open"] + members + "]"
    # `[]` matches nothing, `[^]` any character.
    return f"[{_ANY}]" if match["open"] == "[^" else f"[^{_ANY}]"


def _members(atoms: list[re.Match[str]]) -> Iterator[str]:
    at = 0
    while at < len(atoms):
        yield _member(atoms, at)
        if at + 2 < len(atoms) and _is_range(*atoms[at : at + 3]):
            yield "-" + _member(atoms, at + 2)
            at += 2
        at += 1


def _is_range(first: re.Match[str], between: re.Match[str], last: re.Match[str]) -> bool:
    return between["plain"] == "-" and not any(
        atom["short"] in _SETS or (atom["long"] or "").startswith(("p", "P"))
        for atom in (first, last)
    )


def _member(atoms: list[re.Match[str]], at: int) -> str:
    plain, short = atoms[at]["plain"], atoms[at]["short"]
    if plain is not None:
        around = [atom["plain"] for atom in atoms[max(at - 1, 0) : at + 2]]
        is_operator = around.count(plain) > 1 or (plain == "-" and len(around) == 3)
        is_question = plain == "?" and at > 0 and atoms[at - 1][0].endswith("(")
        is_read = plain == "[" or is_question or (plain in "&~-" and is_operator)
        return "\\" + plain if is_read else plain
    if short == "b":
        return r"\x08"
    if short in _SETS:
        # A negated set is a class of its own within another one.
        return f"[{_SETS[short]}]" if short.isupper() else _SETS[short]
    return _character(atoms[at])


def _character(escape: re.Match[str]) -> str:
    if escape["high"]:
        units = bytes.fromhex(escape["high"] + escape["low"])
        return rf"\x{{{ord(units.decode('utf-16-be')):X}}}"
    if escape["control"]:
        return rf"\x{ord(escape['control']) % 32:02X}"
    if escape["nul"]:
        return r"\x00"
    return escape["short"] if escape["short"] in _WORD_EDGES else escape[0]

"""Python identifiers from the names that a document uses."""

from __future__ import annotations

import keyword
import re
import unicodedata
from functools import lru_cache

# A signed number is a whole name in some APIs ("+1" and "-1" are reactions).
_SIGNS = {"+": "plus ", "-": "minus "}
_SIGNED_NUMBER = re.compile(r"\s*([+-])(?=\d)")
# The names of comparison filters end with an operator ("created<=").
_COMPARISONS = {"<": " lt", "<=": " le", ">": " gt", ">=": " ge", "!=": " ne"}
_COMPARED = re.compile(r"([^<>]*?)(<=|>=|!=|<|>)")
# Plural abbreviations ("eventIDs") are one word, not three.
_PLURAL_ABBREVIATION = re.compile(r"(?<![A-Z])([A-Z]{2,})s(?![a-z])")


def words(name: str) -> list[str]:
    """Split a document name at separators and at changes of case."""
    name = unicodedata.normalize("NFKC", name)
    name = _SIGNED_NUMBER.sub(_spell_sign, name, count=1) if _SIGNED_NUMBER.match(name) else name
    if compared := _COMPARED.fullmatch(name):
        name = compared[1] + _COMPARISONS[compared[2]]
    name = _PLURAL_ABBREVIATION.sub(lambda match: match[1].capitalize() + "s", name)
    parts: list[str] = []
    current = ""
    for index, character in enumerate(name):
        if not ("a" + character).isidentifier() or character == "_":
            parts.append(current)
            current = ""
            continue
        if current and character.isupper() and _starts_word(name, index):
            parts.append(current)
            current = ""
        current += character
    parts.append(current)
    return [word for word in parts if word]


def _spell_sign(match: re.Match[str]) -> str:
    return _SIGNS[match[1]]


def _starts_word(name: str, index: int) -> bool:
    before = name[index - 1]
    if before.islower() or before.isdigit():
        return True
    return index + 1 < len(name) and name[index + 1].islower()


# Cached, as a document has the same names in many places.
@lru_cache(maxsize=10_000)
def snake(name: str) -> str:
    """Return a name in snake case: `getOrderByID` becomes `get_order_by_id`."""
    return _identifier("_".join(word.lower() for word in words(name)), "x_")


@lru_cache(maxsize=10_000)
def pascal(name: str) -> str:
    """Return the name of a class: `order-line` becomes `OrderLine`; inner capitals are kept."""
    return _identifier("".join(word[:1].upper() + word[1:] for word in words(name)), "X")


def constant(name: str) -> str:
    """Return the name of a constant: `orderLine` becomes `ORDER_LINE`."""
    return _identifier("_".join(word.upper() for word in words(name)), "X_")


def _identifier(name: str, prefix: str) -> str:
    name = unicodedata.normalize("NFKC", name)
    if not name.isidentifier():
        name = prefix.rstrip("_") if not name else prefix + name
    return f"{name}_" if keyword.iskeyword(name) else name

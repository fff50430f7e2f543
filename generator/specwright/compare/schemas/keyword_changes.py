"""The place, the value and the words of a keyword that changes, as the documents have it."""

from __future__ import annotations

import json

from specwright.compare.schemas.flatten import FlatSchema
from specwright.compare.verdicts.change import became
from specwright.document.sources.upgrade import CONTENT_FORMATS
from specwright.json_values import JsonValue, sequence
from specwright.pointer import Pointer

# The OpenAPI 3.0 formats of content keywords.
_FORMATS = {content: name for name, content in CONTENT_FORMATS.items() if name != "base64"}


def _written(name: str, flat: FlatSchema) -> str:
    """Return a keyword as the document has it: `const` is compared as an `enum` of one value."""
    is_const = name == "enum" and "const" in flat.keywords and "enum" not in flat.keywords
    return "const" if is_const else name


def keyword_place(name: str, flat: FlatSchema, other: FlatSchema) -> Pointer:
    """Return the place of a keyword in one schema, or the place that it would have."""
    own = _written(name, flat)
    return flat.place(own if own in flat.where else _written(name, other), other)


def keyword_value(flat: FlatSchema, name: str) -> JsonValue:
    """Return the value of a keyword, or the names of its subschemas."""
    if _written(name, flat) != name:
        return [flat.keywords["const"]]
    names: list[JsonValue] = [child for keyword, child in flat.children if keyword == name]
    return flat.keywords.get(name, names)


def keyword_words(name: str, sides: tuple[FlatSchema, FlatSchema]) -> str:
    """Return the change of a keyword in words, by its name in the documents."""
    if name == "const" or (name == "enum" and not any(name in side.keywords for side in sides)):
        return f"const {became(*(_constant(side) for side in sides))}"
    values = [
        keyword_value(side, name) if _written(name, side) != name else side.keywords.get(name)
        for side in sides
    ]
    if any(side.where.get(name, "").endswith("/format") for side in sides):
        values = [_FORMATS.get((name, str(value)), value) for value in values]
        name = "format"
    return f"{name} {_change_words(name, values, sides)}"


def _constant(flat: FlatSchema) -> str | None:
    """Return the value of `const` as JSON text, which tells null from none."""
    has_one = "const" in flat.keywords
    return json.dumps(flat.keywords["const"], ensure_ascii=False) if has_one else None


def _change_words(name: str, values: list[JsonValue], sides: tuple[FlatSchema, FlatSchema]) -> str:
    if values == [None, None]:
        has = [any(key[0] == name for key in side.children) for side in sides]
        words = {(False, True): "was added", (True, False): "was removed"}
        return words.get((has[0], has[1]), "changed")
    if name in ("enum", "type") and all(isinstance(value, list) for value in values):
        old, new = values
        texts = [
            [json.dumps(member, ensure_ascii=False) for member in sequence(one)]
            for one in (old, new)
        ]
        parts = [
            (verb, [member for member in one if member not in other])
            for verb, one, other in (("gains", texts[1], texts[0]), ("loses", *texts))
        ]
        return " and ".join(
            f"{verb} {', '.join(members[:8])}{', …' if len(members) > 8 else ''}"
            for verb, members in parts
            if members
        )
    return became(*values)

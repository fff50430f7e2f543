"""The places in a body of properties with an error code of their own."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from specwright.document.model import Document
from specwright.errors import InputError
from specwright.ir.model.bodies import Refusal
from specwright.json_values import JsonValue, mapping, sequence
from specwright.text import Text
from specwright.vocabulary.keywords.invalid import INVALID

# Widely shared schemas have more places than a package could list.
MOST = 1_000


def refusals(document: Document, schema: JsonValue) -> tuple[Refusal, ...]:
    """Return the codes in a schema; a reference back to a schema above is not followed again."""
    codes = tuple(islice(_refusals(document, schema, _leading(document, schema)), MOST + 1))
    if len(codes) > MOST:
        raise InputError(
            f"a body has more than {MOST:,} properties with their own error codes",
            document.locate(""),
        )
    return codes


def _refusals(
    document: Document,
    schema: JsonValue,
    leading: set[int],
    path: tuple[str, ...] = (),
    above: tuple[int, ...] = (),
) -> Iterator[Refusal]:
    followed = document.follow(schema)
    if not isinstance(followed, dict) or id(followed) in above or id(followed) not in leading:
        return
    above = (*above, id(followed))
    for name, value in mapping(followed.get("properties")).items():
        code = _code(document, value)
        if code is not None:
            yield Refusal(Text(".".join((*path, name))), code)
        yield from _refusals(document, value, leading, (*path, name), above)
    if "items" in followed:
        yield from _refusals(document, followed["items"], leading, (*path, "*"), above)
    for part in sequence(followed.get("allOf")):
        yield from _refusals(document, part, leading, path, above)


def _code(document: Document, value: JsonValue) -> Text | None:
    for schema in (value, document.follow(value)):
        declared = INVALID.read(schema) if isinstance(schema, dict) else None
        if declared is not None:
            return declared.code
    return None


def _leading(document: Document, schema: JsonValue) -> set[int]:
    """Return the schemas that contain a code, by identity; all others need not be searched."""
    holders: dict[int, set[int]] = {}
    leading: list[int] = []
    top = document.follow(schema)
    pending = [top] if isinstance(top, dict) else []
    while pending:
        holder = pending.pop()
        properties = mapping(holder.get("properties")).values()
        if any(_code(document, property_) is not None for property_ in properties):
            leading.append(id(holder))
        for subschema in (*properties, holder.get("items"), *sequence(holder.get("allOf"))):
            followed = document.follow(subschema)
            if isinstance(followed, dict):
                if id(followed) not in holders:
                    holders[id(followed)] = set()
                    pending.append(followed)
                holders[id(followed)].add(id(holder))
    reached = set(leading)
    while leading:
        new = holders.get(leading.pop(), set()) - reached
        reached |= new
        leading.extend(new)
    return reached

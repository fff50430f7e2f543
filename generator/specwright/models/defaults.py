"""Defaults of fields as values of their types, where the generator writes the texts of JSON.

Pydantic does not validate defaults, and in strict mode it would refuse the text of a date.
"""

from __future__ import annotations

import ast
import datetime
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from uuid import UUID

from specwright.json_values import JsonObject
from specwright.models.edits import SourceEdit

# The types of formats, and the functions that make their values of a text, in the module of models
# and here.
_MAKERS: Mapping[str, tuple[str, str, Callable[[str], object]]] = {
    "date": ("date", "_datetime.date.fromisoformat", datetime.date.fromisoformat),
    "date-time": (
        "AwareDatetime",
        "_datetime.datetime.fromisoformat",
        datetime.datetime.fromisoformat,
    ),
    "time": ("time", "_datetime.time.fromisoformat", datetime.time.fromisoformat),
    "uuid": ("UUID", "UUID", UUID),
    "decimal": ("Decimal", "Decimal", Decimal),
}
_BY_TYPE = {type_: (written, make) for type_, written, make in _MAKERS.values()}
_TEXTS = frozenset({"str", "StrictStr", "Any"})


def is_unreadable(schema: JsonObject) -> bool:
    """Return whether the default of a schema is a text of which Python makes no value."""
    text, format_ = schema.get("default"), schema.get("format")
    if not isinstance(text, str) or format_ not in _MAKERS:
        return False
    return not _can(_MAKERS[str(format_)][2], text)


def made(body: list[ast.stmt], annotations: Mapping[str, ast.expr]) -> Iterator[SourceEdit]:
    """Yield the replacements of texts that are defaults of dates, UUIDs and decimals.

    Args:
        body: the statements of the module.
        annotations: those of its aliases.
    """
    imported = [name for node in body if isinstance(node, ast.ImportFrom) for name in node.names]
    # A type with the name of a field has another name in the module.
    types = {**annotations, **{n.asname: ast.Name(n.name) for n in imported if n.asname}}
    fields = (node for class_ in body if isinstance(class_, ast.ClassDef) for node in class_.body)
    for field in fields:
        if isinstance(field, ast.AnnAssign) and field.value is not None:
            yield from _made(field.value, field.annotation, types)


def _made(
    default: ast.expr, annotation: ast.expr, types: Mapping[str, ast.expr]
) -> Iterator[SourceEdit]:
    alternatives = [*_alternatives(annotation, types, frozenset())]
    match default:
        case ast.Constant(str(text)):
            names = [type_.id for type_ in alternatives if isinstance(type_, ast.Name)]
            is_text = not _TEXTS.isdisjoint(names) or any(_items(alternatives, "Literal"))
            for function, make in [_BY_TYPE[name] for name in names if name in _BY_TYPE][:1]:
                if not is_text and _can(make, text):
                    yield SourceEdit.of(default, f"{function}({text!a})")
        case ast.List(items):
            of_lists = [*_items(alternatives, "list")]
            for item in items:
                if len(of_lists) == 1:
                    yield from _made(item, of_lists[0], types)


def _alternatives(
    annotation: ast.expr, types: Mapping[str, ast.expr], above: frozenset[str]
) -> Iterator[ast.expr]:
    """Yield the types of an annotation, without aliases and metadata."""
    match annotation:
        case ast.BinOp(left, ast.BitOr(), right):
            yield from _alternatives(left, types, above)
            yield from _alternatives(right, types, above)
        case ast.Subscript(ast.Name("Annotated"), ast.Tuple([type_, *_])):
            yield from _alternatives(type_, types, above)
        case ast.Subscript(ast.Name("Union"), ast.Tuple(parts)):
            for type_ in parts:
                yield from _alternatives(type_, types, above)
        case ast.Constant(str(text)):
            yield from _alternatives(ast.parse(text, mode="eval").body, types, above)
        case ast.Name(name) if name in types and name not in above:
            yield from _alternatives(types[name], types, above | {name})
        case _:
            yield annotation


def _items(alternatives: Iterable[ast.expr], name: str) -> Iterator[ast.expr]:
    """Yield the arguments of a generic type, such as `list`."""
    for type_ in alternatives:
        if isinstance(type_, ast.Subscript) and ast.unparse(type_.value) == name:
            yield type_.slice


def _can(make: Callable[[str], object], text: str) -> bool:
    """Return whether Python reads a text: no leap second, for example, is a time to it."""
    try:
        make(text)
    except (ValueError, ArithmeticError):
        return False
    return True

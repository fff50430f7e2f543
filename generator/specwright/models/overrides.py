"""Fields that conflict with those of a base class, which type checkers reject."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile, zip_longest

from specwright.models.edits import SourceEdit, applied, end

# Pydantic's names for the types of JSON, which do not accept other types.
_STRICT = {"StrictBool": "bool", "StrictFloat": "float", "StrictInt": "int", "StrictStr": "str"}
# The settings of a class, and the type of properties without a field.
_SETTINGS = ("model_config", "__annotations__")


def with_fitting_overrides(source: str) -> str:
    """Remove base classes with a field of an incompatible type, and those that others derive from.

    Two parts of an `allOf` may declare a property in ways that no subclass may: such a class gets
    the fields of the other, but does not derive from it. Two parts may also be the same class.
    """
    tree = ast.parse(source)
    hierarchy = _Hierarchy(source, tree.body)
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    return applied(source, [edit for node in classes for edit in hierarchy.add(node)])


@dataclass(frozen=True, slots=True)
class _Member:
    """A name in the body of a class, with the docstring below it.

    Attributes:
        annotation: None if the name is not a field.
    """

    text: str
    annotation: ast.expr | None


class _Hierarchy:
    """The classes of a module so far, with their inherited members."""

    def __init__(self, source: str, body: list[ast.stmt]) -> None:
        self._lines = source.splitlines()
        self._members: dict[str, dict[str, _Member]] = {}
        self._arguments: dict[str, dict[str, str]] = {}
        self._types = _Types(
            {
                node.target.id: node.value
                for node in body
                if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
            }
        )

    def add(self, node: ast.ClassDef) -> Iterator[SourceEdit]:
        """Add a class, after its bases, and yield the changes that it needs."""
        members = own = dict(self._said(node.body))
        arguments = explicit = {
            str(keyword.arg): ast.unparse(keyword.value) for keyword in node.keywords
        }
        bases: dict[bool, list[str]] = {True: [], False: []}
        written = [ast.unparse(base) for base in node.bases]
        different = self._types.without_ancestors(written)
        # The first one counts, so that the narrower has to be the first.
        orders = [different, different[::-1]]
        ordered = next((order for order in orders if self._fit(own, order)), different)
        for base in ordered:
            inherited = self._members.get(base, {})
            fits = all(
                self._overrides(members[name], inherited[name])
                # Of two bases, type checkers require the same type.
                and (name in own or self._overrides(inherited[name], members[name]))
                for name in members.keys() & inherited.keys()
            )
            bases[fits].append(base)
            members = {**inherited, **members}
            arguments = {**self._arguments.get(base, {}), **arguments}
            explicit = explicit if fits else {**self._arguments[base], **explicit}
        derived = bases[True] or ["Model"]
        self._members[node.name] = members
        self._arguments[node.name] = arguments
        self._types.bases[node.name] = derived
        if bases[False] or ordered != written:
            kept = own.keys() | {n for base in derived for n in self._members.get(base, ())}
            added = [name for name in members if name not in kept]
            # An assignment to `__annotations__` removes those of the fields above it.
            copied = [members[name].text for name in sorted(added, key=_is_field)]
            texts = [f"{name}={value}" for name, value in explicit.items()]
            head = f"class {node.name}({', '.join([*derived, *texts])}):"
            yield from self._changed(node, head, copied)

    def _changed(self, node: ast.ClassDef, head: str, copied: list[str]) -> Iterator[SourceEdit]:
        first, line = node.body[0], len(self._lines[node.lineno - 1].encode())
        yield SourceEdit((node.lineno, 0), (node.lineno, line), head)
        body = "".join(f"\n    {text}" for text in copied)
        if isinstance(first, ast.Pass) and copied:
            yield SourceEdit.of(first, body.strip())
        else:
            # Below the docstring and the settings of the class, or right below its first line.
            above = [*takewhile(_is_no_member, node.body)]
            place = end(above[-1]) if above else (node.lineno, line)
            yield SourceEdit(place, place, body)

    def _said(self, body: list[ast.stmt]) -> Iterator[tuple[str, _Member]]:
        for statement, below in zip_longest(body, body[1:]):
            last = below if below is not None and _is_text(below) else statement
            text = "\n".join(self._lines[statement.lineno - 1 : last.end_lineno]).strip()
            match statement:
                case ast.AnnAssign(target=ast.Name(name), annotation=annotation):
                    yield name, _Member(text, annotation)
                case ast.Assign(targets=[ast.Name(name)]):
                    yield name, _Member(text, None)

    def _fit(self, own: Mapping[str, _Member], bases: list[str]) -> bool:
        """Return whether a class may derive from all these, in this order."""
        members = dict(own)
        for base in bases:
            inherited = self._members.get(base, {})
            if not all(
                self._overrides(members[name], inherited[name])
                for name in members.keys() & inherited.keys()
            ):
                return False
            members = {**inherited, **members}
        return True

    def _overrides(self, mine: _Member, other: _Member) -> bool:
        if mine.annotation is None or other.annotation is None:
            return True
        return self._types.is_narrower(mine.annotation, other.annotation)


class _Types:
    """The order of annotations by the values that they allow.

    Attributes:
        bases: the bases of each class.
    """

    def __init__(self, aliases: Mapping[str, ast.expr | None]) -> None:
        self.bases: dict[str, list[str]] = {}
        self._aliases = aliases

    def is_narrower(self, one: ast.expr, other: ast.expr) -> bool:
        """Return whether one is the other or a part of it, as far as their syntax shows."""
        one, other = self._meant(one), self._meant(other)
        match one, other:
            case (ast.Name("Any"), _) | (_, ast.Name("Any")):
                return True
            case ast.BinOp(left=left, right=right), _:
                return self.is_narrower(left, other) and self.is_narrower(right, other)
            case _, ast.BinOp(left=left, right=right):
                return self.is_narrower(one, left) or self.is_narrower(one, right)
            case ast.Subscript(value=ast.Name("Literal")), ast.Subscript(value=ast.Name("Literal")):
                return _values(one) <= _values(other)
            case ast.Subscript(value=ast.Name("Literal")), ast.Name(name):
                return {type(value).__name__ for _, value in _values(one)} == {name}
            case ast.Name(name), ast.Name() if name in self.bases:
                return name == other.id or any(
                    self.is_narrower(ast.Name(base), other) for base in self.bases[name]
                )
        return ast.dump(one) == ast.dump(other)

    def without_ancestors(self, classes: list[str]) -> list[str]:
        """Return the different ones among classes from which no other of them derives."""
        different = list(dict.fromkeys(classes))
        names = [ast.Name(name) for name in different]
        return [
            name.id
            for name in names
            if not any(self.is_narrower(other, name) for other in names if other is not name)
        ]

    def _meant(self, node: ast.expr) -> ast.expr:
        """Return an annotation without marks for validation, and with aliases resolved."""
        match node:
            case ast.Subscript(value=ast.Name("Annotated"), slice=ast.Tuple(elts=[inner, *_])):
                return self._meant(inner)
            case ast.Name(name) if name in _STRICT:
                return ast.Name(_STRICT[name])
            case ast.Name(name) if (meant := self._aliases.get(name)) is not None:
                return self._meant(meant)
        return node


def _values(literal: ast.Subscript) -> set[tuple[type, object]]:
    values = ast.literal_eval(literal.slice)
    return {(type(value), value) for value in (values if isinstance(values, tuple) else (values,))}


def _is_field(name: str) -> bool:
    return name not in _SETTINGS


def _is_no_member(node: ast.stmt) -> bool:
    match node:
        case ast.Assign(targets=[ast.Name(name)]):
            return not _is_field(name)
    return _is_text(node)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)

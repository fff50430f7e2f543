"""The classes and aliases of a module of models, as its source declares them."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from specwright.models.annotations import names_in, unquoted


@dataclass(frozen=True, slots=True)
class DeclaredField:
    """A field of a class."""

    name: str
    annotation: ast.expr
    is_required: bool
    description: str


class Declarations:
    """The names of a module of models.

    Attributes:
        classes: the statements of classes by name.
        aliases: the types of aliases by name.
        descriptions: the docstrings below aliases.
    """

    def __init__(self, source: str) -> None:
        body = ast.parse(source).body
        self.classes = {node.name: node for node in body if isinstance(node, ast.ClassDef)}
        self.aliases = {
            name: type_
            for node in body
            if (name := _name(node)) is not None and (type_ := _aliased(node)) is not None
        }
        self.descriptions = _descriptions(body)
        # A type with the name of a field has another name in the module.
        self._imports = {
            imported.asname: imported.name
            for node in body
            if isinstance(node, ast.ImportFrom)
            for imported in node.names
            if imported.asname is not None
        }
        self._references: dict[str, set[str]] = {}

    def imported(self, name: str) -> str:
        """Return the name that a type has where the module imports it from."""
        return self._imports.get(name, name)

    def fields(self, name: str) -> Mapping[str, DeclaredField]:
        """Return the fields of a class by name, inherited ones first."""
        fields: dict[str, DeclaredField] = {}
        node = self.classes[name]
        for base in node.bases:
            if isinstance(base, ast.Name) and base.id in self.classes:
                fields |= self.fields(base.id)
        descriptions = _descriptions(node.body)
        for field in node.body:
            match field:
                case ast.AnnAssign(ast.Name(attribute), annotation, value):
                    description = descriptions.get(attribute, "")
                    type_ = unquoted(annotation)
                    fields[attribute] = DeclaredField(attribute, type_, value is None, description)
        return fields

    def leads_to_class(self, name: str) -> bool:
        """Return whether a type is a class, or an alias that refers to a class or to itself."""
        if name in self.classes:
            return True
        seen, pending = set[str](), [name]
        while pending:
            new = self._references_of(pending.pop()) - seen
            if name in new or not self.classes.keys().isdisjoint(new):
                return True
            seen |= new
            pending += new
        return False

    def _references_of(self, name: str) -> set[str]:
        """Return the names in an alias; none for other names."""
        if name not in self._references:
            type_ = self.aliases.get(name)
            self._references[name] = set() if type_ is None else names_in(type_)
        return self._references[name]


def members_of(node: ast.expr) -> list[ast.expr]:
    """Return the members of a union, or the type itself if it is something else."""
    match node:
        case ast.BinOp(left, ast.BitOr(), right):
            return [*members_of(left), *members_of(right)]
        case ast.Subscript(ast.Name("Union"), ast.Tuple(members)):
            return members
        case ast.Subscript(ast.Name("Union"), member):
            return [member]
    return [node]


def _name(node: ast.stmt) -> str | None:
    match node:
        case ast.AnnAssign(ast.Name(name)) | ast.Assign([ast.Name(name)]):
            return name
    return None


def _aliased(node: ast.stmt) -> ast.expr | None:
    """Return the type of an alias."""
    match node:
        case ast.AnnAssign(annotation=ast.Name("TypeAlias"), value=type_):
            return type_
        case ast.Assign(value=ast.Call(ast.Name("TypeAliasType"), [_, type_])):
            return type_
    return None


def _descriptions(body: list[ast.stmt]) -> dict[str, str]:
    """Return the docstrings below names in a body."""
    return {
        name: below.value.value
        for node, below in pairwise(body)
        if (name := _name(node)) is not None
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
        if isinstance(below.value.value, str)
    }

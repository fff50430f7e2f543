"""The types in the signatures of an API, with their attributes or members, for a page."""

from __future__ import annotations

import ast
from copy import deepcopy
from dataclasses import replace
from itertools import chain

from specwright.ir.model.api import Api, ListedType
from specwright.ir.model.values import NAME
from specwright.models.annotations import unquoted
from specwright.models.declarations import Declarations, members_of

# Types of Pydantic, with those of Python that they are to callers.
_PYTHON = {"StrictBool": "bool", "StrictFloat": "float", "StrictInt": "int", "StrictStr": "str"}


def with_listing(api: Api, declared: Declarations) -> Api:
    """Return the representation of an API with the classes and unions in signatures of methods.

    Those that a union consists of are listed, too.
    """
    listed: dict[str, ListedType] = {}
    pending = [*chain.from_iterable(operation.models for operation in api.operations)]
    while pending:
        name = pending.pop()
        if name not in listed and declared.leads_to_class(name):
            listed[name] = _listed(name, declared)
            pending += chain.from_iterable(map(NAME.findall, listed[name].members))
    return replace(api, listed=dict(sorted(listed.items())))


def _listed(name: str, declared: Declarations) -> ListedType:
    if name in declared.classes:
        return ListedType(attributes=tuple(declared.fields(name)))
    type_ = _Plain(declared).visit(deepcopy(declared.aliases[name]))
    return ListedType(members=tuple(map(ast.unparse, members_of(type_))))


class _Plain(ast.NodeTransformer):
    """The removal of quotes, marks of validation, and aliases of other types than models."""

    def __init__(self, declared: Declarations) -> None:
        self._declared = declared

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        type_ = unquoted(node)
        return node if type_ is node else self._plain(type_)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        match node:
            case ast.Subscript(ast.Name("Annotated"), ast.Tuple([type_, *_])):
                return self._plain(type_)
            case ast.Subscript(ast.Name("Literal")):
                return node
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        alias = self._declared.aliases.get(node.id)
        if alias is not None and not self._declared.leads_to_class(node.id):
            return self._plain(deepcopy(alias))
        return ast.Name(_PYTHON.get(node.id, node.id))

    def _plain(self, node: ast.AST) -> ast.AST:
        plain: ast.AST = self.visit(node)
        return plain

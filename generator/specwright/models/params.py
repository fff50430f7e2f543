"""Typed dictionaries for requests, derived from the source of the models.

At run time, a request takes a dictionary wherever it takes a model: under the names of JSON, with
the values of the model's fields or their texts in JSON. The types say the same to type checkers.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from keyword import iskeyword
from operator import attrgetter

from specwright.ir.model.api import Api
from specwright.ir.model.params import Params, ParamsAlias, ParamsDictionary, ParamsKey
from specwright.ir.model.values import NAME, union
from specwright.models.annotations import names_in
from specwright.models.declarations import Declarations, DeclaredField, members_of
from specwright.text import Text

# The types that values of a type in the module of models are made of.
_TYPES: Mapping[str, tuple[str, ...]] = {
    "Any": ("object",),
    "AwareDatetime": ("datetime.datetime", "str"),
    "Decimal": ("decimal.Decimal", "str"),
    "StrictBool": ("bool",),
    "StrictFloat": ("float",),
    "StrictInt": ("int",),
    "StrictStr": ("str",),
    "UUID": ("uuid.UUID", "str"),
    "UnknownTag": ("str",),
    "date": ("datetime.date", "str"),
    "str": ("str",),
    "time": ("datetime.time", "str"),
}
_LITERAL = "Literal["
_SCALARS = frozenset({"None", "bool", "float", "int", "str"})


def with_params(api: Api, declared: Declarations) -> Api:
    """Return the representation of an API with typed dictionaries for its arguments."""
    return replace(api, params=_Derivation(declared).of(api.argument_models))


class _Derivation:
    """The types of a module of models as those of dictionaries."""

    def __init__(self, declared: Declarations) -> None:
        self._declared = declared
        self._wanted: set[str] = set()
        self._pending: list[str] = []

    def of(self, names: Iterable[str]) -> Params:
        """Return the types with these names, and those that they refer to."""
        for name in names:
            if self._declared.leads_to_class(name):
                self._want(name)
        dictionaries: list[ParamsDictionary] = []
        aliases: list[ParamsAlias] = []
        # It grows by the names in the types of others.
        for name in self._pending:
            if name in self._declared.classes:
                dictionaries.append(self._dictionary(name))
            else:
                aliases.append(self._alias(name))
        dictionaries.sort(key=attrgetter("name"))
        aliases.sort(key=attrgetter("name"))
        return Params(tuple(dictionaries), tuple(_in_order(aliases)))

    def _want(self, name: str) -> None:
        if name not in self._wanted:
            self._wanted.add(name)
            self._pending.append(name)

    def _dictionary(self, name: str) -> ParamsDictionary:
        keys = tuple(map(self._key, self._declared.fields(name).values()))
        description = ast.get_docstring(self._declared.classes[name]) or ""
        is_class = all(_is_attribute(key.attribute) for key in keys)
        return ParamsDictionary(name, keys, Text(description), is_class)

    def _key(self, field: DeclaredField) -> ParamsKey:
        arguments = _arguments(field.annotation)
        aliases = (a.value for a in arguments if a.arg == "alias")
        wire = next((ast.literal_eval(alias) for alias in aliases), field.name)
        type_ = _joined(self._alternatives(field.annotation))
        annotation = type_ if field.is_required else f"NotRequired[{type_}]"
        return ParamsKey(Text(wire), annotation, Text(field.description))

    def _alias(self, name: str) -> ParamsAlias:
        annotation = _joined(self._alternatives(self._declared.aliases[name], is_inner=False))
        return ParamsAlias(name, annotation, Text(self._declared.descriptions.get(name, "")))

    def _alternatives(self, node: ast.expr, *, is_inner: bool = True) -> list[str]:
        """Return the types that values of a type are made of.

        Args:
            is_inner: whether a model may be in the place of a dictionary.
        """
        match node:
            case ast.Constant(None):
                return ["None"]
            case ast.Constant(str(text)):
                return self._alternatives(ast.parse(text, mode="eval").body, is_inner=is_inner)
            case ast.BinOp() | ast.Subscript(ast.Name("Union")):
                return self._union(members_of(node), is_inner=is_inner)
            case ast.Subscript(ast.Name("Optional"), inner):
                return [*self._alternatives(inner, is_inner=is_inner), "None"]
            case ast.Subscript(ast.Name("Annotated"), ast.Tuple([type_, *marks])):
                members = members_of(type_)
                if any(map(_is_closed_union, marks)):
                    known = [member for member in members if not self._is_unknown(member)]
                    # A union may have no other member, as one of values that nothing fits.
                    members = known or members
                return self._union(members, is_inner=is_inner)
            case ast.Subscript(ast.Name("Literal"), values):
                return [_literal(values)]
            case ast.Subscript(ast.Name("list" | "List"), item):
                return [f"abc.Sequence[{_joined(self._alternatives(item))}]"]
            case ast.Subscript(ast.Name("dict" | "Dict"), ast.Tuple([_, value])):
                return [f"abc.Mapping[str, {_joined(self._alternatives(value))}]"]
            case ast.Subscript(ast.Name("tuple" | "Tuple"), ast.Tuple(items)):
                types = (_joined(self._alternatives(item)) for item in items)
                return [f"tuple[{', '.join(types)}]"]
            case ast.Attribute(ast.Name("_files"), "File"):
                return ["_files.FileTypes"]
            case ast.Name(name):
                return self._named(name, is_inner=is_inner)
        return ["object"]

    def _union(self, members: Iterable[ast.expr], *, is_inner: bool) -> list[str]:
        return [
            type_ for member in members for type_ in self._alternatives(member, is_inner=is_inner)
        ]

    def _named(self, name: str, *, is_inner: bool) -> list[str]:
        if self._declared.leads_to_class(name):
            self._want(name)
            return [f"models.{name}", name] if is_inner else [name]
        if name in self._declared.aliases:
            types = self._alternatives(self._declared.aliases[name])
            return [f"models.{name}"] if _has_values(types) else types
        return [*_TYPES.get(self._declared.imported(name), ("object",))]

    def _is_unknown(self, member: ast.expr) -> bool:
        """Return whether a member of a union is the model for values of later types."""
        names = names_in(member) & self._declared.classes.keys()
        fields = (field for name in names for field in self._declared.classes[name].body)
        return any(
            isinstance(field, ast.AnnAssign) and "UnknownTag" in names_in(field.annotation)
            for field in fields
        )


def _in_order(aliases: Iterable[ParamsAlias]) -> Iterator[ParamsAlias]:
    """Yield aliases below those that they refer to, except where they refer to each other."""
    named = {alias.name: alias for alias in aliases}
    begun, done = set[str](), set[str]()

    def defined(name: str) -> Iterator[ParamsAlias]:
        begun.add(name)
        others = sorted(_words(named[name].annotation) & named.keys())
        for other in others:
            if other not in begun:
                yield from defined(other)
        yield replace(named[name], is_forward=not done.issuperset(others))
        done.add(name)

    for name in named:
        if name not in begun:
            yield from defined(name)


def _joined(alternatives: list[str]) -> str:
    return "object" if "object" in alternatives else union(alternatives)


def _arguments(annotation: ast.expr) -> Iterator[ast.keyword]:
    """Yield the arguments of the marks of a field, from the outside in."""
    match annotation:
        case ast.Subscript(ast.Name("Annotated"), ast.Tuple([type_, *marks])):
            yield from (
                argument
                for mark in marks
                if isinstance(mark, ast.Call)
                for argument in mark.keywords
            )
            yield from _arguments(type_)


def _is_closed_union(mark: ast.expr) -> bool:
    match mark:
        case ast.Call(ast.Name("TaggedUnion"), keywords=keywords):
            return all(keyword.arg != "open" for keyword in keywords)
    return False


def _literal(values: ast.expr) -> str:
    written = values.elts if isinstance(values, ast.Tuple) else [values]
    return f"{_LITERAL}{', '.join(ascii(ast.literal_eval(value)) for value in written)}]"


def _has_values(types: list[str]) -> bool:
    """Return whether a type lists values, which its name says best, and has no other forms."""
    literals = [type_ for type_ in types if type_.startswith(_LITERAL)]
    return bool(literals) and _SCALARS.issuperset({*types} - {*literals})


def _words(annotation: str) -> set[str]:
    """Return the names in an annotation; attributes and texts are not among them."""
    return {*NAME.findall(annotation)} - {""}


def _is_attribute(name: str) -> bool:
    """Return whether a name is that of an attribute as it is.

    Python normalizes other letters than those of ASCII, and changes names with two underscores.
    """
    is_changed = not name.isascii() or name.startswith("__")
    return name.isidentifier() and not iskeyword(name) and not is_changed

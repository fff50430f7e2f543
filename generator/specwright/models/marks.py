"""The marks that carry values through datamodel-code-generator, which cannot express them.

`dialect` encodes a value as something that no document can contain, so that nothing else is taken
for a mark. `Decoder` replaces each one in the generated source. These are all:

- The items of an array are unique: `minItems` is negative, since the generator would make a set
  of it. It becomes `UniqueItems()`, with the minimum if there is one.
- A text has a pattern: it begins with a seal, flags of Rust's engine that change nothing. The
  generator does not reason about a pattern that begins with flags for verbose mode; it would try
  any other on values with an engine of exponential time.
- A text has further patterns: each follows another seal and its kind. They become `Patterns(…)`.
- A text is bytes: `format: binary`, the only one that becomes `bytes`. They become files.
- A union has a discriminator: it is a standard one, but would refuse alternatives that come
  later. It becomes `TaggedUnion(…)`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping

from specwright.json_values import JsonValue
from specwright.models.edits import SourceEdit
from specwright.patterns import SEAL, Pattern

BINARY = "binary"

# No array has fewer than zero items.
_UNIQUE = -1
# Kinds of further patterns.
_LIKE, _UNLIKE = "=", "!"

_WORD = re.compile(r"\w+")


def unique(least: int) -> int:
    """Return the `minItems` of an array with unique items."""
    return _UNIQUE - least


def sealed(pattern: Pattern) -> str:
    """Return one pattern for the generator in place of several."""
    others = (*(_LIKE + like for like in pattern.like), *(_UNLIKE + no for no in pattern.unlike))
    return SEAL.join(("", pattern.rest, *others))


def sealed_name(pattern: str) -> str:
    """Return the pattern of the names of properties for the generator."""
    return SEAL + pattern


def plain(value: JsonValue) -> JsonValue:
    """Return a pattern without its seal, and any other value as it is."""
    return value.removeprefix(SEAL) if isinstance(value, str) else value


class Decoder(ast.NodeTransformer):
    """Replaces marks in a tree, names of classes, and defaults that are the JSON of a model.

    Attributes:
        edits: the same changes for the source of the tree. What is unparsed from the tree contains
            them already, so an edit of a larger expression takes precedence.
    """

    def __init__(self, names: Mapping[str, str]) -> None:
        self.edits: list[SourceEdit] = []
        self._names = names

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        if node.name in self._names:
            begin = node.col_offset + len("class ")
            at = (node.lineno, begin), (node.lineno, begin + len(node.name))
            node.name = self._names[node.name]
            self.edits.append(SourceEdit(*at, node.name))
        self.generic_visit(node)
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.Expr:
        if not isinstance(node.value, ast.Constant):
            self.generic_visit(node)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AnnAssign:
        # The value is written in the document, so it holds neither marks nor names.
        node.annotation = self.visit(node.annotation)
        match node:
            case ast.AnnAssign(
                annotation=ast.Subscript(
                    slice=ast.Tuple([type_, ast.Call(ast.Name("Field"), [], keywords) as call])
                ) as annotation,
                value=ast.expr() as value,
            ) if any(isinstance(part, ast.Dict) for part in ast.walk(value)):
                kept = [keyword for keyword in keywords if keyword.arg != "validate_default"]
                if len(kept) < len(keywords):
                    call.keywords = kept
                    node.annotation = annotation if kept else _at(annotation, type_)
                    self._replace(annotation, node.annotation)
                    text = f"Field({ast.unparse(value)}, validate_default=True)"
                    self.edits.append(SourceEdit.of(value, text))
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.Subscript:
        match node:
            case ast.Subscript(ast.Name("Literal")):
                return node
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self._names:
            node.id = self._names[node.id]
            self.edits.append(SourceEdit.of(node, node.id))
        elif node.id == "bytes":
            return self._replace(node, _parsed("_files.File"))
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        if isinstance(node.value, str):
            text = _WORD.sub(lambda word: self._names.get(word[0], word[0]), node.value)
            if text != node.value:
                node.value = text
                self.edits.append(SourceEdit.of(node, repr(text)))
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr | list[ast.expr]:
        match node:
            case ast.Call(ast.Name("Field" | "StringConstraints" | "constr" as call), []):
                return self._constraints(node, call)
        self.generic_visit(node)
        return node

    def _constraints(self, node: ast.Call, call: str) -> ast.expr | list[ast.expr]:
        named = {str(keyword.arg): keyword for keyword in node.keywords}
        marks: list[str] = []
        if "discriminator" in named:
            marks.append(f"TaggedUnion({ast.unparse(named.pop('discriminator').value)})")
        least = ast.literal_eval(named["min_length"].value) if "min_length" in named else 0
        if least < 0:
            marks.append("UniqueItems()")
            minimum = named.pop("min_length")
            if least < _UNIQUE:
                # In the last place, after all that the generator has written.
                minimum.value = ast.Constant(_UNIQUE - least)
                named["min_length"] = minimum
        if "pattern" in named:
            first = named["pattern"].value
            _, pattern, *others = ast.literal_eval(first).split(SEAL)
            named["pattern"].value = _at(first, ast.Constant(pattern))
            self.edits.append(SourceEdit.of(first, ascii(pattern)))
            if others:
                marks.append(_patterns(others))
        node.keywords = list(named.values())
        if not marks:
            return node
        parsed = [_at(node, _parsed(mark)) for mark in marks]
        if call == "constr":
            node.func = ast.Name("Field")
            annotated = ast.Tuple([ast.Name("str"), node, *parsed])
            return self._replace(node, ast.Subscript(ast.Name("Annotated"), annotated))
        whole = [node, *parsed] if node.keywords else parsed
        self.edits.append(SourceEdit.of(node, ", ".join(map(ast.unparse, whole))))
        return whole

    def _replace(self, node: ast.expr, new: ast.expr) -> ast.expr:
        self.edits.append(SourceEdit.of(node, ast.unparse(new)))
        return _at(node, new)


def _at(node: ast.expr, new: ast.expr) -> ast.expr:
    return ast.copy_location(new, node)


def _parsed(expression: str) -> ast.expr:
    return ast.parse(expression, mode="eval").body


def _patterns(others: Iterable[str]) -> str:
    """Return the mark of a text with further patterns."""
    arguments = (
        (name, [other.removeprefix(kind) for other in others if other.startswith(kind)])
        for name, kind in (("like", _LIKE), ("unlike", _UNLIKE))
    )
    lists = (f"{name}=[{', '.join(map(ascii, each))}]" for name, each in arguments if each)
    return f"Patterns({', '.join(lists)})"

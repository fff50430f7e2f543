"""Mutants: one file each, with one edit."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation import mutators

Operator = tuple[type[cst.CSTNode], Callable[[Any], Iterable[cst.CSTNode]]]

# What type checkers read and the interpreter does not.
_TYPES = {"TypeVar", "ParamSpec", "NewType", "cast"}
_LONGEST_EDIT = 160


@dataclass(frozen=True, slots=True)
class Edit:
    """The name of a mutant, which lines above it do not change.

    Attributes:
        file: relative to the repository.
        function: its qualified name, or `<module>`.
        edit: the code before and after.
        nth: the number among the same edits of the function.
    """

    file: str
    function: str
    edit: str
    nth: int = 1

    @property
    def order(self) -> bytes:
        """Return the key that sorts mutants into the order in which a sample takes them."""
        return hashlib.sha256(repr(self).encode()).digest()


@dataclass(frozen=True, slots=True)
class Mutant:
    """An edit, and how to make it.

    Attributes:
        lines: those of the statement, 1-based, without the statements inside it.
        inside: whether a function is around it, so that importing the module does not run it.
    """

    name: Edit
    lines: range
    inside: bool
    _module: cst.Module = field(repr=False)
    _before: cst.CSTNode = field(repr=False)
    _after: cst.CSTNode = field(repr=False)

    def undone(self) -> Mutant:
        """Return the same mutant without its edit."""
        return replace(self, _after=self._before)

    def source(self) -> str:
        """Return the text of the file with the edit made."""
        changed = self._module.deep_replace(self._before, self._after)
        return changed.code if isinstance(changed, cst.Module) else ""


def _statement_left_out(node: cst.Expr) -> Iterator[cst.CSTNode]:
    if not isinstance(node.value, cst.BaseString | cst.Ellipsis):
        yield cst.Pass()


def _condition_negated(node: cst.If | cst.While | cst.CompIf) -> Iterator[cst.CSTNode]:
    test = node.test.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    yield node.with_changes(test=cst.UnaryOperation(cst.Not(), test))


def _nothing_returned(node: cst.Return) -> Iterator[cst.CSTNode]:
    if node.value is not None and not _is(node.value, "None"):
        yield node.with_changes(value=cst.Name("None"), whitespace_after_return=_SPACE)


def _one_of(operator: Callable[[Any], Iterable[cst.CSTNode]]) -> Callable[[Any], Any]:
    return lambda node: islice(operator(node), 1)


_SPACE = cst.SimpleWhitespace(" ")

# Of the strings that mutmut makes of one, the first is enough: they stand or fall together.
OPERATORS: tuple[Operator, ...] = (
    *(
        (kind, _one_of(make) if make is mutators.operator_string else make)
        for kind, make in mutators.mutation_operators
    ),
    (cst.Expr, _statement_left_out),
    (cst.If, _condition_negated),
    (cst.While, _condition_negated),
    (cst.CompIf, _condition_negated),
    (cst.Return, _nothing_returned),
)


def mutants(path: Path, root: Path) -> list[Mutant]:
    """Return all mutants of a file, given relative to the repository, in order of place."""
    visitor = _Visitor(path.as_posix())
    wrapper = MetadataWrapper(cst.parse_module((root / path).read_text("utf-8")))
    visitor.module = wrapper.module
    wrapper.visit(visitor)
    return visitor.found


class _Visitor(cst.CSTVisitor):
    METADATA_DEPENDENCIES = (PositionProvider,)
    module: cst.Module

    def __init__(self, file: str) -> None:
        super().__init__()
        self.found: list[Mutant] = []
        self._file = file
        self._around: list[cst.FunctionDef | cst.ClassDef] = []
        self._statements: list[range] = [range(1, 2)]
        self._counts: Counter[Edit] = Counter()

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.Annotation | cst.Import | cst.ImportFrom) or _for_checkers(node):
            return False
        if isinstance(node, cst.SimpleStatementLine | cst.BaseCompoundStatement):
            self._statements.append(self._lines(node))
        for kind, operator in OPERATORS:
            if isinstance(node, kind):
                for changed in operator(node):
                    self._add(node, changed)
        if isinstance(node, cst.FunctionDef | cst.ClassDef):
            self._around.append(node)
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        statement = isinstance(original_node, cst.SimpleStatementLine | cst.BaseCompoundStatement)
        if statement and not _for_checkers(original_node):
            self._statements.pop()
        if self._around and self._around[-1] is original_node:
            self._around.pop()

    def _lines(self, node: cst.CSTNode) -> range:
        place = self.get_metadata(PositionProvider, node)
        body = getattr(node, "body", None)
        if isinstance(body, cst.IndentedBlock) and body.body:
            inner = self.get_metadata(PositionProvider, body.body[0])
            return range(place.start.line, max(place.start.line + 1, inner.start.line))
        return range(place.start.line, place.end.line + 1)

    def _add(self, node: cst.CSTNode, changed: cst.CSTNode) -> None:
        function = ".".join(scope.name.value for scope in self._around) or "<module>"
        texts = _differing(self._text(node), self._text(changed))
        name = Edit(self._file, function, " → ".join(texts))
        self._counts[name] += 1
        self.found.append(
            Mutant(
                Edit(name.file, name.function, name.edit, self._counts[name]),
                self._statements[-1],
                any(isinstance(scope, cst.FunctionDef) for scope in self._around),
                self.module,
                node,
                changed,
            )
        )

    def _text(self, node: cst.CSTNode) -> str:
        if isinstance(node, cst.If | cst.While):
            node = node.with_changes(body=cst.SimpleStatementSuite([cst.Pass()]), orelse=None)
        return " ".join(self.module.code_for_node(node).split()).removesuffix(": pass")


def _differing(before: str, after: str) -> tuple[str, str]:
    """Cut two texts to the part where they differ, if they are long."""
    if len(before) <= _LONGEST_EDIT:
        return before, after
    pairs = zip(before, after, strict=False)
    start = next((i for i, (a, b) in enumerate(pairs) if a != b), 0)
    pairs = zip(reversed(before), reversed(after), strict=False)
    end = next((i for i, (a, b) in enumerate(pairs) if a != b), 0)
    end = min(end, len(after) - start, len(before) - start)
    start, end = max(0, start - 20), max(0, end - 20)
    return _short(before[start : len(before) - end]), _short(after[start : len(after) - end])


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_EDIT else f"{text[:_LONGEST_EDIT]}…"


def _for_checkers(node: cst.CSTNode) -> bool:
    match node:
        case cst.If(test=cst.Name("TYPE_CHECKING")):
            return True
        case cst.Call(func=cst.Name(name)):
            return name in _TYPES
    return False


def _is(node: cst.CSTNode, name: str) -> bool:
    return isinstance(node, cst.Name) and node.value == name


def sampled(found: Sequence[Mutant]) -> list[Mutant]:
    """Sort mutants into an order that is random, and the same in every run."""
    return sorted(found, key=lambda mutant: mutant.name.order)

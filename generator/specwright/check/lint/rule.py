"""Lint rules: a description and a function each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from specwright.check.context import LintContext
from specwright.findings import Level, RuleDescription
from specwright.pointer import Pointer


class Category(StrEnum):
    """The chapters of the list of rules."""

    DOCUMENT = "Document"
    PATHS = "Paths"
    SECURITY = "Security"
    OPERATIONS = "Operations"
    SCHEMAS = "Schemas"
    NAMES = "Names"
    EXAMPLES = "Examples"
    LINKS = "Links"
    CONTRACT = "Contract declarations"
    UNSUPPORTED = "Not in generated code"


class LintViolation(NamedTuple):
    """A place that breaks a rule, and how.

    Attributes:
        values: the values that it is about, as JSON texts, if the place may break it in several
            ways.
        concerned: other places in the upgraded document that are not as it says because of this.
        is_written: whether the place is one of the document before its upgrade.
    """

    pointer: Pointer
    message: str
    values: tuple[str, ...] = ()
    concerned: tuple[Pointer, ...] = ()
    is_written: bool = False


Check = Callable[[LintContext], Iterator[LintViolation]]


@dataclass(frozen=True, slots=True)
class LintRule(RuleDescription):
    """A rule with the function that finds its violations."""

    check: Check


def remarks(context: LintContext, rule: str) -> Iterator[LintViolation]:
    """Yield the remarks of the upgrade that belong to a rule."""
    for remark in context.document.remarks:
        if remark.rule == rule:
            yield LintViolation(remark.pointer, remark.message, is_written=True)


def unsupported(id: str, why: str, bad: str, good: str, check: Check) -> LintRule:
    """Return a rule about a part of the document that generated code leaves out."""
    return LintRule(
        id,
        Category.UNSUPPORTED,
        why,
        bad,
        good,
        Level.WARNING,
        Level.ERROR,
        check,
    )

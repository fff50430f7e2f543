"""The validity of a document that is compared."""

from __future__ import annotations

from functools import partial

from specwright.check.context import LintContext
from specwright.check.lint.document import official_schema, reference_kind
from specwright.check.lint.paths import path_parameters, path_template
from specwright.check.lint.rule import LintViolation
from specwright.compare.verdicts.change_rule import DIFF_INVALID
from specwright.document.model import Document
from specwright.findings import Finding
from specwright.isolation import Stopped, TaskLimits, isolated

# Errors that the official schema cannot express, and that requests and responses depend on.
_MORE = (reference_kind, path_template, path_parameters)
_LIMITS = TaskLimits(8.0, 512 * 1024 * 1024)


def validity_findings(document: Document) -> list[Finding]:
    """Return a finding if a document is not valid OpenAPI, or cannot be validated."""
    [problems] = isolated([partial(_violations, document)], _LIMITS)
    start = document.locate("")
    if isinstance(problems, Stopped):
        message = f"{document.path} could not be validated: {problems}"
        return [Finding(DIFF_INVALID, DIFF_INVALID.level, start, None, message)]
    if not problems:
        return []
    first = problems[0]
    others = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    message = (
        f"{document.path} is not valid OpenAPI: {first.message}{others}; "
        "it is compared as far as possible"
    )
    place = document.locate(first.pointer)
    return [Finding(DIFF_INVALID, DIFF_INVALID.level, place, first.pointer, message)]


def _violations(document: Document) -> list[LintViolation]:
    context = LintContext(document)
    # The others rely on the shape that it checks.
    broken = [*official_schema(context)]
    return broken or [violation for check in _MORE for violation in check(context)]

"""Documents on only one side of a comparison."""

from __future__ import annotations

from dataclasses import replace
from shlex import quote

from specwright.compare.document.operations import label
from specwright.compare.verdicts.change_rule import (
    BASE_MISSING,
    DOCUMENT_REMOVED,
    DOCUMENT_UNTRACKED,
    ChangeRule,
)
from specwright.document.model import Document
from specwright.document.operations.sites import operations
from specwright.errors import Location
from specwright.findings import Affected, Finding, Report
from specwright.report.wording import counted


def added_document(revision: Document) -> Report:
    """Return the comparison of a new document, which does not break clients."""
    count = counted(sum(1 for _ in operations(revision)), "operation")
    return Report(
        revision.path,
        (),
        facts=(("Base", "has no such document"),),
        command="diff",
        headline=f"a new document with {count}",
        breaking=0,
    )


def untracked_document(revision: Document) -> Report:
    """Return the comparison of a document that git does not track: its changes are not known."""
    path = revision.path
    message = (
        f"git does not track {path}, so its changes are unknown: add it to the commit, or build it "
        f"from the base, too, and run: specwright diff BASE {quote(path)}"
    )
    report = _not_compared(revision, DOCUMENT_UNTRACKED, message, "as git does not track it")
    return replace(report, facts=(("Base", "unknown"),))


def document_without_base(revision: Document) -> Report:
    """Return the comparison of a document with no commit: its changes are not known."""
    message = (
        "there is nothing to compare with, as the base does not exist: name the branch that the "
        "changes are for, such as --base origin/main"
    )
    return _not_compared(revision, BASE_MISSING, message, "as there is no base")


def _not_compared(revision: Document, rule: ChangeRule, message: str, why: str) -> Report:
    return Report(
        revision.path,
        (Finding(rule, rule.level, Location(revision.path, 1, 1), None, message),),
        rules=(rule.description,),
        command="diff",
        headline=f"not compared, {why}",
    )


def removed_document(path: str, former: Document | None, former_name: str) -> Report:
    """Return the comparison of a removed document.

    Args:
        former: the removed document; None if it cannot be used.
        was: the name of the removed document.
    """
    names = tuple(label(operation) for operation in operations(former)) if former else ()
    count = counted(len(names), "operation")
    finding = Finding(
        DOCUMENT_REMOVED,
        DOCUMENT_REMOVED.level,
        Location(former_name, 1, 1),
        None,
        f"{path} was removed with {count}",
        affected=Affected("", names),
    )
    return Report(
        path,
        (finding,),
        rules=(DOCUMENT_REMOVED.description,),
        command="diff",
        headline=f"1 breaking change in {len(names)} of {count}",
        breaking=1,
    )

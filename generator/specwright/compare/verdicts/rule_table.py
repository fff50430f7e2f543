"""The rules of the review as reports describe them, with their examples and levels."""

from __future__ import annotations

from collections.abc import Mapping

from specwright.compare.verdicts.change_rules import REASONS, Category, ChangeRule
from specwright.compare.verdicts.rule_examples import EXAMPLES
from specwright.compare.verdicts.ways import WAYS
from specwright.findings import Level, RuleDescription

_LEVELS: Mapping[Category, Level] = {
    Category.WIRE: Level.ERROR,
    Category.CLIENT_SOURCE: Level.ERROR,
    Category.SERVER_SOURCE: Level.INFO,
    Category.COMPATIBLE: Level.INFO,
}

RULES: tuple[RuleDescription, ...] = tuple(
    RuleDescription(
        id,
        category,
        why,
        *EXAMPLES[id],
        _LEVELS[category],
        _LEVELS[category],
        instead=WAYS.get(id, ""),
    )
    for category, reasons in REASONS.items()
    for id, why in reasons.items()
)


def _review(id: str, level: Level, why: str) -> RuleDescription:
    return RuleDescription(id, Category.REVIEW, why, "", "", level, level, instead=WAYS.get(id, ""))


SDK_BROKEN = RuleDescription(
    ChangeRule.SDK_BROKEN,
    Category.CLIENT_SOURCE,
    "Code that uses the generated package as it is today fails: a name was removed, or has "
    "another signature. Only `specwright review` finds this, by comparing both packages.",
    "",
    "",
    Level.ERROR,
    Level.ERROR,
    instead=WAYS[ChangeRule.SDK_BROKEN],
)
DOCUMENT_REMOVED = RuleDescription(
    ChangeRule.DOCUMENT_REMOVED,
    Category.WIRE,
    "Clients of all its operations stop working. Only `specwright review` finds this, "
    "for the documents of the project and those of a directory that it is given.",
    "",
    "",
    Level.ERROR,
    Level.ERROR,
    instead=WAYS[ChangeRule.DOCUMENT_REMOVED],
)
UNPROVEN = _review(
    ChangeRule.DIFF_UNPROVEN,
    Level.ERROR,
    "Neither a proof nor a value shows whether the change of a schema breaks clients: it needs a "
    "manual review.",
)
INCOMPLETE = _review(
    ChangeRule.DIFF_INCOMPLETE,
    Level.ERROR,
    "A part of the documents could not be fully compared: it takes too much time or memory, or "
    "is malformed.",
)
INVALID = _review(
    ChangeRule.DIFF_INVALID,
    Level.WARNING,
    "A document that is not valid OpenAPI is compared as far as possible, but its meaning is "
    "not defined.",
)
NOTICE = _review(
    ChangeRule.NOTICE_TOO_SHORT,
    Level.ERROR,
    "A removal is announced with less notice than the project promises (`deprecation_days` in "
    "`lint.toml`), or without a date: clients have less time than they expect.",
)
UNUSED = _review(
    ChangeRule.ACCEPTANCE_UNUSED,
    Level.WARNING,
    "An acceptance that no longer matches a change would hide the next one.",
)
EXPIRED = _review(
    ChangeRule.ACCEPTANCE_EXPIRED,
    Level.WARNING,
    "An acceptance applies until its expiry date; then the change is reported again.",
)
PENDING = _review(
    ChangeRule.ACCEPTANCE_PENDING,
    Level.WARNING,
    "With `--accepted-in-base`, an acceptance applies once it is part of the base, so that the "
    "author of a change does not approve it.",
)
VERSION_TOO_LOW = _review(
    ChangeRule.VERSION_TOO_LOW,
    Level.WARNING,
    "The version of the API is lower than the changes call for (Semantic Versioning; before "
    "1.0.0, the minor version is raised instead of the major one).",
)
VERSION = _review(
    ChangeRule.VERSION_SUGGESTED,
    Level.INFO,
    "The version that the changes call for.",
)
DESCRIPTIONS: tuple[RuleDescription, ...] = (
    *sorted(
        (*RULES, DOCUMENT_REMOVED, SDK_BROKEN),
        key=lambda rule: list(Category).index(Category(rule.category)),
    ),
    UNPROVEN,
    INCOMPLETE,
    INVALID,
    NOTICE,
    UNUSED,
    EXPIRED,
    PENDING,
    VERSION_TOO_LOW,
    VERSION,
)
BY_ID: Mapping[str, RuleDescription] = {rule.id: rule for rule in DESCRIPTIONS}

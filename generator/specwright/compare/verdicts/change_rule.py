"""The records of rules of the review, which stand beside the code that finds the changes.

Those that several places find are here.
"""

from __future__ import annotations

from enum import StrEnum

from specwright.compare.verdicts.example import BODY, OPERATION, Example, example
from specwright.findings import Level, RuleDescription


class ChangeCategory(StrEnum):
    """The category of a rule by the side that a change breaks, the worst first."""

    WIRE = "Changes: break the wire format"
    CLIENT_SOURCE = "Changes: break client source code"
    SERVER_SOURCE = "Changes: require server changes"
    COMPATIBLE = "Changes: compatible"
    REVIEW = "Changes: the review itself"


BREAKING = frozenset((ChangeCategory.WIRE, ChangeCategory.CLIENT_SOURCE))


class ChangeRule(str):
    """A rule of the review; as text, it is the id, as in reports and `review.toml`.

    Args:
        category: the side that the change breaks.
        why: the effect of the change.
        example: documents that show it, with a remedy if the change breaks clients.
        remedy: another way to the same aim, for a change that breaks.
        after_sunset: the rule that applies instead once the announced removal date has passed.
        removes_values: whether it removes values of a list, which are announced one by one.
        level: the level of a rule about the review itself; others follow from the category.
    """

    def __new__(
        cls,
        id: str,
        category: ChangeCategory,
        why: str,
        *,
        example: Example = ("", ""),
        remedy: str = "",
        after_sunset: ChangeRule | None = None,
        removes_values: bool = False,
        level: Level | None = None,
    ) -> ChangeRule:
        """Create a rule with this id."""
        rule = super().__new__(cls, id)
        rule.category, rule.after_sunset = category, after_sunset
        rule.removes_values = removes_values
        rule.level = level or (Level.ERROR if category in BREAKING else Level.INFO)
        rule.description = RuleDescription(
            id, category, why, *example, rule.level, rule.level, instead=remedy
        )
        return rule

    category: ChangeCategory
    after_sunset: ChangeRule | None
    removes_values: bool
    level: Level
    description: RuleDescription


CONTINUE_TO_SEND = "Continue to send it, marked `deprecated`, until the next major version."
CONTINUE_TO_ACCEPT = "Continue to accept it, marked `deprecated`, until the next major version."
KEEP_UNTIL_SUNSET = (
    "Keep it, marked `deprecated` with the removal date (`x-sunset`), and remove it after that "
    "date."
)

ADDED = ChangeRule(
    "added",
    ChangeCategory.COMPATIBLE,
    "Something was added that clients can ignore.",
    example=example(OPERATION, "", "- {name: lang, in: query, schema: {}}"),
)
RELAXED = ChangeRule(
    "relaxed",
    ChangeCategory.COMPATIBLE,
    "Something is no longer required, or is now guaranteed.",
    example=example(BODY, ", required: true", ""),
)
SERIALISATION_CHANGED = ChangeRule(
    "serialisation-changed",
    ChangeCategory.WIRE,
    "The same value is serialised differently, and is parsed as another one.",
    example=example(
        OPERATION,
        "- {name: lang, in: query, schema: {type: array}}",
        "- {name: lang, in: query, schema: {type: array}, style: pipeDelimited}",
        "- {name: lang, in: query, schema: {type: array}, deprecated: true}\n"
        "      - {name: langs, in: query, schema: {type: array}, style: pipeDelimited}",
    ),
    remedy="Add a parameter of another name for the new form, and mark the old one `deprecated`.",
)
DIFF_UNPROVEN = ChangeRule(
    "diff-unproven",
    ChangeCategory.REVIEW,
    (
        "Neither a proof nor a value shows whether the change of a schema breaks clients: it needs "
        "a manual review."
    ),
    remedy=(
        "Review both schemas: change them in smaller steps, or accept the change in `review.toml`."
    ),
    level=Level.ERROR,
)
DIFF_INCOMPLETE = ChangeRule(
    "diff-incomplete",
    ChangeCategory.REVIEW,
    (
        "A part of the documents could not be fully compared: it takes too much time or memory, or "
        "is malformed."
    ),
    remedy="Review both parts: fix any invalid content, or simplify them.",
    level=Level.ERROR,
)
# Only `specwright review` finds these.
SDK_BROKEN = ChangeRule(
    "sdk-broken",
    ChangeCategory.CLIENT_SOURCE,
    (
        "Code that uses the generated package as it is today fails: a name was removed, or has "
        "another signature. Only `specwright review` finds this, by comparing both packages."
    ),
    remedy=("Keep the names in the document: component keys, operationIds and tags."),
)
DOCUMENT_REMOVED = ChangeRule(
    "document-removed",
    ChangeCategory.WIRE,
    (
        "Clients of all its operations stop working. Only `specwright review` finds this, "
        "for the documents of the project and those of a directory that it is given."
    ),
    remedy=(
        "Keep it until all of its operations have been removed as announced, or move it: a moved "
        "document is recognised by its title."
    ),
)
DOCUMENT_UNTRACKED = ChangeRule(
    "document-untracked",
    ChangeCategory.REVIEW,
    (
        "A document that git does not track has no earlier state to compare with, so that no "
        "change of it would ever be found. Only `specwright review` finds this."
    ),
    remedy=(
        "Add it to the commit; or, if CI builds it, build it from the base, too, and compare both "
        "with `specwright diff`."
    ),
    level=Level.WARNING,
)
BASE_MISSING = ChangeRule(
    "base-missing",
    ChangeCategory.REVIEW,
    (
        "The base of a review does not exist: a service of CI names a commit of zeros before the "
        "first push of a branch. Nothing was compared, so that no change was found. Only "
        "`specwright review` finds this, in a clone without the default branch of its remote."
    ),
    remedy="Name the branch that the changes are for, such as `--base origin/main`.",
    level=Level.WARNING,
)
DIFF_INVALID = ChangeRule(
    "diff-invalid",
    ChangeCategory.REVIEW,
    (
        "A document that is not valid OpenAPI is compared as far as possible, but its meaning is "
        "not defined."
    ),
    level=Level.WARNING,
)

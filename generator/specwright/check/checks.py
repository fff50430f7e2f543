"""All checks of one document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from specwright.check.context import LintContext
from specwright.check.lint.rule import LintRule, LintViolation
from specwright.check.lint.table import RULES
from specwright.config import Renames
from specwright.document.model import Document
from specwright.findings import Finding, Level, Report, RuleDescription, in_order, values_of
from specwright.internal_errors import INTERNAL_ERROR
from specwright.isolation import Stopped, TaskLimits, isolated
from specwright.pointer import Pointer
from specwright.policy import WAIVER_EXPIRED, WAIVER_UNUSED, Settings, Waivers, places_of
from specwright.report.error_report import UNUSABLE
from specwright.text import shorten

# Rules about the run itself; no document can break these.
INCOMPLETE = RuleDescription(
    "check-incomplete",
    "Checks",
    "A rule could not be completed, so its findings are unknown: it takes more time or memory than "
    "any document should, or the document breaks one of its assumptions.",
    "",
    "",
    Level.WARNING,
    Level.WARNING,
)
LEFT_OUT = RuleDescription(
    "left-out",
    "Checks",
    "`generate` makes code of every part that can be read. Parts that break the specification are "
    "left out, with as much around them as the rest needs to be valid; `validate` reports every "
    "mistake.",
    "",
    "",
    Level.WARNING,
    Level.WARNING,
)
DESCRIPTIONS: tuple[RuleDescription, ...] = (
    *RULES,
    INCOMPLETE,
    WAIVER_UNUSED,
    WAIVER_EXPIRED,
    LEFT_OUT,
    INTERNAL_ERROR,
    UNUSABLE,
)

# Three times the need of large documents in use (docs/decisions/0051).
SECONDS = 8.0
SECONDS_PER_OBJECT = 0.0002
MEMORY = 768 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Examination:
    """The findings of rules in a document, before any settings grade them.

    Attributes:
        document: the document, upgraded.
        findings: the findings of each rule that was applied, by rule id.
        short_method_names, names: the settings that decide which names clash.
    """

    document: Document
    findings: Mapping[str, Sequence[Finding]]
    short_method_names: bool
    names: Renames

    def covers(self, settings: Settings) -> bool:
        """Return whether every rule that the settings ask for was applied, under the same names."""
        named = (settings.short_method_names, settings.names)
        return named == (self.short_method_names, self.names) and all(
            rule.id in self.findings for rule in _chosen(settings)
        )

    def report(self, settings: Settings) -> Report:
        """Grade the findings of the rules that are not off; set waived ones aside.

        Args:
            settings: settings that the examination covers.
        """
        graded = (
            finding
            if finding.rule == INCOMPLETE.id
            else replace(finding, level=settings.level(rule, places_of(finding.pointer)))
            for rule in _chosen(settings)
            for finding in self.findings[rule.id]
        )
        findings = (finding for finding in graded if finding.level is not Level.OFF)
        return _waive(self.document, in_order(findings), settings)


def check(document: Document, settings: Settings) -> Report:
    """Apply every rule that is not off to an upgraded document; set waived findings aside."""
    return examine(document, settings).report(settings)


def examine(document: Document, *settings: Settings) -> Examination:
    """Apply every rule that any of the settings asks for to an upgraded document, once.

    Args:
        settings: at least one; all have the same `short_method_names` and `names`.
    """
    short_names, names = settings[0].short_method_names, settings[0].names
    context = LintContext(document, short_names=short_names, names=names)
    chosen = {rule.id for setting in settings for rule in _chosen(setting)}
    rules = [rule for rule in RULES if rule.id in chosen]
    outcomes = isolated([partial(_apply, rule, context) for rule in rules], _limits(context))
    findings_by_rule = {
        rule.id: [_incomplete(context, rule, f"'{rule.id}' stopped: {outcome}")]
        if isinstance(outcome, Stopped)
        else outcome
        for rule, outcome in zip(rules, outcomes, strict=True)
    }
    return Examination(document, findings_by_rule, short_names, names)


def _chosen(settings: Settings) -> list[LintRule]:
    """Return the rules that are not off everywhere."""
    return [rule for rule in RULES if settings.enables(rule)]


def _limits(context: LintContext) -> TaskLimits:
    return TaskLimits(SECONDS + len(context.nodes) * SECONDS_PER_OBJECT, MEMORY)


def _apply(rule: LintRule, context: LintContext) -> list[Finding]:
    findings: list[Finding] = []
    try:
        findings.extend(
            _each_once(_finding(context.document, rule, v) for v in rule.check(context))
        )
    except MemoryError:
        # Nothing more can be done in this process.
        raise
    # A document of invalid shape can break any assumption; the official schema has reported it.
    except Exception as error:
        reason = f"'{rule.id}' stopped: {type(error).__name__}: {error}"
        findings.append(_incomplete(context, rule, reason))
    return findings


def _finding(document: Document, rule: LintRule, violation: LintViolation) -> Finding:
    if violation.is_written:
        written, upgraded = violation.pointer, document.moves.after(violation.pointer)
        place = document.original.locate(written)
    else:
        written, upgraded = document.as_written(violation.pointer), (violation.pointer,)
        upgraded += violation.concerned
        place = document.locate(violation.pointer)
    return Finding(
        rule.id,
        rule.recommended,
        place,
        written,
        violation.message,
        values=violation.values,
        upgraded=upgraded,
    )


def _each_once(findings: Iterable[Finding]) -> Iterable[Finding]:
    """Join findings about one place that the upgrade has copied to several."""
    joined: dict[Finding, list[Pointer]] = {}
    for finding in findings:
        joined.setdefault(replace(finding, upgraded=()), []).extend(finding.upgraded)
    return (replace(finding, upgraded=tuple(places)) for finding, places in joined.items())


def _incomplete(context: LintContext, rule: LintRule, reason: str) -> Finding:
    start, values = context.document.locate(""), values_of(rule.id)
    return Finding(INCOMPLETE.id, INCOMPLETE.recommended, start, "", shorten(reason), values=values)


def _waive(document: Document, findings: tuple[Finding, ...], settings: Settings) -> Report:
    kept: list[Finding] = []
    waived: list[Finding] = []
    waivers = Waivers(settings, {rule.id for rule in DESCRIPTIONS})
    for finding in findings:
        reason = waivers.reason(finding.rule, places_of(finding.pointer))
        if reason is None:
            kept.append(finding)
        else:
            waived.append(replace(finding, waived=reason))
    kept.extend(waivers.findings())
    return Report(
        document.path,
        in_order(kept),
        tuple(waived),
        DESCRIPTIONS,
        document.line,
        command="validate",
    )

"""All checks of one document."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from specwright.check.lint.rule import Rule
from specwright.check.lint.table import RULES
from specwright.check.settings import Profile, Settings, Waiver
from specwright.check.subject import Subject
from specwright.document.model import Document
from specwright.document.upgrade import upgrade
from specwright.findings import Finding, Level, Report, RuleDescription, in_order

# What the run itself has to say; no document can break these.
INCOMPLETE = RuleDescription(
    "check-incomplete",
    "Checks",
    "A rule could not be applied to the end, so what it would have found is not known. On a "
    "document that the official schema accepts, that is a bug of ours.",
    "",
    "",
    Level.WARNING,
    Level.WARNING,
)
UNUSED = RuleDescription(
    "waiver-unused",
    "Checks",
    "A waiver that no finding needs any more would hide the next one.",
    "",
    "",
    Level.WARNING,
    Level.ERROR,
)
DESCRIPTIONS: tuple[RuleDescription, ...] = (*RULES, INCOMPLETE, UNUSED)


def check(document: Document, settings: Settings) -> Report:
    """Apply every rule that is not off; set aside what the project accepts."""
    subject = Subject(upgrade(document), short_names=settings.short_method_names)
    findings: list[Finding] = []
    for rule in RULES:
        level = settings.levels.get(rule.id, rule.level(settings.profile))
        if level is not Level.OFF:
            findings.extend(_apply(rule, level, subject))
    start = document.locate("")
    findings.extend(
        Finding(INCOMPLETE.id, INCOMPLETE.recommended, start, "", reason)
        for reason in subject.unfinished
    )
    return _waive(document, in_order(findings), settings)


def _apply(rule: Rule, level: Level, subject: Subject) -> Iterator[Finding]:
    try:
        for pointer, message in rule.check(subject):
            yield Finding(rule.id, level, subject.document.locate(pointer), pointer, message)
    # A document of the wrong shape can break any assumption; the official schema has said so.
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        subject.unfinished.append(f"'{rule.id}' stopped: {type(error).__name__}: {error}"[:200])


def _waive(document: Document, findings: tuple[Finding, ...], settings: Settings) -> Report:
    kept: list[Finding] = []
    waived: list[Finding] = []
    unused = dict.fromkeys(settings.waivers)
    for finding in findings:
        waiver = next((each for each in settings.waivers if each.covers(finding)), None)
        if waiver is None:
            kept.append(finding)
        else:
            waived.append(replace(finding, waived=waiver.reason))
            unused.pop(waiver, None)
    kept.extend(_unused(waiver, settings.profile) for waiver in unused)
    return Report(document.path, in_order(kept), tuple(waived), DESCRIPTIONS, document.line)


def _unused(waiver: Waiver, profile: Profile) -> Finding:
    level = UNUSED.strict if profile is Profile.STRICT else UNUSED.recommended
    message = f"nothing is left of '{waiver.rule}' at '{waiver.where}': remove the waiver"
    return Finding(UNUSED.id, level, waiver.location, waiver.where, message)

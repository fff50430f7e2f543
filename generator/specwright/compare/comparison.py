"""The changes from one document to another, as a report."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import TypeVar

from specwright.compare.document.components import unused_schemas
from specwright.compare.document.contents import SharedSchema
from specwright.compare.document.lifecycle import UNSTABLE_CHANGED, is_unstable
from specwright.compare.document.operations import (
    OperationPair,
    label,
    operation_changes,
    pair_operations,
)
from specwright.compare.document.pairing import pairs_by_key, parameters_by_key
from specwright.compare.document.security import Security
from specwright.compare.document.servers import MovedPrefixes, moved_prefixes, server_changes
from specwright.compare.proofs.containment import StepOutcome, StepVerdict
from specwright.compare.proofs.judgements import judgements
from specwright.compare.schemas.annotations import annotation_changes
from specwright.compare.schemas.equality import Sameness
from specwright.compare.schemas.steps import SCHEMA_COMPATIBLE, UnprovenStep
from specwright.compare.schemas.text_parsing import TEXT_TYPE_CHANGED
from specwright.compare.schemas.walk import MOST_PAIRS, Difference, Walk
from specwright.compare.table import BY_ID, DESCRIPTIONS
from specwright.compare.verdicts.acceptances import Acceptance, apply
from specwright.compare.verdicts.announcements import short_notice, with_sunset_rule
from specwright.compare.verdicts.change import Change
from specwright.compare.verdicts.change_rule import (
    BREAKING,
    DIFF_INCOMPLETE,
    DIFF_UNPROVEN,
    SDK_BROKEN,
)
from specwright.compare.verdicts.declarations import declaration_changes
from specwright.compare.verdicts.version import version_verdict
from specwright.document.model import Document
from specwright.document.operations.descriptions import beside
from specwright.document.operations.sites import Direction, Site
from specwright.document.operations.sites import operations as operations_of
from specwright.document.schemas.discriminators import Discriminators
from specwright.errors import InputError, Location
from specwright.findings import Affected, Finding, Level, Report, in_order, values_of, worst_first
from specwright.pointer import Pointer
from specwright.policy import Settings, places_of
from specwright.report.wording import counted
from specwright.samples.sides import Side
from specwright.vocabulary.keyword import Place

# The base URIs of both documents in proofs.
_BASE, _REVISION = "base:/", "revision:/"

T = TypeVar("T")
_DEFAULTS = Settings()
# Each change with the operations that it affects, in the order of discovery.
_Affected = dict[Change, dict[str, None]]


def compare(
    base: Document,
    revision: Document,
    acceptances: Sequence[Acceptance] = (),
    *,
    today: date,
    others: Sequence[tuple[Finding, Sequence[str]]] = (),
    settings: Settings = _DEFAULTS,
    prefixes: Sequence[str] = (),
) -> Report:
    """Review the change from one upgraded document to another.

    Args:
        settings: the rule levels of the project, and its notice period for removals.
        prefixes: path prefixes to ignore when operations are paired, such as `/v1`.
        others: findings about the change from elsewhere, each with the names that an acceptance
            may use for it.
    """
    review = _Review((base, revision), today, settings.notice, prefixes)
    review.run()
    findings = [
        (_with_level(finding, operations, settings), operations)
        for finding, operations in (*review.findings(), *others)
    ]
    enabled = [entry for entry in findings if entry[0].level is not Level.OFF]
    changes = [finding for finding, _ in enabled]
    remaining, accepted = apply(acceptances, enabled, today)
    version = None
    if base.data != revision.data:
        version = version_verdict(base, revision, [BY_ID[finding.rule] for finding in changes])
        remaining.append(_with_level(version.finding, (), settings))
    return Report(
        revision.path,
        worst_first(finding for finding in remaining if finding.level is not Level.OFF),
        in_order(accepted),
        DESCRIPTIONS,
        lambda location: revision.line(location) or base.line(location),
        (("Version", version.short),) if version else (),
        command="diff",
        headline=_headline(base, changes, remaining),
        breaking=sum(map(_breaks, changes)),
        version=version.least if version else "",
        unchecked=tuple(_unchecked(remaining)),
    )


def _with_level(finding: Finding, operations: Sequence[str], settings: Settings) -> Finding:
    places = (*places_of(finding.pointer), *operations)
    return replace(finding, level=settings.level(BY_ID[finding.rule].description, places))


_UNKNOWN = (DIFF_UNPROVEN, DIFF_INCOMPLETE)


def _headline(base: Document, findings: Sequence[Finding], remaining: Sequence[Finding]) -> str:
    """Return a summary: the number of breaking changes, and of the base operations they affect."""
    breaking = [finding for finding in findings if finding.affected and _breaks(finding)]
    unknown = [finding for finding in remaining if finding.rule in _UNKNOWN]
    names = [finding for finding in findings if finding.rule == SDK_BROKEN]
    words = []
    if breaking or unknown:
        changes = [counted(len(breaking), "breaking change")] if breaking else []
        changes += [f"{counted(len(unknown), 'change')} that may break"] if unknown else []
        words.append(f"{' and '.join(changes)} in {_affected_count(base, (*breaking, *unknown))}")
    if names:
        words.append(f"{counted(len(names), 'broken name')} in the generated package")
    if not words:
        words.append(f"no breaking changes in {counted(len(_labels(base)), 'operation')}")
    count = sum(map(_breaks, findings)) - sum(map(_breaks, remaining))
    return ", ".join(words) + (f" ({count} accepted)" if count else "")


def _unchecked(findings: Sequence[Finding]) -> Iterator[str]:
    counts = Counter(finding.rule for finding in findings)
    if count := counts[DIFF_UNPROVEN]:
        yield f"{counted(count, 'change')} that no proof decides"
    if count := counts[DIFF_INCOMPLETE]:
        yield f"{counted(count, 'part')} too large or malformed to compare"


def _affected_count(base: Document, findings: Sequence[Finding]) -> str:
    labels = _labels(base)
    affected = {
        name for finding in findings if finding.affected for name in finding.affected.operations
    }
    return f"{len(labels & affected)} of {counted(len(labels), 'operation')}"


def _labels(document: Document) -> set[str]:
    return {label(site) for site in operations_of(document)}


def _breaks(finding: Finding) -> bool:
    return BY_ID[finding.rule].category in BREAKING


@dataclass(slots=True)
class _Review:
    documents: tuple[Document, Document]
    today: date
    notice: timedelta | None
    prefixes: Sequence[str]
    affected: _Affected = field(default_factory=lambda: defaultdict(dict))
    counterexamples: dict[Change, str] = field(default_factory=dict)
    unstable: set[str] = field(default_factory=set)
    moved: MovedPrefixes = field(init=False)

    def run(self) -> None:
        base, revision = self.documents
        self.moved = moved_prefixes(base, revision)
        pairs, others = pair_operations(base, revision, self.prefixes, self.moved)
        self.unstable |= {
            label(operation) for operation in operations_of(base) if is_unstable(operation)
        }
        self.unstable |= {pair.name for pair in pairs if is_unstable(pair.base)}
        if others and not pairs and _title(base) != _title(revision):
            raise InputError(
                f"'{base.path}' and '{revision.path}' have no operations in common",
                Location(revision.path, 1, 1),
                "compare two versions of the same API",
            )
        for name, change in others:
            self._add(change, name)
        sides = Side(base, _BASE), Side(revision, _REVISION)
        discriminators = Discriminators(base), Discriminators(revision)
        walk = Walk(sides, discriminators, Sameness(self.documents, discriminators))
        security = Security((base, revision))
        operations: defaultdict[Difference, dict[str, None]] = defaultdict(dict)
        for pair in pairs:
            results = self._compare(pair, walk, security)
            for result in _catch_malformed(pair.name, pair.revision.pointer, results):
                if isinstance(result, Change):
                    self._add(result, pair.name)
                else:
                    operations[result][pair.name] = None
        for name, schema in unused_schemas(*discriminators):
            for difference in walk.compare(schema.base, schema.revision, schema.transfer):
                operations[difference].setdefault(f"no operation: the component {name}")
        changes = _document_changes(base, revision, security, self.moved)
        for change in _catch_malformed("the document", "", changes):
            self._add(change)
        if not walk.is_complete:
            message = f"more than {MOST_PAIRS:,} schemas differ"
            self._add(Change(DIFF_INCOMPLETE, "", "", message, ()))
        self._judge(walk, operations)

    def _compare(
        self, pair: OperationPair, walk: Walk, security: Security
    ) -> Iterator[Change | Difference]:
        yield from security.changes(pair.base, pair.revision)
        yield from _operation_declarations(self.documents, pair)
        for result in operation_changes(self.documents, pair, self.moved):
            if isinstance(result, SharedSchema):
                yield from walk.compare(result.base, result.revision, result.transfer)
            else:
                yield result

    def _judge(self, walk: Walk, operations: Mapping[Difference, Iterable[str]]) -> None:
        """Add the changes of schema pairs, judged by proofs in a separate process."""
        for difference, names in operations.items():
            for decided in (*difference.decided, *annotation_changes(difference.pair)):
                at = decided.base, decided.revision
                change = Change(decided.rule, *at, decided.message, decided.values)
                self._add(change, *names)
        judged = judgements(walk, list(operations))
        for difference, names in operations.items():
            for step, verdict in zip(difference.unproven, judged.get(difference, ()), strict=True):
                is_same = verdict.outcome is StepOutcome.SAME
                if not is_same or step.otherwise is not SCHEMA_COMPATIBLE:
                    self._add(_change(step, verdict), *names)
        self._join_unproven()

    def _add(self, change: Change, *operations: str) -> None:
        change = with_sunset_rule(change, self.documents, self.today)
        late = short_notice(change, self.documents[1], self.today, self.notice)
        for affected_change in (change, *late):
            # A schema that is a part of several may break each of them by another value.
            key = replace(affected_change, counterexample=None)
            self.affected[key].update(dict.fromkeys(operations))
            if affected_change.counterexample is not None:
                self.counterexamples.setdefault(key, affected_change.counterexample)

    def _join_unproven(self) -> None:
        """Join a step that is proven for one schema and not for another that it is a part of."""
        proven = {
            replace(change, rule=DIFF_UNPROVEN, message="", values=_unproven(change)): change
            for change in self.affected
        }
        for change in [change for change in self.affected if change.rule is DIFF_UNPROVEN]:
            known = proven.get(replace(change, message=""))
            if known is not None:
                self.affected[known].update(self.affected.pop(change))

    def findings(self) -> list[tuple[Finding, list[str]]]:
        """Return the findings with their operations, and join those about copies of one place."""
        joined: dict[Finding, Finding] = {}
        for change, names in self.affected.items():
            finding = self._finding(change, list(names))
            key = replace(finding, affected=None, counterexample=None, upgraded=())
            joined[key] = _joined(joined[key], finding) if key in joined else finding
        return [(finding, list(finding.operations)) for finding in joined.values()]

    def _finding(self, change: Change, operations: list[str]) -> Finding:
        base, revision = self.documents
        counterexample = self.counterexamples.get(change)
        if operations and self.unstable.issuperset(operations) and _may_break(change):
            words = f"{change.message} ({change.rule})"
            values = (*values_of(change.rule), *change.values)
            change = replace(change, rule=UNSTABLE_CHANGED, message=words, values=values)
        return Finding(
            change.rule,
            change.rule.level,
            revision.locate(change.revision),
            revision.as_written(change.revision),
            change.message,
            None if change.base is None else base.locate(change.base),
            counterexample=counterexample,
            related_pointer=None if change.base is None else base.as_written(change.base),
            values=change.values,
            affected=Affected(self._subject(change), tuple(operations)),
            upgraded=(change.revision,),
        )

    def _subject(self, change: Change) -> str:
        """Return the part that a change is about; empty if it is all, or the message names it."""
        document, pointer = self.documents[1], change.revision
        if change.base is not None and not document.has(pointer):
            document, pointer = self.documents[0], change.base
        return beside(change.message, pointer, document)


def _joined(first: Finding, other: Finding) -> Finding:
    """Return one finding for a change in two copies of a place, such as a shared path item."""
    operations = dict.fromkeys((*first.operations, *other.operations))
    return replace(
        first,
        affected=Affected(first.affected.subject if first.affected else "", tuple(operations)),
        counterexample=first.counterexample or other.counterexample,
        upgraded=(*first.upgraded, *other.upgraded),
    )


def _may_break(change: Change) -> bool:
    return change.rule.category in BREAKING or change.rule is DIFF_UNPROVEN


def _catch_malformed(what: str, at: Pointer, results: Iterator[T]) -> Iterator[T | Change]:
    """Yield the results, and report an incomplete comparison if a malformed document stops it."""
    try:
        yield from results
    except (TypeError, AttributeError, ValueError, KeyError, IndexError) as error:
        message = f"{what} was not fully compared: {type(error).__name__}: {error}"
        yield Change(DIFF_INCOMPLETE, None, at, message, values_of(what))


def _document_changes(
    base: Document, revision: Document, security: Security, moved: MovedPrefixes
) -> Iterator[Change]:
    yield from security.scheme_changes()
    roots = Site("", base.data), Site("", revision.data)
    yield from declaration_changes(*roots, Place.DOCUMENT)
    yield from server_changes(base, revision, moved)


def _operation_declarations(
    documents: tuple[Document, Document], pair: OperationPair
) -> Iterator[Change]:
    place = Place.OPERATION if pair.base.direction is Direction.PATH else Place.WEBHOOK
    yield from declaration_changes(pair.base, pair.revision, place)
    parameters = (
        parameters_by_key(document, operation)
        for document, operation in zip(documents, (pair.base, pair.revision), strict=True)
    )
    for _, old, new in pairs_by_key(*parameters):
        if old is not None and new is not None:
            yield from declaration_changes(old, new, Place.PARAMETER)


def _change(step: UnprovenStep, verdict: StepVerdict) -> Change:
    rule, message, values = step.rule, step.message, step.values
    match verdict.outcome:
        case StepOutcome.SAFE | StepOutcome.SAME:
            rule = step.otherwise
        case StepOutcome.ACCEPTED_AS_TEXT:
            rule = TEXT_TYPE_CHANGED
        case StepOutcome.UNPROVEN:
            message = f"{message} ({step.rule} is not proven{verdict.reason})"
            rule, values = DIFF_UNPROVEN, _unproven(step)
    return Change(rule, step.base, step.revision, message, values, verdict.counterexample)


def _unproven(step: UnprovenStep | Change) -> tuple[str, ...]:
    """Return the values of an unproven change, which include its rule."""
    return (*values_of(step.rule), *step.values)


def _title(document: Document) -> object:
    info = document.data.get("info")
    return info.get("title") if isinstance(info, dict) else None

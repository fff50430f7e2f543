"""The redaction of known secrets in reports."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from urllib.parse import quote, quote_plus

from specwright.errors import Location
from specwright.findings import Affected, Evidence, Finding, Occurrence, Report, Table

Json = Mapping[str, "Json"] | Sequence["Json"] | str | int | float | bool | None

REDACTED = "[redacted]"
# Characters that URL encoders leave as they are, apart from letters and digits: none, "/", or
# those that RFC 3986 allows in a path segment or a query.
_SAFE = ("", "/", "!$&'()*+,;=:@", "!$&'()*+,;=:@/?")
# A shorter piece of Base64 would match by chance.
_SHORTEST_PIECE = 8
_WORD = re.compile(r"[A-Za-z0-9]+")


class Redaction:
    """A replacement of secrets by `[redacted]`, in any of their encodings.

    It finds a secret as it is, percent-encoded, escaped as in JSON, and as Base64, also within
    the Base64 of a longer text, such as that of an `Authorization` header. Each form is one
    linear search.

    There may be thousands of `values`, which are not credentials: they are not found in Base64. A
    text is searched only for those with their rarest word in it.
    """

    __slots__ = ("_forms", "_known", "_of_word")

    def __init__(self, secrets: Iterable[str], values: Iterable[str] = ()) -> None:
        self._forms = {form for secret in secrets for form in _forms(secret) if form}
        self._of_word: dict[str, set[str]] = {}
        # The traffic of a run repeats most of its texts, such as names of members, often.
        self._known: dict[str, str] = {}
        inner = {form: _inner_words(form) for value in values for form in _text_encodings(value)}
        common = Counter(word for words in inner.values() for word in words)
        for form, words in inner.items():
            if words:
                rarest = min(words, key=lambda word: (common[word], word))
                self._of_word.setdefault(rarest, set()).add(form)
            elif form:
                self._forms.add(form)

    def __repr__(self) -> str:
        return f"Redaction({len(self._forms)} forms)"

    def text(self, text: str) -> str:
        """Return the text without secrets."""
        if text not in self._known:
            self._known[text] = self._without_secrets(text)
        return self._known[text]

    def _without_secrets(self, text: str) -> str:
        forms = set(self._forms)
        for word in self._of_word.keys() & set(_WORD.findall(text)):
            forms |= self._of_word[word]
        # A form may be a part of another one.
        for form in sorted(forms, key=lambda form: (-len(form), form)):
            text = text.replace(form, REDACTED)
        return text

    def value(self, value: Json) -> Json:
        """Return the JSON value without secrets, including the names of members."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.text(name): self.value(member) for name, member in value.items()}
        if isinstance(value, Sequence):
            return [self.value(item) for item in value]
        # A number may be a secret as well.
        text = json.dumps(value)
        return value if self.text(text) == text else REDACTED

    def report(self, report: Report) -> Report:
        """Return the report without secrets; its rules are texts of the project."""

        @cache
        def of_file(file: str, number: int) -> str | None:
            return self._optional(report.line(Location(file, number, 1)))

        # A whole document may be one line with hundreds of findings.
        def line(location: Location) -> str | None:
            return of_file(location.file, location.line)

        return replace(
            report,
            document=self.text(report.document),
            headline=self.text(report.headline),
            findings=tuple(map(self._finding, report.findings)),
            waived=tuple(map(self._finding, report.waived)),
            line=line,
            unchecked=tuple(map(self.text, report.unchecked)),
            facts=tuple((self.text(label), self.text(value)) for label, value in report.facts),
            tables=tuple(map(self._table, report.tables)),
            operation_summaries=tuple(
                replace(
                    summary,
                    operation=self.text(summary.operation),
                    outcome=self.text(summary.outcome),
                    hint=self.text(summary.hint),
                    evidence=self._evidence(summary.evidence),
                )
                for summary in report.operation_summaries
            ),
            rule_runs=tuple(
                replace(run, subject=self.text(run.subject), skipped=self.text(run.skipped))
                for run in report.rule_runs
            ),
        )

    def _finding(self, finding: Finding) -> Finding:
        return replace(
            finding,
            location=self._location(finding.location),
            pointer=self._optional(finding.pointer),
            message=self.text(finding.message),
            related=self._location(finding.related) if finding.related else None,
            evidence=self._evidence(finding.evidence),
            counterexample=self._json(finding.counterexample),
            waived=self._optional(finding.waived),
            related_pointer=self._optional(finding.related_pointer),
            affected=self._affected(finding.affected),
            cause=self.text(finding.cause),
            occurrences=tuple(map(self._occurrence, finding.occurrences)),
        )

    def _occurrence(self, occurrence: Occurrence) -> Occurrence:
        return replace(
            occurrence,
            operation=self.text(occurrence.operation),
            location=self._location(occurrence.location),
            pointer=self.text(occurrence.pointer),
            message=self.text(occurrence.message),
            evidence=self._evidence(occurrence.evidence),
        )

    def _evidence(self, evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
        return tuple(
            Evidence(
                self.text(item.label),
                self.text(item.text),
                None if item.http is None else item.http.with_texts(self.text),
            )
            for item in evidence
        )

    def _affected(self, affected: Affected | None) -> Affected | None:
        if affected is None:
            return None
        operations = tuple(map(self.text, affected.operations))
        return Affected(self.text(affected.subject), operations)

    def _json(self, text: str | None) -> str | None:
        if text is None or self.text(text) == text:
            return text
        return json.dumps(self.value(json.loads(text)))

    def _optional(self, text: str | None) -> str | None:
        return None if text is None else self.text(text)

    def _location(self, location: Location) -> Location:
        return replace(location, file=self.text(location.file))

    def _table(self, table: Table) -> Table:
        return replace(
            table,
            title=self.text(table.title),
            columns=tuple(map(self.text, table.columns)),
            rows=tuple(tuple(map(self.text, row)) for row in table.rows),
            note=self.text(table.note),
        )


def _inner_words(text: str) -> set[str]:
    """Return the words that remain whole words inside any other text."""
    return {match[0] for match in _WORD.finditer(text) if match.start() and match.end() < len(text)}


def _text_encodings(secret: str) -> Iterator[str]:
    octets = secret.encode("utf-8", "surrogatepass")
    yield secret
    for encoded in (quote_plus(octets), *(quote(octets, safe=safe) for safe in _SAFE)):
        yield encoded
        yield re.sub("%..", lambda escape: escape[0].lower(), encoded)
    for escaped in (json.dumps(secret), json.dumps(secret, ensure_ascii=False)):
        yield escaped[1:-1]
        yield escaped[1:-1].replace("/", "\\/")


def _forms(secret: str) -> Iterator[str]:
    octets = secret.encode("utf-8", "surrogatepass")
    yield from _text_encodings(secret)
    for alphabet in (b"+/", b"-_"):
        yield b64encode(octets, alphabet).decode().rstrip("=")
        for before in range(3):
            yield from _within_base64(octets, before, alphabet)


def _within_base64(octets: bytes, before: int, alphabet: bytes) -> Iterator[str]:
    """Yield the part of Base64 that depends only on the octets, with `before` others in front."""
    encoded = b64encode(bytes(before) + octets, alphabet).decode()
    piece = encoded[-(-before * 8 // 6) : (before + len(octets)) * 8 // 6]
    if len(piece) >= _SHORTEST_PIECE:
        yield piece

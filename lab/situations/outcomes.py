"""The behaviour of each library: saved as JSON, rendered as docs/sdk-situations.md."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lab.benchmarks.measurement import OURS
from lab.measured import records
from lab.situations.table import GROUPS, NOT_OFFERED, SITUATIONS, Rule, Situation

KEPT = Path(__file__).with_name("outcomes.json")

HEAD = """\
# Situations

How this SDK handles failures and changes, next to {peers}. Every cell was measured \
{measured}: each library talks to a \
server on loopback that misbehaves as the row says, in a process of its own; what \
it did is the word in the cell. Nothing is taken from its documentation. A note in brackets \
is for people, the verdict does not depend on it.

The SDK is the one in `generated/`, made from the contract of the reference service. That contract \
requires every member of its responses, so the rows on optional members, enums and limits use the \
SDK of the bicycles in `tests/golden/bicycle_rental`. openapi-python-client generates both from \
the same documents. Retries are set to two where a row is about them, and to none elsewhere.

**Better** is a row in which no peer does as well, **equal** one in which none does better, \
**worse** one in which some peer does better. The order of outcomes is a rule of each row in \
`lab/situations/table.py`; "{not_offered}" does not compete. Two signatures are worse by \
the contract: it has receivers reject a header of any other form, and secrets are rotated by \
giving `webhooks.parse` both.

`nox -s situations` measures all of them again, `nox -s situations -- NAME` some, and \
`nox -s derive` makes this page from `lab/situations/outcomes.json`.

"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A word that the rule of the situation ranks, and a note for people only."""

    word: str
    note: str = ""

    def __str__(self) -> str:
        note = self.note.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")
        return f"{self.word} ({note})" if note else self.word


Row = Mapping[str, Outcome]


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The outcomes by situation and subject, and the version of each peer."""

    labels: Mapping[str, str]
    rows: Mapping[str, Row]

    def verdict(self, name: str) -> str:
        """Return better, equal or worse."""
        return verdict(SITUATIONS[name].rule, self.rows[name])

    def save(self) -> None:
        """Save the outcomes in the order of the table."""
        rows = {
            name: {
                subject: [self.rows[name][subject].word, self.rows[name][subject].note]
                for subject in self.labels
            }
            for name in SITUATIONS
            if name in self.rows
        }
        kept = {"labels": self.labels, "rows": rows}
        KEPT.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", "utf-8")


def load() -> Outcomes:
    """Return the saved outcomes."""
    if not KEPT.exists():
        return Outcomes({}, {})
    kept = json.loads(KEPT.read_text("utf-8"))
    rows = {
        name: {subject: Outcome(*each) for subject, each in row.items()}
        for name, row in kept["rows"].items()
    }
    return Outcomes(kept["labels"], rows)


def verdict(rule: Rule, row: Row) -> str:
    """Compare our outcome with those of the peers that offer the feature."""
    ours = row[OURS].word
    peers = {
        subject: each.word
        for subject, each in row.items()
        if subject != OURS and each.word != NOT_OFFERED
    }
    if ours == NOT_OFFERED:
        return "worse" if peers else "equal"
    if any(rule.is_better(word, ours) for word in peers.values()):
        return "worse"
    return "better" if all(rule.is_better(ours, word) for word in peers.values()) else "equal"


def render() -> str:
    """Return the page."""
    outcomes = load()
    *others, last = [label for subject, label in outcomes.labels.items() if subject != OURS]
    lines = [
        HEAD.format(
            measured=records.words("situations"),
            peers=f"{', '.join(others)} and {last}",
            not_offered=NOT_OFFERED,
        )
    ]
    counts = dict.fromkeys(("better", "equal", "worse"), 0)
    for name in outcomes.rows:
        counts[outcomes.verdict(name)] += 1
    summary = ", ".join(f"{count} {word}" for word, count in counts.items())
    lines.append(f"{len(outcomes.rows)} situations: {summary}.\n\n")
    head = ["Situation", *outcomes.labels.values(), "Verdict"]
    for group in GROUPS:
        lines.append(f"## {group.title}\n\n| {' | '.join(head)} |\n|{'---|' * len(head)}\n")
        lines += [
            _line(situation, outcomes)
            for situation in group.situations
            if situation.name in outcomes.rows
        ]
        lines.append("\n")
    return "".join(lines).rstrip() + "\n"


def _line(situation: Situation, outcomes: Outcomes) -> str:
    row = outcomes.rows[situation.name]
    cells = [str(row[subject]) for subject in outcomes.labels]
    words = [situation.text, *cells, f"**{outcomes.verdict(situation.name)}**"]
    return f"| {' | '.join(words)} |\n"

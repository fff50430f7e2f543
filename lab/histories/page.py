"""The outcomes as a Markdown page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from lab.histories.outcomes import Outcome
from lab.histories.versions import History
from lab.measured import records

HEAD = """\
# The review on histories of others

Written by `nox -s histories` {measured}; do not edit. \
`specwright diff` compared each version of a document \
with the one before it, in repositories that have nothing to do with this one. \
`lab/histories/repositories.txt` lists repository, path and last commit; the documents are \
not here.
"""
# The conclusions from reading the findings of the run of 2026-11-22 by hand.
READ = """\
## Read by hand

The errors were read by rule and cause, 700 of them one by one; of the findings at the level info \
a sample of 110; and the raw difference of each pair without a finding.

- **Fixed, as it was no break**: a path parameter that the path had before it was declared (2), \
`format: binary` in a document that went from 3.1 to 3.0 (4), the first tag written in other \
letters, which makes the same group (61).
- **Fixed, as it was known better**: a property more of a closed object, and limits of inner \
parts, were `diff-unproven` (3) for want of a value that shows them.
- **Fixed in words**: a parameter called by its place in the path, `enum changed` for a constant, \
an alternative that a union gains and loses by the same name, two findings for one format (5).
- **True, and more than one finding for one edit**: an object with named properties that becomes a \
map (4 and 5 findings), and a document that is rewritten by another tool, as in ComfyUI, where \
each difference counts.
- **True by the letter**: a default that is declared where none was (29); servers may have had it \
all along.
- **Not decided**: a schema on another machine that moved (4), which is not fetched.
- **No finding**: 32 pairs, of which 29 differ in words, and the others in a component that \
nothing uses, a security scheme of another name, and a server that a path repeats.
"""
_LEVELS = ("error", "warning", "info")
# Findings about the run, not about a change.
_ABOUT_THE_VERSION = ("version-suggested", "version-too-low", "diff-invalid")


def page(results: Mapping[History, Sequence[Outcome]]) -> str:
    """Return the page: the outcomes of all pairs, by rule and by document."""
    outcomes = [pair for pairs in results.values() for pair in pairs]
    parts = (_counts(len(results), outcomes), _rules(outcomes), _documents(results))
    head = HEAD.format(measured=records.words("histories"))
    return "\n".join([head, *("\n".join(part) + "\n" for part in parts), READ])


def _counts(documents: int, outcomes: Sequence[Outcome]) -> Iterator[str]:
    compared = [outcome for outcome in outcomes if not outcome.refusal and not outcome.crash]
    seconds = sorted(outcome.seconds for outcome in compared)
    yield "| | |"
    yield "|---|---:|"
    yield f"| documents | {documents} |"
    yield f"| pairs of versions | {len(outcomes):,} |"
    yield f"| refused, as a version is not usable | {sum(bool(o.refusal) for o in outcomes)} |"
    yield f"| crashes | {sum(bool(outcome.crash) for outcome in outcomes)} |"
    for level in _LEVELS:
        count = sum(len(_of_level(outcome, level)) for outcome in compared)
        yield f"| findings, {level} | {count:,} |"
    yield f"| pairs with an error | {sum(bool(_of_level(o, 'error')) for o in compared)} |"
    yield f"| pairs without a finding | {sum(not _found(outcome) for outcome in compared)} |"
    for rule in ("diff-unproven", "diff-incomplete"):
        yield f"| findings of `{rule}` | {sum(_rules_of(outcome)[rule] for outcome in compared)} |"
    yield f"| seconds of processor time, median | {seconds[len(seconds) // 2]:.1f} |"
    yield f"| seconds of processor time, most | {seconds[-1]:.1f} |"


def _rules(outcomes: Sequence[Outcome]) -> Iterator[str]:
    count: Counter[tuple[str, str]] = Counter(
        (finding["rule"], finding["level"]) for outcome in outcomes for finding in _found(outcome)
    )
    yield "| rule | level | findings |"
    yield "|---|---|---:|"
    for (rule, level), number in sorted(
        count.items(), key=lambda each: (_LEVELS.index(each[0][1]), -each[1], each[0])
    ):
        yield f"| `{rule}` | {level} | {number:,} |"


def _documents(results: Mapping[History, Sequence[Outcome]]) -> Iterator[str]:
    yield f"| document | pairs | {' | '.join(_LEVELS)} | without a finding | refused | slowest, s |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"
    for history, outcomes in results.items():
        compared = [outcome for outcome in outcomes if not outcome.refusal and not outcome.crash]
        cells = [
            len(outcomes),
            *(sum(len(_of_level(outcome, level)) for outcome in compared) for level in _LEVELS),
            sum(not _found(outcome) for outcome in compared),
            sum(bool(outcome.refusal) for outcome in outcomes),
            f"{max((outcome.seconds for outcome in outcomes), default=0):.1f}",
        ]
        yield f"| {history.repository} {history.path} | {' | '.join(map(str, cells))} |"


def _found(outcome: Outcome) -> list[dict[str, str]]:
    return [finding for finding in outcome.findings if finding["rule"] not in _ABOUT_THE_VERSION]


def _of_level(outcome: Outcome, level: str) -> list[dict[str, str]]:
    return [finding for finding in _found(outcome) if finding["level"] == level]


def _rules_of(outcome: Outcome) -> Counter[str]:
    return Counter(finding["rule"] for finding in outcome.findings)

"""The loop as a Markdown page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lab.agreement.checks import CHECKS
from lab.agreement.loop import PUBLISHED, REVIEW, Exemption, Outcome
from lab.agreement.processes import RULES
from lab.measured import records

HEAD = """\
# The agreement of the commands

Written by `nox -s agreement` {measured}; do not edit. \
What one command says of a document, no other may contradict. For each document the loop compares \
its readers two by two:

"""
PAIRS = """
For a pair of documents, the client of the old one calls the mock of the new one: after a change \
that `diff` calls compatible, all is read, and the requests are valid for the new document; a \
change that it calls breaking fails there, or an independent validator accepts its counterexample \
on one side alone.

A check that fails and is not among the exceptions fails the session, and so does an exception \
that passes.

The loop is made to fail, too: `tests/lab/test_agreement.py` makes one reader at a time wrong, and \
the loop sees each. Samples ignore the schema; the mock sends no required headers; tests demand \
what only requests have; the client writes `deepObject` otherwise; the stub looks for keys in \
another cookie; models refuse null; operations lose their security; pages leave examples out; \
`validate` is silent; `diff` misses a type that changed, and an operation that is gone.
"""


def page(own: Sequence[Outcome], published: Sequence[Outcome], listed: Sequence[Exemption]) -> str:
    """Return the page of the outcomes for our documents, and for those of the corpus."""
    parts = [
        HEAD.format(measured=records.words("agreement")).rstrip("\n"),
        "",
        *_checks(),
        PAIRS.rstrip("\n"),
        "",
        *_table(own, published),
    ]
    parts += ["", _tried(published), "", *_exceptions([*own, *published], listed), "", *_rules()]
    return "\n".join(parts) + "\n"


def _checks() -> Iterator[str]:
    for name, check in CHECKS.items():
        yield f"- **{name}**: {(check.__doc__ or '').rstrip('.')};"
    yield f"- **{REVIEW}**: see below."


def _table(own: Sequence[Outcome], published: Sequence[Outcome]) -> Iterator[str]:
    yield "| documents | check | number | agree | exceptions |"
    yield "|---|---|---:|---:|---:|"
    for title, outcomes in (("our own", own), ("published", published)):
        for name in (*CHECKS, REVIEW):
            of_check = [outcome for outcome in outcomes if outcome.check == name]
            agreed = sum(not outcome.contradictions for outcome in of_check)
            if of_check:
                number = len(of_check)
                yield f"| {title} | {name} | {number} | {agreed} | {number - agreed} |"


def _tried(published: Sequence[Outcome]) -> str:
    documents = {outcome.document for outcome in published if outcome.check != REVIEW}
    pairs = sum(outcome.check == REVIEW for outcome in published)
    return (
        f"{len(documents)} of the {PUBLISHED} published documents and {pairs} published pairs were "
        "tried. What is not explained has not been looked into."
    )


def _exceptions(outcomes: Sequence[Outcome], listed: Sequence[Exemption]) -> Iterator[str]:
    reasons = {(entry.document, entry.check): entry.reason for entry in listed}
    yield "## Exceptions"
    yield ""
    yield "| document | check | what contradicts | why |"
    yield "|---|---|---|---|"
    for outcome in sorted(outcome for outcome in outcomes if outcome.contradictions):
        more = len(outcome.contradictions) - 1
        text = _cell(outcome.contradictions[0]) + (f" and {more} more" if more else "")
        why = reasons.get((outcome.document, outcome.check), "**not explained**")
        yield f"| {outcome.document} | {outcome.check} | {text} | {why} |"


def _rules() -> Iterator[str]:
    yield "A mock breaks these rules of `specwright test` on purpose:"
    yield ""
    yield "| check | rule | why |"
    yield "|---|---|---|"
    for check, rules in RULES.items():
        yield from (f"| {check} | `{rule}` | {why} |" for rule, why in rules.items())


def _cell(text: str) -> str:
    plain = text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")
    plain = plain if len(plain) <= 140 else f"{plain[:139]}…"
    return f"`{plain.replace('`', ' ')}`"

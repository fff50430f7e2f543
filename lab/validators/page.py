"""The findings of the validators as a Markdown page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from lab.measured import records
from lab.validators.faults import Fault
from lab.validators.published import ByTool, Opinion, Shared
from lab.validators.tools import OURS, TOOLS, Message

Found = Mapping[str, Mapping[str, Sequence[Message]]]
NOTHING = "no"
_HEAD = """\
# Validators of OpenAPI

Written by `nox -s validators` {measured}; do not edit. {number} small documents have one fault \
each, against a sentence of the specification. Four tools check them with the rules that they have \
without settings:

{versions}

For each document there is a control, which is the same but for the fault. A tool finds the fault \
if it has an error or a warning about the document that it does not have about the control, so \
that no advice on style counts. All of these were read by hand: a tool that ends with a traceback, \
or that has messages about something else alone, does not find it. The documents are in \
`lab/validators/broken/`.
"""


def page(
    faults: Sequence[Fault],
    found: Found,
    published: Mapping[str, ByTool],
    shared: Sequence[Shared],
    opinions: Sequence[Opinion],
) -> str:
    """Return the page.

    Args:
        found: the messages about each fault, by tool and by the name of the fault.
        published: the messages about each published document.
    """
    versions = "\n".join(
        f"- {tool.label}" + (f" {tool.version};" if name != OURS else ", of this commit;")
        for name, tool in TOOLS.items()
    )
    parts = [
        _HEAD.format(
            measured=records.words("validators"), number=len(faults), versions=f"{versions[:-1]}."
        ),
        *_totals(faults, found),
        "",
        *_missed(faults, found),
    ]
    for kind in dict.fromkeys(fault.kind for fault in faults):
        parts += ["", *_kind(kind, [fault for fault in faults if fault.kind == kind], found)]
    return "\n".join([*parts, "", *_published(published), "", *_shared(shared, opinions)]) + "\n"


def _header(*columns: str) -> Iterator[str]:
    yield f"| {' | '.join((*columns, *(tool.label for tool in TOOLS.values())))} |"


def _totals(faults: Sequence[Fault], found: Found) -> Iterator[str]:
    yield "## Totals"
    yield ""
    yield from _header("faults in", "documents")
    yield f"|---|{'---:|' * (len(TOOLS) + 1)}"
    kinds = dict.fromkeys(fault.kind for fault in faults)
    for kind in kinds:
        yield _total(kind, [fault for fault in faults if fault.kind == kind], found)
    yield _total("all", faults, found)


def _total(kind: str, faults: Sequence[Fault], found: Found) -> str:
    counts = [sum(bool(found[tool][fault.name]) for fault in faults) for tool in TOOLS]
    return f"| {kind} | {len(faults)} | {' | '.join(map(str, counts))} |"


def _missed(faults: Sequence[Fault], found: Found) -> Iterator[str]:
    others = [tool for tool in TOOLS if tool != OURS]
    missed = [fault for fault in faults if not found[OURS][fault.name]]
    both = [fault for fault in missed if sum(bool(found[t][fault.name]) for t in others) > 1]
    yield f"Specwright misses {len(missed)}, of which two others find {len(both)}:"
    yield ""
    yield "| fault | why Specwright misses it | found by |"
    yield "|---|---|---|"
    for fault in missed:
        names = ", ".join(TOOLS[tool].label for tool in others if found[tool][fault.name])
        yield f"| {fault.name} | {fault.missed} | {names or 'none'} |"


def _kind(kind: str, faults: Sequence[Fault], found: Found) -> Iterator[str]:
    yield f"## {kind.capitalize()}"
    yield ""
    yield from _header("fault", "what is wrong", "section")
    yield f"|---|---|---|{'---|' * len(TOOLS)}"
    for fault in faults:
        cells = [cell(found[tool][fault.name]) for tool in TOOLS]
        columns = (fault.name, fault.about, fault.section, *cells)
        yield f"| {' | '.join(columns)} |"


def cell(messages: Sequence[Message]) -> str:
    """Return the rules of messages about one fault."""
    rules = dict.fromkeys(message.rule for message in messages)
    return ", ".join(f"`{rule}`" for rule in rules) or NOTHING


def _published(published: Mapping[str, ByTool]) -> Iterator[str]:
    yield "## Published documents"
    yield ""
    yield (
        f"The same tools on {len(published)} published documents. Here, advice counts, such as "
        "`security-defined` of Redocly CLI for operations that anyone may call."
    )
    yield ""
    yield "| tool | documents with errors | errors | warnings |"
    yield "|---|---:|---:|---:|"
    for name, tool in TOOLS.items():
        levels = [[message.is_error for message in of[name]] for of in published.values()]
        errors = sum(map(sum, levels))
        warnings = sum(map(len, levels)) - errors
        yield f"| {tool.label} | {sum(map(any, levels))} | {errors:,} | {warnings:,} |"


def _shared(shared: Sequence[Shared], opinions: Sequence[Opinion]) -> Iterator[str]:
    whys = {(opinion.document, opinion.rules): opinion.why for opinion in opinions}
    yield "### What two others report, and we do not"
    yield ""
    yield (
        "Pairs of messages, at least one of them an error, about one object or an object and its "
        "field, where Specwright has no error and no warning. Advice that OpenAPI leaves to "
        "authors is left out."
    )
    yield ""
    yield "| document | rules | pairs | why |"
    yield "|---|---|---:|---|"
    for entry, count in sorted(Counter(shared).items()):
        rules = ", ".join(f"`{rule}`" for rule in entry.rules)
        why = whys.get((entry.document, entry.rules), "**not read**")
        yield f"| {entry.document} | {rules} | {count} | {why} |"

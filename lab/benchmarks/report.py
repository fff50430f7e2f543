"""The results as a Markdown page."""

import os
import platform
from collections.abc import Iterator, Sequence

from lab.benchmarks.measurement import OURS, Result
from lab.measured import records

HEAD = """\
# Benchmarks

Written by `nox -s bench`, or `nox -s bench -- NAME` for some tables; do not edit. \
Each table was measured in one \
run on one machine, {cores} cores, Python {python}; the subjects took turns, and each \
figure is the median of its rounds. Compare the ratios, not the figures, with another machine.
"""
_HEADING = "\n## "


def page(results: Sequence[Result], titles: Sequence[str], old: str) -> str:
    """Return the page with the sections of the results replaced, by title."""
    head = HEAD.format(cores=os.cpu_count(), python=platform.python_version())
    sections = {section.partition("\n")[0]: f"## {section}" for section in old.split(_HEADING)[1:]}
    for result in results:
        sections[result.measurement.title] = "\n".join(section(result))
    kept = (sections[title].rstrip("\n") + "\n" for title in titles if title in sections)
    return "\n".join([head, *kept])


def section(result: Result) -> Iterator[str]:
    measurement = result.measurement
    yield f"## {measurement.title}\n"
    measured = f"Measured {records.words(f'bench {measurement.name}')}{result.note}."
    yield f"{measurement.how} {measured}\n"
    yield f"| | {measurement.unit} | ratio to {OURS} |"
    yield "|---|---:|---:|"
    ordered = sorted(
        result.medians.items(), key=lambda row: row[1], reverse=measurement.more_is_better
    )
    for subject, value in ordered:
        name = f"**{subject}**" if subject == OURS else subject
        yield f"| {name} | {figure(value)} | {ratio(value, result.medians[OURS])} |"
    for subject, reason in result.absent.items():
        yield f"| {subject} | not measured: {reason} | |"
    if measurement.goals:
        yield ""
        yield from (f"- Goal: {sentence}: **{word}**" for sentence, word in result.verdicts)
    yield ""


def figure(value: float) -> str:
    return f"{value:,.1f}" if abs(value) < 100 else f"{value:,.0f}"


def ratio(value: float, ours: float) -> str:
    return f"{value / ours:.2f}" if ours > 0 else ""

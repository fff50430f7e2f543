"""Console transcripts: their commands, and a comparison of real output with the printed one."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

PROMPT = "$ "
GAP = "…"
# Of a package: each module of the runtime is one more.
FILES = re.compile(r"\b\d{2,}(?=\\ (files|changed)\b)")
DURATION = re.compile(r"\b\d+(\\\.\d+)?(\\ )?(ms|s)\b")


@dataclass(frozen=True, slots=True)
class Step:
    """One command of a transcript and the output that follows it."""

    command: str
    output: str


def steps(transcript: str) -> Iterator[Step]:
    for part in re.split(rf"^{re.escape(PROMPT)}", transcript, flags=re.MULTILINE)[1:]:
        lines = part.splitlines(keepends=True)
        length = 1
        while length < len(lines) and lines[length - 1].endswith("\\\n"):
            length += 1
        yield Step("".join(lines[:length]).strip(), "".join(lines[length:]).strip())


def fits(printed: str, real: str) -> bool:
    """`…` stands for anything, on a line of its own for any lines.

    Durations and counts of files may differ.
    """
    pattern = "\n".join(map(_line_pattern, printed.strip().splitlines()))
    pattern = pattern.replace("<lines>\n", "(?:.*\n)*?").replace("\n<lines>", "(?:\n.*)*")
    pattern = pattern.replace("<lines>", "(?:.*\n?)*")
    flat = "\n".join(line.rstrip() for line in real.strip().splitlines())
    return re.fullmatch(pattern, flat) is not None


def _line_pattern(line: str) -> str:
    if line.strip() == GAP:
        return "<lines>"
    exact = re.escape(line.rstrip()).replace(re.escape(GAP), ".*")
    counted = FILES.sub(lambda _: r"\d+", exact)
    return DURATION.sub(lambda _: r"\d+(?:\.\d+)?\ ?(?:ms|s)", counted)

"""The fenced blocks of a Markdown page, and how each one is to be checked."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(r"^(?P<indent> *)```(?P<info>[^`]*)$")
NOT_RUN = re.compile(r"^<!-- not run: (?P<reason>\S.*) -->$")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: ```` ```language [file] ````, perhaps below a `<!-- not run: reason -->`."""

    page: str
    line: int
    section: str
    language: str
    file: str
    reason: str
    text: str

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"


def blocks(path: Path, page: str) -> Iterator[Block]:
    section, reason = "", ""
    lines = enumerate(path.read_text("utf-8").splitlines(), start=1)
    for number, line in lines:
        if opening := FENCE.match(line):
            language, _, file = opening["info"].strip().partition(" ")
            cut = len(opening["indent"])
            body: list[str] = []
            for _, inner in lines:
                if inner.strip() == "```":
                    break
                body.append(inner[cut:])
            else:
                raise ValueError(f"{page}:{number}: this block is never closed")
            yield Block(page, number, section, language, file, reason, "\n".join(body) + "\n")
            reason = ""
        elif line.startswith("#"):
            section = line.lstrip("# ")
        elif marked := NOT_RUN.match(line):
            reason = marked["reason"]
        elif line.strip():
            reason = ""

"""The changelog of an API as Markdown (Keep a Changelog 1.1.0)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from specwright.compare.changelog import ChangelogEntry, ChangelogSentence
from specwright.text import code_span

_SHOWN_OPERATIONS = 3


def as_markdown(entry: ChangelogEntry) -> str:
    """Return an entry with its sentences by section and operations."""
    dated = f" - {entry.day}" if entry.day else ""
    parts = [f"## [{entry.version}]{dated}"]
    for section, sentences in entry.sections.items():
        parts.append(f"### {section}\n\n" + "\n".join(_bullet_lines(sentences)))
    if len(parts) == 1:
        parts.append("No changes for users of the API.")
    return "\n\n".join(parts) + "\n"


def _bullet_lines(sentences: Sequence[ChangelogSentence]) -> Iterator[str]:
    bullets: defaultdict[tuple[str, ...], dict[str, None]] = defaultdict(dict)
    for sentence in sentences:
        bullets[sentence.operations][sentence.text] = None
    for operations, texts in bullets.items():
        yield f"- {_operation_names(operations)}"
        yield from (f"  - {text}" for text in texts)


def _operation_names(operations: Sequence[str]) -> str:
    if not operations:
        return "The whole API"
    more = len(operations) - _SHOWN_OPERATIONS
    shown = ", ".join(map(code_span, operations[:_SHOWN_OPERATIONS]))
    return f"{shown} and {more} more" if more > 0 else shown

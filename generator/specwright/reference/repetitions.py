"""Examples that a page has already shown: it refers to them, rather than to repeat them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from specwright.reference.content import ContentEntry, ExampleEntry, Section

# A link takes as much as a short example.
_SHORTEST = 300


@dataclass(frozen=True, slots=True)
class RepeatedExamples:
    """The first place of a page with the same examples.

    Attributes:
        original: the anchor of the content that has the examples.
        anchor: that of the response or the operation with this content, for a link.
        title: the title of the link.
    """

    original: str
    anchor: str
    title: str


def repetitions(sections: Sequence[Section]) -> Mapping[str, RepeatedExamples]:
    """Return the first place of each examples of a page that repeat others, by content anchor."""
    first: dict[tuple[ExampleEntry, ...], RepeatedExamples] = {}
    repeated: dict[str, RepeatedExamples] = {}
    for content, anchor, title in _contents(sections):
        examples = tuple(content.examples)
        if sum(len(example.text) for example in examples) < _SHORTEST:
            continue
        if examples in first:
            repeated[content.anchor] = first[examples]
        else:
            first[examples] = RepeatedExamples(content.anchor, anchor, title)
    return repeated


def _contents(sections: Sequence[Section]) -> Iterator[tuple[ContentEntry, str, str]]:
    """Yield bodies and responses in their order, each with the anchor and title of its place."""
    for section in sections:
        for entry in section.entries:
            for content in entry.bodies:
                yield content, entry.anchor, f"{entry.title}, body"
            for response in (*entry.responses, *entry.errors):
                for content in response.contents:
                    yield content, response.anchor, f"{entry.title}, {response.status}"
        for error in section.errors:
            for content in error.response.contents:
                yield content, error.anchor, error.name

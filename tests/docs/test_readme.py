"""README.md is short, and shows results before it talks about the project."""

from __future__ import annotations

import re
from pathlib import Path

from tests.docs.blocks import blocks

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
TEXT = README.read_text("utf-8")


def test_it_has_fewer_than_600_words() -> None:
    assert len(TEXT.split()) < 600


def test_a_document_of_twenty_lines_and_its_results_come_first() -> None:
    page = list(blocks(README, "README.md"))
    (document,) = (block for block in page if block.file == "library.yaml")
    assert len(document.text.splitlines()) == 20
    shown = [
        "pip install",
        "```yaml",
        "create_app(",
        "call.py\nNineteen",
        "specwright test",
        "specwright diff",
        "## Tasks",
        "alpha",
    ]
    places = [TEXT.index(step) for step in shown]
    assert places == sorted(places)
    assert max(block.line for block in page if not block.reason) < TEXT[
        : TEXT.index("## Tasks")
    ].count("\n")


def test_its_pictures_are_small_and_load_nothing() -> None:
    pictures = re.findall(r"!\[(.*?)\]\((.*?)\)", TEXT)
    assert [Path(path).suffix for _, path in pictures] == [".svg", ".webp"]
    for description, path in pictures:
        assert len(description) > 20
        assert (ROOT / path).stat().st_size < 40_000
    svg = (ROOT / "docs/images/terminal.svg").read_text("utf-8")
    assert not re.search(r"@font-face|url\((?!#)|<script|<image", svg)

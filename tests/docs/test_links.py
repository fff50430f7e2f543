"""Relative links of the pages lead to files that exist, and to headings in them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import ROOT
from website.links import anchors, broken, links

PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_to_files_and_headings(page: Path) -> None:
    assert list(broken(page)) == []


# Its table names the folders of each page; the pages name files and rooms in them.
DESIGN = ROOT / "docs" / "design"
_ROW = re.compile(r"\| \[[^]]+\]\(([\w-]+\.md)\) \| (`.*`) \|")
_PATH = re.compile(r"`([\w-]+/[\w./-]*)`")
_TREES = (ROOT, ROOT / "generator" / "specwright", ROOT / "service" / "esim_service")


def rooms_of_the_design() -> dict[str, list[Path]]:
    """The folders of each page of the design."""
    rows = _ROW.findall((DESIGN / "README.md").read_text("utf-8"))
    return {
        page: [tree / room for room in _PATH.findall(rooms) for tree in _TREES]
        for page, rooms in rows
    }


def test_each_page_of_the_design_has_its_rooms() -> None:
    assert set(rooms_of_the_design()) == {page.name for page in DESIGN.glob("[a-z]*.md")}


@pytest.mark.parametrize("page", sorted(DESIGN.glob("*.md")), ids=lambda page: page.stem)
def test_paths_of_the_design_exist(page: Path) -> None:
    trees = [*_TREES, *rooms_of_the_design().get(page.name, ())]
    paths = _PATH.findall(page.read_text("utf-8"))
    places = {
        path: [tree / (path + end) for tree in trees for end in ("", ".py")] for path in paths
    }
    assert [path for path in paths if not any(place.exists() for place in places[path])] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[a](a.md) and [b](b.md#c)", ["a.md", "b.md#c"]),
        ('[a](a.md "A title")', ["a.md"]),
        ("![a picture](a.svg)", ["a.svg"]),
        ("[`code`](a.md)", ["a.md"]),
        ("[here](#top)", ["#top"]),
        ("[a]: a.md\n", ["a.md"]),
        ('<img src="a.svg" alt=""><a href="a.md">', ["a.svg", "a.md"]),
        ("[a](https://a.example) [b](mailto:b@a.example)", []),
        ("`[a](a.md)` ``[`](a.md)``", []),
        ("```python\n[a](a.md)\n```\n[b](b.md)", ["b.md"]),
        ("- a\n\n  ````\n  ```\n  [a](a.md)\n  ````\n", []),
        ("<!-- [a](a.md) -->", []),
    ],
)
def test_links_are_found_as_readers_see_them(text: str, expected: list[str]) -> None:
    assert [link["target"] for link in links(text)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# On your own machine", {"on-your-own-machine"}),
        ("### `rule-id`", {"rule-id"}),
        ("## What's new: *all* of it?", {"whats-new-all-of-it"}),
        ("## A [link](a.md) ##", {"a-link"}),
        ("## snake_case -- twice", {"snake_case----twice"}),
        ("# a\n## a\n", {"a", "a-1"}),
        ("```\n# a comment\n```\n", set()),
        ('<a id="place"></a>', {"place"}),
    ],
)
def test_headings_have_the_fragments_of_github(text: str, expected: set[str]) -> None:
    assert anchors(text) == expected


def test_broken_links_are_named_with_their_lines(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    (tmp_path / "other.md").write_text("# There\n", "utf-8")
    (tmp_path / "data.json").write_text("{}", "utf-8")
    page.write_text(
        "# Here\n[1](gone.md)\n\n[2](other.md#gone)\n[3](#gone)\n"
        "[4](other.md#there) [5](#here) [6](.) [7](data.json#/any)\n",
        "utf-8",
    )
    assert list(broken(page)) == [
        "page.md:2: gone.md",
        "page.md:4: other.md#gone",
        "page.md:5: #gone",
    ]

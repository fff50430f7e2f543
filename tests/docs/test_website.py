"""The site: where pages go, links that follow them, and the check of the result."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.conftest import ROOT
from website.check import problems
from website.stage import SECTIONS, sections, stage

PROJECT = {
    "README.md": "# Home\n[how](docs/how-to/do.md#it) [all](examples) [code](examples/a.py)\n",
    "CHANGELOG.md": "# Changes\n",
    "docs/decisions/README.md": "# Decisions\n[1](0001-one.md)\n",
    "docs/decisions/0001-one.md": "# One\n[home](../../README.md) [list](README.md)\n",
    "docs/how-to/do.md": "# Do\n\n## It\n\n```python a.py\nx = '[no](link.md)'\n```\n![p](p.svg)\n",
    "docs/how-to/p.svg": "<svg/>",
    "docs/other.md": "# Other\n",
    "examples/a.py": 'TEXT = "````"\n',
    "examples/__pycache__/a.pyc": "",
    "examples/below/README.md": "[a](b.md)\n",
}
PAGE = '<html id="top"><a href="{link}">a</a>{more}</html>'


def written(place: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text, "utf-8")
    return place


@pytest.fixture
def staged(tmp_path: Path) -> Path:
    stage(written(tmp_path / "project", PROJECT), tmp_path / "staged")
    return tmp_path / "staged"


def test_every_section_has_pages_and_every_pattern_of_measurements_too() -> None:
    assert all(sections(ROOT).values())
    for pattern in SECTIONS["Measurements"]:
        assert list(ROOT.glob(pattern))


def test_pages_are_listed_once_in_the_order_of_the_sections(staged: Path) -> None:
    settings = tomllib.loads((staged / "zensical.toml").read_text("utf-8"))["project"]
    listed = {name: pages for section in settings["nav"] for name, pages in section.items()}
    assert list(listed) == list(SECTIONS)
    assert {name: pages for name, pages in listed.items() if pages} == {
        "Home": ["index.md"],
        "How-to": ["how-to/do.md"],
        "Decisions": ["decisions/index.md", "decisions/0001-one.md"],
        "Project": ["other.md", "CHANGELOG.md"],
    }
    assert settings["theme"]["font"] is False
    assert all((staged / "docs" / style).is_file() for style in settings["extra_css"])


def test_links_follow_the_pages(staged: Path) -> None:
    home = (staged / "docs/index.md").read_text("utf-8")
    assert "[how](how-to/do.md#it)" in home
    assert "[all](source/examples.md) [code](source/examples/a.py.md)" in home
    decision = (staged / "docs/decisions/0001-one.md").read_text("utf-8")
    assert decision == "# One\n[home](../index.md) [list](index.md)\n"


def test_code_is_kept_and_its_file_becomes_a_title(staged: Path) -> None:
    page = (staged / "docs/how-to/do.md").read_text("utf-8")
    assert "```python title=\"a.py\"\nx = '[no](link.md)'\n```\n![p](p.svg)\n" in page
    assert (staged / "docs/how-to/p.svg").read_text("utf-8") == "<svg/>"


def test_files_that_are_linked_become_pages_that_the_search_leaves_out(staged: Path) -> None:
    files = (staged / "docs/source/examples.md").read_text("utf-8")
    assert "[examples/a.py](examples/a.py.md)" in files
    assert "[examples/below/README.md](examples/below/README.md.md)" in files
    assert "__pycache__" not in files
    code = (staged / "docs/source/examples/a.py.md").read_text("utf-8")
    assert code.endswith('# `examples/a.py`\n\n`````py\nTEXT = "````"\n`````\n')
    assert code.startswith("---\nsearch:\n  exclude: true\n---\n")


def test_a_link_to_nothing_is_an_error(tmp_path: Path) -> None:
    project = written(tmp_path / "project", {**PROJECT, "docs/other.md": "[a](gone.md)"})
    with pytest.raises(ValueError, match=r"docs/other\.md: gone\.md does not exist"):
        stage(project, tmp_path / "staged")


@pytest.mark.parametrize(
    ("link", "more", "problem"),
    [
        ("b.html", "", None),
        ("b.html#there", '<img src="b.html"><link rel="icon" href="b.html">', None),
        ("./#top", "", None),
        ("https://a.example", "", None),
        ("#top", "", None),
        ("gone.html", "", "index.html: gone.html does not exist"),
        ("#gone", "", "index.html: #gone has no such place"),
        ("b.html#gone", "", "index.html: b.html#gone has no such place"),
        ("b.html", '<img src="gone.png">', "index.html: gone.png does not exist"),
        (
            "b.html",
            '<script src="//a.example/a.js"></script>',
            "index.html: loads //a.example/a.js",
        ),
        (
            "b.html",
            '<link rel="stylesheet" href="https://a.example/a.css">',
            "index.html: loads https://a.example/a.css",
        ),
    ],
)
def test_the_check_finds_what_readers_would_miss(
    tmp_path: Path, link: str, more: str, problem: str | None
) -> None:
    page = PAGE.format(link=link, more=more)
    written(tmp_path, {"index.html": page, "b.html": '<p id="there">'})
    assert list(problems(tmp_path)) == ([problem] if problem else [])


def test_styles_load_nothing_from_elsewhere(tmp_path: Path) -> None:
    text = '@font-face { src: url("https://a.example/a.woff2") }'
    written(tmp_path, {"a/b.css": text, "c.css": "a { background: url(data:x) }"})
    assert list(problems(tmp_path)) == ["a/b.css: loads a file from elsewhere"]

"""Stage the pages of the site: where each page goes, and its links to the same places there.

A page or file of docs/ keeps its path. Other files of the repository have links, too: each of
these becomes a page that shows its text, so that the site needs no address of the repository.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from os.path import relpath
from pathlib import Path

from website.links import links, resolve

HERE = Path(__file__).parent
SETTINGS = "zensical.toml"
STYLES = "extra.css"
# The navigation. A page is listed in the first section that matches its path.
SECTIONS: Mapping[str, Sequence[str]] = {
    "Home": ("README.md",),
    "Tutorials": ("docs/tutorial*.md", "docs/tutorials/*.md"),
    "How-to": ("docs/how-to/*.md",),
    "Reference": ("docs/reference/*.md",),
    "Design": ("docs/design/README.md", "docs/design/*.md"),
    "Decisions": ("docs/decisions/README.md", "docs/decisions/*.md"),
    "Measurements": (
        "docs/agreement.md",
        "docs/costs.md",
        "docs/benchmarks*.md",
        "docs/compatibility.md",
        "docs/contract-*.md",
        "docs/docs-pages.md",
        "docs/mutants.md",
        "docs/review-*.md",
        "docs/sdk-real-servers.md",
        "docs/sdk-situations.md",
        "docs/service-faults.md",
        "docs/service-neighbours.md",
        "docs/validators.md",
        "docs/wire-proof.md",
    ),
    "Project": ("docs/**/*.md", "*.md"),
}
# ```python app.py, which the generator knows as a title.
_FILE = re.compile(r"^( *`{3,}\w+) +(\S+)$", re.MULTILINE)
_LANGUAGES = {"": "text", ".mjs": "js", ".md": "markdown"}
_NOT_SEARCHED = "---\nsearch:\n  exclude: true\n---\n\n"


def sections(top: Path) -> dict[str, list[Path]]:
    """Return the pages of each section, as paths from the top of the repository."""
    listed: dict[Path, str] = {}
    for section, patterns in SECTIONS.items():
        for pattern in patterns:
            for file in sorted(top.glob(pattern)):
                listed.setdefault(file.relative_to(top), section)
    return {section: [page for page, of in listed.items() if of == section] for section in SECTIONS}


def stage(top: Path, place: Path) -> None:
    """Write the settings, the pages and the files that they show to a new directory.

    Raises:
        ValueError: the target of a link does not exist.
    """
    listed = sections(top)
    pages = {page for below in listed.values() for page in below}
    files = {file.relative_to(top) for file in (top / "docs").rglob("*") if file.is_file()}
    for file in files - pages:
        _write(place / "docs" / _staged(file), (top / file).read_bytes())
    waiting, done = list(pages), files - pages
    while waiting:
        page = waiting.pop()
        if page in done:
            continue
        done.add(page)
        text = (top / page).read_text("utf-8") if page in pages else _shown(top, page)
        text, led_to = _relinked(top, page, text)
        waiting.extend(led_to)
        _write(place / "docs" / _staged(page), _FILE.sub(r'\1 title="\2"', text).encode())
    nav = [{section: [_staged(page) for page in below]} for section, below in listed.items()]
    settings = (HERE / SETTINGS).read_text("utf-8")
    settings = settings.replace("[project]\n", f"[project]\nnav = {_toml(nav)}\n", 1)
    _write(place / SETTINGS, settings.encode())
    _write(place / "docs" / STYLES, (HERE / STYLES).read_bytes())


def _staged(file: Path) -> str:
    """Return the path of a page or file below the directory of pages."""
    name = file.as_posix()
    if file.name == "README.md" and (len(file.parts) == 1 or file.parts[0] == "docs"):
        return file.with_name("index.md").as_posix().removeprefix("docs/")
    if file.parts[0] == "docs" or (len(file.parts) == 1 and file.suffix == ".md"):
        return name.removeprefix("docs/")
    return f"source/{name}.md"


def _shown(top: Path, path: Path) -> str:
    """Return a page that shows a file, or links to the files of a directory."""
    head = f"{_NOT_SEARCHED}# `{path.as_posix()}`\n\n"
    if (top / path).is_dir():
        names = (file.relative_to(top / path.parent).as_posix() for file in _files(top / path))
        return head + "".join(f"- [{name}]({name})\n" for name in names)
    text = (top / path).read_text("utf-8")
    ticks = max(("```", *(f"{run}`" for run in re.findall("`{3,}", text))), key=len)
    language = _LANGUAGES.get(path.suffix, path.suffix[1:])
    return f"{head}{ticks}{language}\n{text.rstrip()}\n{ticks}\n"


def _files(directory: Path) -> Iterator[Path]:
    for path in sorted(directory.rglob("*")):
        if path.is_file() and path.parent.name != "__pycache__":
            yield path


def _relinked(top: Path, page: Path, text: str) -> tuple[str, list[Path]]:
    """Return the text with links between staged pages, and the files that they link to."""
    parts, led_to, end = [], [], 0
    for link in links(text):
        file, fragment = resolve(page, link["target"])
        if not (top / file).exists():
            raise ValueError(f"{page.as_posix()}: {link['target']} does not exist")
        led_to.append(file)
        target = relpath(_staged(file), Path(_staged(page)).parent)
        parts += [text[end : link.start("target")], target, f"#{fragment}" if fragment else ""]
        end = link.end("target")
    return "".join([*parts, text[end:]]), led_to


def _write(file: Path, content: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)


def _toml(value: object) -> str:
    """Return strings in lists and tables as TOML, on one line."""
    if isinstance(value, dict):
        members = (f"{_toml(key)} = {_toml(each)}" for key, each in value.items())
        return f"{{ {', '.join(members)} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False)

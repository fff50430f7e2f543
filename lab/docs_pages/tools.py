"""Tools that make pages of documentation, each page as the documentation of its tool makes it."""

from __future__ import annotations

import shutil
import subprocess
import tarfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from tests import command

ROOT = Path(__file__).parents[2]
HOME = ROOT / ".nox" / "docs-pages-npm"
# Exact: another version is another page.
PACKAGES = {
    "redoc": "3.0.1",
    "@scalar/api-reference": "1.76.0",
    "@stoplight/elements": "9.0.25",
    "@redocly/cli": "2.77.0",
}
PAGE = "index.html"
_SECONDS = 300
_HTML = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Reference</title>
{head}</head>
<body>
{body}
</body>
</html>
"""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that makes pages.

    Attributes:
        label: its name on the page.
        version: the version that is measured.
        build: writes the page of a document, and all that it loads, to a directory.
        menu: a CSS selector of the contents.
        groups: one of those in it that unfold by a click.
    """

    label: str
    version: str
    build: Callable[[Path, Path], None]
    menu: str
    groups: str


def install() -> None:
    """Download the packages of npm, unless these versions are there.

    What they need lies in them, so the packages that they name are not installed.
    """
    for name, number in PACKAGES.items():
        place = _package(name)
        if place.is_dir():
            continue
        HOME.mkdir(parents=True, exist_ok=True)
        pack = ["npm", "pack", "--silent", f"{name}@{number}"]
        done = subprocess.run(pack, cwd=HOME, check=True, capture_output=True, text=True)
        archive = HOME / done.stdout.split()[-1]
        with tarfile.open(archive) as files:
            files.extractall(place.with_suffix(".part"), filter="data")
        place.with_suffix(".part").rename(place)
        archive.unlink()


def _package(name: str) -> Path:
    return HOME / f"{name.replace('/', '-')}-{PACKAGES[name]}"


def build_docs(document: Path, page: Path) -> None:
    """Write the page of Redocly CLI, which is one file."""
    script = _package("@redocly/cli") / "package" / "bin" / "cli.js"
    arguments = ("build-docs", str(document), "--output", str(page))
    subprocess.run(["node", script, *arguments], check=True, capture_output=True, timeout=_SECONDS)


def _specwright(document: Path, directory: Path) -> None:
    done = command.run("docs", document, "--output", directory / PAGE, cwd=directory)
    assert (directory / PAGE).is_file(), done.stderr


def _page(
    package: str, files: Mapping[str, str], body: str, head: str = ""
) -> Callable[[Path, Path], None]:
    """Return a function that writes a page beside files of a package and the document.

    Args:
        files: their paths in the package, by the name beside the page.
        body: the elements of the page; `{url}` is the place of the document.
    """

    def build(document: Path, directory: Path) -> None:
        name = f"openapi{document.suffix}"
        shutil.copy(document, directory / name)
        for target, path in files.items():
            shutil.copy(_package(package) / "package" / path, directory / target)
        html = _HTML.format(head=head, body=body.replace("{url}", name))
        (directory / PAGE).write_text(html, "utf-8")

    return build


OURS = "specwright"
TOOLS: Mapping[str, Tool] = {
    OURS: Tool(
        "Specwright", version("specwright"), _specwright, "nav", "details:not([open]) > summary"
    ),
    "redoc": Tool(
        "Redoc",
        PACKAGES["redoc"],
        _page(
            "redoc",
            {"redoc.js": "bundles/redoc.standalone.js"},
            '<redoc spec-url="{url}"></redoc>\n<script type="module" src="redoc.js"></script>',
        ),
        ".menu-content",
        ".menu-item-type-group > a",
    ),
    "scalar": Tool(
        "Scalar",
        PACKAGES["@scalar/api-reference"],
        _page(
            "@scalar/api-reference",
            {"scalar.js": "dist/browser/standalone.js"},
            '<div id="app"></div>\n<script src="scalar.js"></script>\n'
            "<script>Scalar.createApiReference('#app', { url: '{url}' })</script>",
        ),
        "aside, .t-doc__sidebar",
        "[aria-expanded=false]",
    ),
    "elements": Tool(
        "Stoplight Elements",
        PACKAGES["@stoplight/elements"],
        _page(
            "@stoplight/elements",
            {"elements.js": "web-components.min.js", "elements.css": "styles.min.css"},
            '<elements-api apiDescriptionUrl="{url}" router="hash"></elements-api>',
            '<script src="elements.js"></script>\n<link rel="stylesheet" href="elements.css">\n',
        ),
        ".sl-elements-api > div:first-child",
        "div[title]:not([id])",
    ),
}

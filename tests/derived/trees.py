"""Trees of generated code: the package of this repository, and the expected golden cases."""

from __future__ import annotations

import contextlib
import difflib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from click import unstyle

from specwright.config import read_config
from specwright.document.sources.load import load
from specwright.findings import Report
from specwright.pipeline import generate, reference
from specwright.report import text

ROOT = Path(__file__).parents[2]
CASES = sorted(path.parent for path in ROOT.glob("tests/golden/*/options.toml"))

# The runtime is copied word for word and the lock file holds hashes of it. Both would change in
# every case with every change of the runtime.
NOT_KEPT = frozenset(("_runtime", "specwright.lock.json"))

Tree = Mapping[str, str]


def read(place: Path) -> Tree:
    """Return the text of each file below a directory, without those of Python, or of one file."""
    files = [place] if place.is_file() else place.rglob("*")
    return {
        "" if path == place else path.relative_to(place).as_posix(): path.read_bytes().decode()
        for path in files
        if path.is_file() and path.parent.name != "__pycache__"
    }


def kept(tree: Tree) -> Tree:
    """Return the part of a generated tree that golden cases hold."""
    return {name: text for name, text in tree.items() if not NOT_KEPT & set(name.split("/"))}


def differences(expected: Tree, made: Tree) -> Iterator[str]:
    """Yield the names of missing and unexpected files, and a unified diff of each other one."""
    for name in sorted(expected.keys() | made.keys()):
        if name not in made:
            yield f"missing: {name}"
        elif name not in expected:
            yield f"not expected: {name}"
        else:
            yield from difflib.unified_diff(
                expected[name].splitlines(),
                made[name].splitlines(),
                f"expected/{name}",
                f"made/{name}",
                lineterm="",
            )


def package() -> Tree:
    """Generate the package of this repository."""
    return _generated(ROOT / "pyproject.toml")


def reference_page() -> str:
    """Generate the reference page of this repository's document."""
    config = read_config(ROOT / "pyproject.toml")
    assert config.document is not None
    return reference(load(config.document), config.options)["index.html"].decode()


def golden(case: Path) -> Callable[[], Tree]:
    """Return the function that generates a case: its package, and the messages about it."""

    def make() -> Tree:
        said: list[str] = []
        tree = kept(_generated(case / "options.toml", lambda report: said.append(_plain(report))))
        return {**tree, **({"stderr.txt": "".join(said)} if said else {})}

    return make


def _plain(report: Report) -> str:
    return unstyle(text.render(report))


def _generated(settings: Path, tell: Callable[[Report], None] = lambda report: None) -> Tree:
    # Findings name files as the command does that is run beside the settings.
    with contextlib.chdir(settings.parent):
        config = read_config(Path(settings.name))
        assert config.document is not None
        files = generate(load(config.document), config.options, tell=tell)
    return {name: content.decode() for name, content in files.items()}

"""The documents to try: published ones, and those of lists of repositories."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

_ADDRESS = "https://raw.githubusercontent.com/{repository}/{commit}/{path}"
_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Sample:
    """A document on this machine, and its name on the page."""

    name: str
    file: Path


def published(corpus: Path) -> Iterator[Sample]:
    """Yield the documents of the corpus."""
    for file in sorted((corpus / "specs").iterdir()):
        if file.name != "index.json":
            yield Sample(file.name, file)


def listed(name: str, place: Path) -> Iterator[Sample]:
    """Yield the documents of a list; missing ones are downloaded into a directory.

    Each line of the list is a GitHub repository, the path of its document, and the commit.
    """
    place.mkdir(parents=True, exist_ok=True)
    for line in Path(__file__).with_name(f"{name}.txt").read_text("utf-8").splitlines():
        repository, path, commit = line.split()
        file = place / f"{repository.replace('/', '+')}__{path.replace('/', '_')}"
        if not file.exists():
            address = _ADDRESS.format(repository=repository, commit=commit, path=path)
            with urlopen(address, timeout=_SECONDS) as answer:
                file.write_bytes(answer.read())
        yield Sample(f"{repository} {path}", file)

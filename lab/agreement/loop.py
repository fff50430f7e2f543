"""The documents of the loop, what contradicts on each, and the exceptions that have a reason."""

from __future__ import annotations

import json
import os
import tomllib
import traceback
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from lab.agreement.checks import CHECKS
from lab.agreement.pairs import Pair, judged, written
from lab.agreement.subject import Subject

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
DOCUMENTS = sorted((HERE / "documents").iterdir())
REFUSED = sorted((HERE / "refused").iterdir())
PAIRS = sorted((HERE / "pairs").iterdir())
REVIEW, ACCEPTANCE = "review", "acceptance"
# The end of the names of files that have the first of two versions.
BASE = ".base.json"
# Of the corpus: so many documents, and each of so many pairs.
PUBLISHED, _STEP = 30, 12
# A traceback says in its first letters what it is about.
_LONGEST = 300


@dataclass(frozen=True, slots=True, order=True)
class Outcome:
    """What a check says of a document; nothing if the readers agree."""

    document: str
    check: str
    contradictions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Exemption:
    """A check of a document that does not pass, and the reason."""

    document: str
    check: str
    reason: str


def exemptions() -> list[Exemption]:
    """Return the exceptions of the data file."""
    data = tomllib.loads((HERE / "exceptions.toml").read_text("utf-8"))
    return [Exemption(**entry) for entry in (*data["exceptions"], *data["published"])]


def wrong(outcomes: Iterable[Outcome], listed: Iterable[Exemption]) -> Iterator[str]:
    """Yield what fails without being listed, and what is listed without failing."""
    known = {(entry.document, entry.check) for entry in listed}
    for outcome in outcomes:
        place = (outcome.document, outcome.check)
        if outcome.contradictions and place not in known:
            yield f"{' '.join(place)}: {'; '.join(outcome.contradictions[:3])}"
        elif not outcome.contradictions and place in known:
            yield f"{' '.join(place)}: agrees now; remove it from exceptions.toml"


def published(corpus: Path) -> list[Path]:
    """Return the documents of the corpus with the fewest operations, these first."""
    index = json.loads((corpus / "specs" / "index.json").read_text("utf-8"))
    fewest = sorted(index, key=lambda entry: (entry["operations"], entry["file"]))[:PUBLISHED]
    return [corpus / "specs" / entry["file"] for entry in fewest]


def published_pairs(corpus: Path) -> list[Pair]:
    """Return some pairs of the corpus."""
    bases = sorted((corpus / "diff" / "pairs").glob(f"*{BASE}"))[::_STEP]
    return [*map(pair_of, bases)]


def pair_of(base: Path) -> Pair:
    """Return the pair of the corpus that a file begins."""
    name = base.name.removesuffix(BASE)
    return Pair(name, base, base.with_name(f"{name}.revision.json"))


def corpus() -> Path:
    """Return the directory of other people's documents; it may not exist."""
    return Path(os.environ.get("SPECWRIGHT_CORPUS", ROOT.parent / "shared" / "corpus"))


def of_document(file: Path, checks: Iterable[str] = CHECKS) -> Iterator[Outcome]:
    """Apply checks to a document."""
    with TemporaryDirectory() as directory:
        subject = Subject(file.resolve(), Path(directory))
        for name in checks:
            yield Outcome(file.name, name, _distinct(CHECKS[name](subject)))


def of_refused(file: Path) -> Iterator[Outcome]:
    """Check that all commands refuse a document."""
    with TemporaryDirectory() as directory:
        subject = Subject(file.resolve(), Path(directory))
        contradictions = _distinct(CHECKS[ACCEPTANCE](subject))
        if not contradictions and not subject.is_refused:
            contradictions = ("all commands accept it",)
        yield Outcome(f"refused/{file.name}", ACCEPTANCE, contradictions)


def of_pair(pair: Pair | Path) -> Iterator[Outcome]:
    """Judge the review of a pair of documents."""
    with TemporaryDirectory() as directory:
        place = Path(directory)
        if isinstance(pair, Path):
            pair = written(pair, place)
        yield Outcome(f"pairs/{pair.name}", REVIEW, _distinct(judged(pair, place)))


def _distinct(contradictions: Iterator[str]) -> tuple[str, ...]:
    """Return the contradictions of a check, each once; an exception is one, too."""
    distinct: dict[str, None] = {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            distinct.update(dict.fromkeys(contradictions))
    except Exception as error:
        # Any exception is shown on the page.
        place = traceback.extract_tb(error.__traceback__)[-1]
        words = f"{type(error).__name__}: {error}"[:_LONGEST]
        distinct[f"{words} ({Path(place.filename).name}:{place.lineno})"] = None
    return tuple(distinct)

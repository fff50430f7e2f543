"""The figures of the last runs, the word for each survivor, and the page that joins them."""

from __future__ import annotations

import json
import math
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from lab.measured import records
from lab.mutants.rooms import ROOMS, ROOT

FIGURES = Path(__file__).with_name("figures.json")
WORDS = Path(__file__).with_name("words.toml")
PAGE = ROOT / "docs" / "mutants.md"

HEAD = (
    "# Mutants\n\n"
    "A mutant is the code with one edit: `<` for `<=`, an argument left out, a condition turned"
    " round, a statement gone. It is killed if a test fails. A survivor is an edit that no test"
    " sees: a test is missing, or the edit changes nothing.\n\n"
    "`nox -s mutants` tries as many as its time allows, in an order that is random and always the"
    " same; `-- ROOM` tries those of one room, `-- --changed BASE..HEAD` those of the lines of a"
    " change ([why](decisions/0112-mutation-testing.md)). The table of rooms and tests is"
    " `lab/mutants/rooms.py`. This page is made from"
    " `lab/mutants/figures.json` and the words in `lab/mutants/words.toml` by `nox -s derive`.\n\n"
    "| Room | mutants | tried | killed | timeouts | survive | of these not reached"
    " | killed in % | of all in % | measured |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---|\n"
)

KEY = (
    "\nThe tried mutants are a random sample. The last column is the interval in which the share of"
    " all mutants that the tests would kill lies with a confidence of 95 % (Wilson's score"
    " interval).\n"
    "\nA timeout counts as killed. An edit that is not reached is on a line that no test of the"
    " table runs. Those marked with ⚙ are reached only in processes that a test starts. A mutant"
    " may cost 20 seconds of tests, the cheapest files first. One marked with … may be killed by"
    " another test, for which there was no time.\n"
)


# The quantile of the normal distribution for an interval of 95 %.
_Z = 1.96


@dataclass(frozen=True, slots=True)
class Survivor:
    """An edit that no test sees.

    Attributes:
        processes: whether only processes that tests start can see it.
        cut: whether more tests may reach it than there was time for.
    """

    file: str
    function: str
    edit: str
    nth: int = 1
    reached: bool = True
    processes: bool = False
    cut: bool = False

    @property
    def key(self) -> tuple[str, str, str, int]:
        return self.file, self.function, self.edit, self.nth


@dataclass(frozen=True, slots=True)
class Figures:
    """The result of the last run over a room."""

    mutants: int
    tried: int
    killed: int
    timeouts: int
    survivors: list[Survivor] = field(default_factory=list)

    @property
    def percent(self) -> int:
        """Return the part of the tried ones that is killed, rounded down."""
        return 100 * (self.killed + self.timeouts) // max(1, self.tried)

    @property
    def interval(self) -> tuple[int, int]:
        """Return the 95 % interval of the share of all mutants, in percent, rounded outwards.

        It is Wilson's score interval. If all mutants were tried, it is that share.
        """
        killed = self.killed + self.timeouts
        if self.tried == self.mutants:
            return self.percent, math.ceil(100 * killed / max(1, self.tried))
        if not self.tried:
            return 0, 100
        share, weight = killed / self.tried, _Z**2 / self.tried
        middle = share + weight / 2
        half = _Z * math.sqrt((share * (1 - share) + weight / 4) / self.tried)
        low, high = ((middle + sign * half) / (1 + weight) for sign in (-1, 1))
        return math.floor(100 * max(0.0, low)), math.ceil(100 * min(1.0, high))


def load(path: Path = FIGURES) -> dict[str, Figures]:
    """Return the figures of each room."""
    rooms = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return {
        room: Figures(
            **{**row, "survivors": [Survivor(**survivor) for survivor in row["survivors"]]}
        )
        for room, row in rooms.items()
    }


def save(figures: Mapping[str, Figures], path: Path = FIGURES) -> None:
    """Write the figures down, in the order of the rooms."""
    rooms = {room: asdict(figures[room]) for room in ROOMS if room in figures}
    path.write_text(json.dumps(rooms, indent=1, ensure_ascii=False) + "\n", "utf-8")


def words(path: Path = WORDS) -> dict[tuple[str, str, str, int], str]:
    """Return the handwritten notes about survivors."""
    rows = tomllib.loads(path.read_text("utf-8")).get("survivor", [])
    return {
        (row["file"], row["function"], row["edit"], row.get("nth", 1)): row["word"] for row in rows
    }


def render(figures: Mapping[str, Figures], said: Mapping[tuple[str, str, str, int], str]) -> str:
    """Return the page."""
    return "".join(
        [HEAD, *(_row(room, figures.get(room)) for room in ROOMS), KEY, *_lists(figures, said)]
    )


def _row(room: str, row: Figures | None) -> str:
    if row is None:
        return f"| {room} | not tried yet |{' |' * 8}\n"
    unreached = sum(not survivor.reached for survivor in row.survivors)
    counts = (row.mutants, row.tried, row.killed, row.timeouts, len(row.survivors), unreached)
    cells = [f"{count:,}" for count in counts]
    low, high = row.interval
    cells += [str(row.percent), f"{low} to {high}", records.words(f"mutants {room}")]
    return f"| {room} | {' | '.join(cells)} |\n"


def _lists(
    figures: Mapping[str, Figures], said: Mapping[tuple[str, str, str, int], str]
) -> Iterator[str]:
    for room, row in figures.items():
        if row.survivors:
            yield f"\n## {room}\n\n| Place | Edit | Word |\n|---|---|---|\n"
            yield from (
                _survivor(survivor, said.get(survivor.key, ""))
                for survivor in _sorted(row.survivors)
            )


def _sorted(survivors: Iterable[Survivor]) -> list[Survivor]:
    return sorted(survivors, key=lambda each: each.key)


def _survivor(each: Survivor, word: str) -> str:
    path = Path(each.file)
    place = f"{path.parent.name}/{path.name} `{each.function}`"
    marks = " ⚙" * (each.processes and each.reached) + " …" * each.cut
    word = word or ("" if each.reached else "not reached")
    return f"| {place}{marks} | {_code(each.edit)} | {word} |\n"


def _code(text: str) -> str:
    """Quote code for a cell of a table."""
    fence = "``" if "`" in text else "`"
    space = " " if "`" in text else ""
    return f"{fence}{space}{text.replace('|', chr(92) + '|')}{space}{fence}"


def unsaid(figures: Mapping[str, Figures]) -> Counter[str]:
    """Count the survivors of each room that have no word yet."""
    said = words()
    return Counter(
        room
        for room, row in figures.items()
        for survivor in row.survivors
        if survivor.key not in said
    )

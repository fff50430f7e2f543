"""The derived files of this repository, with their sources and the functions that make them.

`nox -s derive` makes them, `nox -s derive -- --check` names those that are not current. An arrow
leads one way: a derived file is never edited, and nothing here reads one to make another. Pages of
measurements are apart, as they differ each time: `bench`, `bench_service` and `kills` write theirs,
and `docs_pages`, `faults`, `faults_by_others`, `foreign_servers`, `shops`, `tickets` and `mutants`
write the figures that seven pages here are made from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from lab.docs_pages import figures as docs_pages
from lab.faults import verdicts
from lab.faults_by_others import verdicts as by_others
from lab.foreign_servers import adoption, resent
from lab.foreign_servers import outcomes as foreign
from lab.mutants import figures
from lab.real_servers import outcomes as real_servers
from lab.shops import verdicts as shops
from lab.situations import outcomes as situations
from lab.tickets import loads
from lab.tickets import verdicts as tickets
from service.catalogue import build as catalogue
from specwright.commands import schema
from tests.bugs import driver as bugs
from tests.derived import names_page, pages, pictures, trees

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Difference:
    """A file that differs: `text` is the expected content, None if the file should not exist."""

    file: Path
    text: str | None
    words: str

    def mend(self) -> None:
        """Write the file, or remove it."""
        if self.text is None:
            self.file.unlink()
            return
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_bytes(self.text.encode())


@dataclass(frozen=True, slots=True)
class Derived:
    """A file, or a directory with nothing else in it.

    Attributes:
        path: where it is, from the top of the repository.
        source: the files or objects that it is made from, in words.
        make: returns the text of each file by its path below `path`, which is empty for a file.
    """

    path: str
    source: str
    make: Callable[[], Mapping[str, str]]

    def differences(self, top: Path = ROOT) -> Iterator[Difference]:
        """Yield the files that are missing, stale or different from the derived text."""
        present, wanted = trees.read(top / self.path), self.make()
        states = {
            **dict.fromkeys(present.keys() & wanted.keys(), "changed"),
            **dict.fromkeys(wanted.keys() - present.keys(), "missing"),
            **dict.fromkeys(present.keys() - wanted.keys(), "stale"),
        }
        for name, state in sorted(states.items()):
            if present.get(name) != wanted.get(name):
                words = f"{Path(self.path, name).as_posix()}: {state} (made from {self.source})"
                yield Difference(top / self.path / name, wanted.get(name), words)


def page(path: str, source: str, render: Callable[[], str]) -> Derived:
    """A row for one file."""
    return Derived(path, source, lambda: {"": render()})


DERIVED = (
    Derived("generated", "spec/openapi.json", trees.package),
    *(
        Derived(f"tests/golden/{case.name}/expected", "the input beside it", trees.golden(case))
        for case in trees.CASES
    ),
    *(
        Derived(f"tests/bugs/{place.name}/{bugs.EXPECTED}", "the folder of the bug", make)
        for place, make in bugs.MAKE.items()
    ),
    page(
        "service/esim_service/data/catalogue.json",
        "the tables of service/catalogue",
        catalogue.render,
    ),
    page("service/esim_service/data/reference.html", "spec/openapi.json", trees.reference_page),
    page("docs/reference/cli.md", "the help of the commands", pages.cli),
    page("docs/reference/service-cli.md", "the help of the service's commands", pages.service_cli),
    page("docs/reference/service-settings.md", "the service's settings", pages.settings),
    page("docs/reference/sdk.md", "the names of the modules", names_page.render),
    page("docs/reference/rules.md", "the tables of rules", pages.rules),
    page("docs/reference/x-contract.md", "the modules of the vocabulary", pages.vocabulary),
    *(
        page(
            f"docs/reference/{name}.schema.json",
            "the settings and the modules of the vocabulary",
            partial(schema.render, name),
        )
        for name in schema.SCHEMAS
    ),
    page("docs/images/terminal.svg", "the commands of README.md", pictures.terminal),
    page(
        "docs/sdk-situations.md",
        "lab/situations/outcomes.json and table.py",
        situations.render,
    ),
    page(
        "docs/sdk-real-servers.md",
        "lab/real_servers/outcomes.json and read.toml",
        real_servers.render,
    ),
    page(
        "docs/contract-foreign-servers.md",
        "lab/foreign_servers/*.json, verdicts.toml and resent.toml",
        lambda: foreign.render(adoption.render(), resent.section()),
    ),
    page("docs/contract-faults.md", "lab/faults/verdicts.json", verdicts.render),
    page(
        "docs/contract-faults-by-others.md",
        "lab/faults_by_others/verdicts.json",
        by_others.render,
    ),
    page("docs/contract-shops.md", "lab/shops/*.json", shops.render),
    page(
        "docs/contract-tickets.md",
        "lab/tickets/*.json",
        lambda: tickets.render() + loads.render(),
    ),
    page(
        "docs/mutants.md",
        "lab/mutants/figures.json and words.toml",
        lambda: figures.render(figures.load(), figures.words()),
    ),
    page("docs/docs-pages.md", "lab/docs_pages/figures.json", docs_pages.render),
    page("docs/decisions/README.md", "the pages beside it", pages.decisions),
)

"""The table of measurements: the session and the page of each, and the code that it measures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lab.mutants.rooms import ROOMS, rows

_TOOLKIT = "generator/specwright"
_READING = tuple(f"{_TOOLKIT}/{room}" for room in ("check", "document"))
_GENERATOR = (
    *_READING,
    *(f"{_TOOLKIT}/{room}" for room in ("emit", "ir", "models", "pipeline.py", "render")),
    "templates",
)
_RUNTIME = f"{_TOOLKIT}/runtime"
# The package that the SDK's peers are compared with.
_SDK = ("generated",)
_REVIEW = (f"{_TOOLKIT}/compare", f"{_TOOLKIT}/document", f"{_TOOLKIT}/review")
_CONTRACT_TESTS = tuple(f"{_TOOLKIT}/{room}" for room in ("conformance", "document", "samples"))
_SERVICE = "service/esim_service"


@dataclass(frozen=True, slots=True)
class Measurement:
    """Figures that one run measures.

    Attributes:
        session: the session of `noxfile.py` that measures.
        page: the page of `docs/` with the figures.
        paths: the code that is measured, as files and directories of the repository.
        part: the argument of the session for these figures alone; empty for all of the page.
    """

    session: str
    page: str
    paths: tuple[str, ...]
    part: str = ""

    @property
    def key(self) -> str:
        """The name of its record."""
        return f"{self.session} {self.part}".rstrip()

    @property
    def command(self) -> str:
        """The command that measures it again."""
        return f"nox -s {self.session}" + (f" -- {self.part}" if self.part else "")


def _parts(
    session: str, page: str, paths: tuple[str, ...], parts: Iterable[str]
) -> Iterator[Measurement]:
    return (Measurement(session, page, paths, part) for part in parts)


def _mutants(room: str) -> Measurement:
    code = [row.folder for row in rows(room)]
    tests = [test for row in rows(room) for test in row.tests if not test.startswith("-")]
    return Measurement("mutants", "mutants.md", tuple(dict.fromkeys([*code, *tests])), room)


MEASUREMENTS = (
    *_parts("bench", "benchmarks.md", _READING, ("validation",)),
    *_parts("bench", "benchmarks.md", _GENERATOR, ("generation", "lines")),
    *_parts(
        "bench",
        "benchmarks.md",
        _SDK,
        (
            *("calls", "bulk", "events", "import", "webhooks"),
            *("ready", "memory", "installed", "stub-1", "stub-8", "stub-64"),
        ),
    ),
    *_parts(
        "bench",
        "benchmarks.md",
        (*_GENERATOR, _RUNTIME),
        ("items", "post", "large-import", "large-call", "large-memory"),
    ),
    *_parts(
        "bench",
        "benchmarks.md",
        _REVIEW,
        ("changes-time", "changes-memory", "changes-findings", "contract-change"),
    ),
    Measurement("situations", "sdk-situations.md", (*_SDK, "lab/situations")),
    Measurement("real_servers", "sdk-real-servers.md", (*_GENERATOR, _RUNTIME, "lab/real_servers")),
    *_parts(
        "compatibility",
        "compatibility.md",
        (*_GENERATOR, _RUNTIME, "lab/compatibility"),
        ("published", "ordinary", "swagger", "times"),
    ),
    Measurement("wire_proof", "wire-proof.md", (*_GENERATOR, _RUNTIME, "lab/wire")),
    Measurement("costs", "costs.md", (_TOOLKIT, "templates", "lab/costs")),
    Measurement("agreement", "agreement.md", (_TOOLKIT, "templates", "lab/agreement", "lab/wire")),
    Measurement("validators", "validators.md", (*_READING, "lab/validators")),
    Measurement("docs_pages", "docs-pages.md", (f"{_TOOLKIT}/reference", "lab/docs_pages")),
    Measurement("polarity", "review-polarity.md", (*_REVIEW, "lab/polarity")),
    Measurement("histories", "review-histories.md", (*_REVIEW, "lab/histories")),
    *map(_mutants, ROOMS),
    Measurement("faults", "contract-faults.md", (*_CONTRACT_TESTS, _SERVICE, "lab/faults")),
    Measurement(
        "faults_by_others",
        "contract-faults-by-others.md",
        (*_CONTRACT_TESTS, _SERVICE, "lab/faults_by_others"),
    ),
    Measurement("shops", "contract-shops.md", (*_CONTRACT_TESTS, "lab/shops")),
    Measurement("tickets", "contract-tickets.md", (*_CONTRACT_TESTS, "lab/tickets", "lab/archive")),
    Measurement("loads", "contract-tickets.md", (*_CONTRACT_TESTS, "lab/tickets")),
    Measurement(
        "foreign_servers", "contract-foreign-servers.md", (*_CONTRACT_TESTS, "lab/foreign_servers")
    ),
    Measurement(
        "adoption", "contract-foreign-servers.md", (*_CONTRACT_TESTS, "lab/foreign_servers")
    ),
    Measurement("bench_service", "benchmarks-service.md", (_SERVICE, "lab/benchmarks/service")),
    Measurement("neighbours", "service-neighbours.md", (_SERVICE, "lab/neighbours")),
    Measurement("kills", "service-faults.md", (_SERVICE, "lab/kills")),
    Measurement("outages", "service-faults.md", (_SERVICE, "lab/outages")),
    Measurement("restarts", "service-faults.md", (_SERVICE, "service/deploy", "lab/restarts")),
)
BY_KEY = {measurement.key: measurement for measurement in MEASUREMENTS}

"""The cost of a package with hundreds of operations: its import, and its first call."""

import json
import sys
from pathlib import Path

from lab.benchmarks import generation
from lab.benchmarks.measurement import OURS, Goal, Measurement, Samples
from lab.benchmarks.overhead import raw_server
from lab.benchmarks.validation import CORPUS
from lab.benchmarks.workshop import PROBES, Workshop, probe, timed

GITHUB = CORPUS / "specs" / "github-2022-07.json"
CLIENT = "specwright, with its client"
PATH = "/rate_limit"


def has_corpus(workshop: Workshop) -> bool:
    if not GITHUB.is_file():
        workshop.absent[OURS] = "needs the corpus: set SPECWRIGHT_CORPUS"
    return GITHUB.is_file()


def imported(workshop: Workshop) -> Samples:
    """Measure the CPU time of an interpreter that imports the package, minus an empty one's."""
    if not has_corpus(workshop):
        return {}
    place = f"import sys; sys.path.insert(0, {str(package(workshop))!r}); "
    programs = {OURS: "import github_api", CLIENT: "from github_api import GithubApiClient"}
    samples: Samples = {subject: [] for subject in programs}
    for _ in range(workshop.rounds + 1):
        for subject, values in samples.items():
            empty = timed([sys.executable, "-c", place]).cpu
            values.append(timed([sys.executable, "-c", place + programs[subject]]).cpu - empty)
    # The first round wrote the bytecode files.
    return {subject: values[1:] for subject, values in samples.items()}


def first_call(workshop: Workshop) -> Samples:
    """Measure the CPU time of an interpreter that makes one call, minus that of an empty one."""
    if not has_corpus(workshop):
        return {}
    directory, values = str(package(workshop)), []
    with raw_server(workshop, {PATH: limits()}) as base:
        for _ in range(workshop.rounds + 1):
            empty = timed([sys.executable, "-c", "pass"]).cpu
            command = [sys.executable, str(PROBES / "first_call.py"), base, directory]
            values.append(timed(command).cpu - empty)
    return {OURS: values[1:]}


def memory_of_first_call(workshop: Workshop) -> Samples:
    """Measure the peak memory of these processes."""
    if not has_corpus(workshop):
        return {}
    directory, values = str(package(workshop)), []
    with raw_server(workshop, {PATH: limits()}) as base:
        for _ in range(workshop.rounds):
            values += probe(sys.executable, "first_call.py", base, directory)["memory"]
    return {OURS: values}


def package(workshop: Workshop) -> Path:
    return generation.package(workshop, GITHUB, "github_api")


def limits() -> object:
    """Return the example of the response that is read."""
    examples = json.loads(GITHUB.read_text("utf-8"))["components"]["examples"]
    return examples["rate-limit-overview"]["value"]


ABOUT = "The package of GitHub's document, with 874 operations. "

LARGE_IMPORT = Measurement(
    "large-import",
    "Importing a package of 874 operations",
    "ms",
    ABOUT + "CPU time of a fresh interpreter less that of an empty one; modules are compiled "
    "already.",
    imported,
    (Goal("at most 40 ms", lambda m: m[OURS] <= 40),),
)
LARGE_CALL = Measurement(
    "large-call",
    "The first call of a package of 874 operations",
    "ms",
    "CPU time of a fresh interpreter that imports the package, makes a client, calls one operation "
    "of a local server and reads the response into models, less that of an empty one. Most of it "
    "is the import of all 943 models, each a class that Pydantic makes; most of the rest is that "
    "of httpx2, its engine and Pydantic.",
    first_call,
    (Goal("at most 150 ms", lambda m: m[OURS] <= 150),),
)
LARGE_MEMORY = Measurement(
    "large-memory",
    "Memory of this first call",
    "MB",
    "The most that such a process held.",
    memory_of_first_call,
    (Goal("at most 60 MB", lambda m: m[OURS] <= 60),),
)

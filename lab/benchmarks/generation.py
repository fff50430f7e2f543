"""The time to generate code from the document, and the amount of generated code."""

import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

from lab.benchmarks.measurement import OURS, Goal, Measurement, Samples
from lab.benchmarks.peers import PEERS
from lab.benchmarks.workshop import DOCUMENT, Workshop, timed

WARM = "specwright, nothing changed"
FROM_DOCUMENT = "specwright, without the runtime that all documents share"
OPC = PEERS["openapi-python-client"].label

Make = Callable[[Workshop, Path], list[str]]


def ours(workshop: Workshop, output: Path) -> list[str]:
    package = ["--package", "partner_esim", "--document", str(DOCUMENT)]
    # The cache is next to the output: an empty directory makes the run cold.
    environment = ["env", f"XDG_CACHE_HOME={output.parent}"]
    return [*environment, "specwright", "generate", *package, "--output", str(output)]


def package(workshop: Workshop, document: Path, name: str) -> Path:
    """Return a directory with the package of a document, which is generated on first use."""
    place = workshop.place / name
    if not place.exists():
        # Elsewhere, as the settings of this repository are for its own document.
        place.mkdir()
        copy = str(shutil.copy(document, place))
        command = ["env", f"--chdir={place}", "specwright", "generate", copy]
        timed([*command, "--package", name, "--output", "sdk"])
    return place / "sdk"


def openapi_python_client(
    workshop: Workshop, output: Path, document: Path = DOCUMENT, name: str = "peer_client"
) -> list[str]:
    command = workshop.command_of("openapi-python-client", "openapi-python-client")
    target = ["--meta", "none", "--overwrite", "--output-path", str(output / name)]
    return [command, "generate", "--path", str(document), *target]


def datamodel_code_generator(workshop: Workshop, output: Path) -> list[str]:
    command = workshop.command_of("datamodel-code-generator", "datamodel-codegen")
    kind = ["--input-file-type", "openapi", "--output-model-type", "pydantic_v2.BaseModel"]
    return [command, "--input", str(DOCUMENT), *kind, "--output", str(output / "models.py")]


def openapi_generator(workshop: Workshop, output: Path) -> list[str]:
    command = workshop.command_of("openapi-generator", "openapi-generator-cli")
    # Its own validator rejects links with an object as request body, which OpenAPI allows.
    options = ["--skip-validate-spec", "-i", str(DOCUMENT), "-o", str(output)]
    return [command, "generate", "-g", "python", *options]


GENERATORS: dict[str, Make] = {
    "openapi-python-client": openapi_python_client,
    "datamodel-code-generator": datamodel_code_generator,
    "openapi-generator": openapi_generator,
}


def takers(workshop: Workshop) -> Iterable[tuple[str, Make]]:
    yield OURS, ours
    for key in workshop.invite(GENERATORS):
        yield PEERS[key].label, GENERATORS[key]


def generation_time(workshop: Workshop) -> Samples:
    """Measure the generators: each round runs every one once, into an empty directory."""
    makes = list(takers(workshop))
    samples: Samples = {OURS: [], WARM: []}
    for _ in range(workshop.rounds + 1):
        for subject, make in makes:
            command = make(workshop, workshop.fresh("generated") / "output")
            samples.setdefault(subject, []).append(timed(command).wall)
            if make is ours:
                samples[WARM].append(timed(command).wall)
    # The first round wrote the bytecode files.
    return {subject: values[1:] for subject, values in samples.items()}


def generated_lines(workshop: Workshop) -> Samples:
    samples: Samples = {}
    for subject, make in takers(workshop):
        output = workshop.fresh("lines") / "output"
        timed(make(workshop, output))
        # The tests that openapi-generator adds are left out.
        samples[subject] = [count_lines(output, leave_out="test")]
        if make is ours:
            samples[FROM_DOCUMENT] = [count_lines(output, leave_out="_runtime")]
    return samples


def count_lines(output: Path, leave_out: str) -> float:
    """Count the lines of Python in a directory, without subdirectories of a given name."""
    return float(
        sum(
            len(path.read_text("utf-8").splitlines())
            for path in output.rglob("*.py")
            if leave_out not in path.relative_to(output).parts
        )
    )


GENERATION_TIME = Measurement(
    "generation",
    "Generating everything from the document",
    "ms",
    "Wall time of the command with an empty cache, and once more without changes.",
    generation_time,
    (
        Goal("cold: at most 1.5 times openapi-python-client", lambda m: m[OURS] <= 1.5 * m[OPC]),
        Goal("without changes: at most 0.25 of cold", lambda m: m[WARM] <= 0.25 * m[OURS]),
    ),
)
GENERATED_LINES = Measurement(
    "lines",
    "Lines of generated Python",
    "lines",
    "All modules, runtime included, tests left out. Ours holds sync and async client, server stub "
    "and webhooks; openapi-python-client and openapi-generator a client, "
    "datamodel-code-generator models.",
    generated_lines,
    (Goal("at most 3,000", lambda m: m[OURS] <= 3000),),
)

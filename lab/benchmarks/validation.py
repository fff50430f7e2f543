"""The cost of validating a large document, without the start-up."""

import os
from pathlib import Path

from lab.benchmarks.measurement import OURS, Goal, Measurement, Samples
from lab.benchmarks.workshop import ROOT, Workshop, timed

CORPUS = Path(os.environ.get("SPECWRIGHT_CORPUS", ROOT / "../shared/corpus"))
LARGE = CORPUS / "specs" / "polar.json"


def validation(workshop: Workshop) -> Samples:
    if not LARGE.is_file():
        workshop.absent[OURS] = "needs the corpus: set SPECWRIGHT_CORPUS"
        return {}
    samples: Samples = {OURS: []}
    for _ in range(workshop.rounds):
        start = timed(["specwright", "validate", "--help"]).cpu
        samples[OURS].append(timed(["specwright", "validate", str(LARGE)]).cpu - start)
    return samples


VALIDATION = Measurement(
    "validation",
    "Validating a document of 2.7 MB",
    "ms",
    "CPU time of `specwright validate` less that of `specwright validate --help`.",
    validation,
    (Goal("at most 1,500 ms", lambda m: m[OURS] <= 1500),),
)

"""The results of other generators on a document, cached by version and document hash.

The runs take hours for documents that do not change, so the results are kept in a file.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable
from pathlib import Path

from lab.benchmarks.peers import PEERS as INSTALLED
from lab.benchmarks.workshop import Workshop
from lab.compatibility.commands import refusal

KEPT = Path(__file__).with_suffix(".json")
Run = Callable[[Workshop, Path, Path], str]


class Peers:
    """Other generators, each run once per document."""

    def __init__(self, workshop: Workshop) -> None:
        self._workshop = workshop
        self._lock = threading.Lock()
        self._said: dict[str, dict[str, str]] = (
            json.loads(KEPT.read_text("utf-8")) if KEPT.exists() else {}
        )

    def refusal(self, name: str, document: Path, place: Path) -> str:
        """Return the reason a peer refuses a document, in one line, or an empty text."""
        said = self._said.setdefault(INSTALLED[name].label, {})
        key = hashlib.sha256(document.read_bytes()).hexdigest()[:16]
        if key not in said:
            answer = PEERS[name](self._workshop, document, place)
            with self._lock:
                said[key] = answer
                KEPT.write_text(json.dumps(self._said, indent=1, sort_keys=True) + "\n", "utf-8")
        return said[key]


def _openapi_python_client(workshop: Workshop, document: Path, place: Path) -> str:
    command = workshop.command_of("openapi-python-client", "openapi-python-client")
    target = ["--meta", "none", "--overwrite", "--output-path", str(place / "peer")]
    return refusal([command, "generate", "--path", str(document), *target], place)


def _openapi_generator(workshop: Workshop, document: Path, place: Path) -> str:
    command = workshop.command_of("openapi-generator", "openapi-generator-cli")
    target = ["--output", str(place / "java")]
    return refusal([command, "generate", "-g", "python", "-i", str(document), *target], place)


def _datamodel_code_generator(workshop: Workshop, document: Path, place: Path) -> str:
    command = workshop.command_of("datamodel-code-generator", "datamodel-codegen")
    kind = ["--input-file-type", "openapi", "--output-model-type", "pydantic_v2.BaseModel"]
    output = ["--output", str(place / "models.py")]
    return refusal([command, "--input", str(document), *kind, *output], place)


PEERS: dict[str, Run] = {
    "openapi-python-client": _openapi_python_client,
    "openapi-generator": _openapi_generator,
    # Generates models only.
    "datamodel-code-generator": _datamodel_code_generator,
}

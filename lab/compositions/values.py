"""Values of a document, on their way through its client, its stub and back.

The checks are those of the agreement loop, with its independent validator; here only what they say
of operations that no finding concerns is a fault.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from lab.agreement.checks import client, samples, stub, traffic
from lab.agreement.subject import Subject
from specwright.check.checks import check
from specwright.document.model import Document
from specwright.document.operations.sites import operations
from specwright.document.operations.usage import OperationUsage
from specwright.ir.model.api import Api
from specwright.pointer import split
from specwright.policy import Settings

CHECKS = (samples, client, traffic, stub)
# Some schemas have none, and others are beyond the sampler: both say so with their place.
_NO_VALUE = "no value"
# Each path of a document begins with a name of its own.
_PATH = re.compile(r"/v\d+")


def contradictions(file: Path, package: tuple[Document, Api, ModuleType]) -> Iterator[str]:
    """Yield what the checks say of a document's operations that no finding concerns.

    Args:
        package: what `made` returns for the document.
    """
    subject = Subject(file, file.parent)
    subject.package = package
    sound = _sound_paths(subject.sound.document)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for judged in CHECKS:
            for complaint in judged(subject):
                path = _PATH.search(complaint)
                if (path is None or path[0] in sound) and _NO_VALUE not in complaint:
                    yield f"{judged.__name__}: {complaint}"


def _sound_paths(document: Document) -> set[str]:
    findings = check(document, Settings()).findings
    concerned = OperationUsage(document).reaching(
        place for finding in findings for place in finding.places
    )
    paths = {site.pointer: _PATH.search(split(site.pointer)[1]) for site in operations(document)}
    return {path[0] for pointer, path in paths.items() if path and pointer not in concerned}

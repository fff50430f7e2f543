"""Repair of a document, so that code can be generated from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from jsonschema_rs.canonical.schema import clone

from specwright.check.checks import LEFT_OUT
from specwright.check.context import LintContext
from specwright.check.lint.document import reference_kind
from specwright.check.lint.paths import path_template
from specwright.check.repair.edits import Edit, apply
from specwright.check.repair.names import tell_apart
from specwright.check.repair.objects import edit, is_loss
from specwright.check.repair.variables import describe_variables
from specwright.check.schema import check_schema
from specwright.document.model import Document
from specwright.document.sources.references import check_references
from specwright.errors import SpecwrightError, UnresolvedError
from specwright.findings import Finding
from specwright.pointer import Pointer, parents

# Each round starts from the result of the one before; documents in use take three.
MOST_ROUNDS = 20


@dataclass(slots=True)
class RepairedDocument:
    """A document that code can be generated from.

    Attributes:
        dropped: findings about the parts that are left out.
    """

    document: Document
    dropped: list[Finding] = field(default_factory=list)

    def drop(self, pointer: Pointer, message: str) -> None:
        """Record a part that is about to be left out, in place of records of parts inside it."""
        within = f"{pointer}/"
        self.dropped = [
            finding
            for finding in self.dropped
            if not any(f"{place}/".startswith(within) for place in finding.places)
        ]
        place, written = self.document.locate(pointer), self.document.as_written(pointer)
        level, at = LEFT_OUT.recommended, (pointer,)
        self.dropped.append(Finding(LEFT_OUT.id, level, place, written, message, upgraded=at))


def repair(document: Document, *, short_names: bool) -> RepairedDocument:
    """Read an upgraded document as far as possible: a mistake costs at most its element."""
    # Parts that 3.0 forbids and 3.1 allows can be read.
    repaired = RepairedDocument(replace(document, data=clone(document.data), written=None))
    for pointer, error in document.unresolved.items():
        repaired.drop(pointer, _words(error))
    for _ in range(MOST_ROUNDS):
        if not any(step(repaired) for step in _STEPS):
            break
    else:
        raise SpecwrightError(
            f"{document.path}: too much of the document breaks the specification",
            hint=f"see specwright validate {document.path}",
        )
    repaired.document = tell_apart(repaired.document, short=short_names)
    return repaired


def _objects(repaired: RepairedDocument) -> bool:
    """Repair objects that break the official schema; return whether there were any."""
    nodes = {node.pointer: node for node in LintContext(repaired.document).nodes}
    edits: dict[Pointer, Edit] = {}
    messages: dict[Pointer, str] = {}
    for problem in check_schema(repaired.document):
        repair = edit(problem, nodes, repaired.document.data)
        if repair is not None and repair.pointer not in edits:
            edits[repair.pointer] = repair
            messages[repair.pointer] = problem.message
    for pointer, repair in edits.items():
        if is_loss(repair, nodes) and not edits.keys() & set(parents(pointer)):
            repaired.drop(pointer, messages[pointer])
    repaired.document = apply(repaired.document, edits.values())
    return bool(edits)


def _kinds(repaired: RepairedDocument) -> bool:
    """Remove references to objects of another kind; return whether there were any."""
    wrong = {
        violation.pointer.removesuffix("/$ref"): violation.message
        for violation in reference_kind(LintContext(repaired.document))
    }
    for pointer, message in wrong.items():
        repaired.drop(pointer, message)
    repaired.document = apply(repaired.document, [Edit(pointer, {}) for pointer in wrong])
    return bool(wrong)


def _references(repaired: RepairedDocument) -> bool:
    """Remove references to parts that were left out; return whether there were any."""
    before = repaired.document.unresolved
    repaired.document = check_references(repaired.document)
    after = repaired.document.unresolved
    new = [pointer for pointer, error in after.items() if error is not before.get(pointer)]
    for pointer in new:
        repaired.drop(pointer, _words(after[pointer]))
    return bool(new)


def _templates(repaired: RepairedDocument) -> bool:
    """Remove paths that are not templates; return whether there were any."""
    violations = path_template(LintContext(repaired.document))
    wrong = {violation.pointer: violation.message for violation in violations}
    for pointer, message in wrong.items():
        repaired.drop(pointer, message)
    repaired.document = apply(repaired.document, map(Edit, wrong))
    return bool(wrong)


def _path_parameters(repaired: RepairedDocument) -> bool:
    """Describe the variables of paths that no parameter describes; return whether any are new."""
    edits = describe_variables(repaired.document)
    repaired.document = apply(repaired.document, edits)
    return bool(edits)


_STEPS: tuple[Callable[[RepairedDocument], bool], ...] = (
    _objects,
    _kinds,
    _references,
    _templates,
    _path_parameters,
)


def _words(error: UnresolvedError) -> str:
    return f"{error.message}: {error.hint}"

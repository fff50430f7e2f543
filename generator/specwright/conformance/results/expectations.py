"""The expected behaviour at the place of a violation, in a few lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from specwright.conformance.behaviours import Behaviour
from specwright.conformance.contract.contract import Contract
from specwright.conformance.recording.record import Violation
from specwright.findings import EXPECTED, Evidence

_LONGEST = 1_500
_OF_STATUSES = (
    Behaviour.UNDECLARED_STATUS,
    Behaviour.UNREADABLE_REFUSAL,
    Behaviour.UNDECLARED_REFUSAL,
)
# The expected response, if it is the same for every operation.
_ANSWERS: Mapping[str, str] = {
    Behaviour.SERVER_ERROR: "a success, or a 4xx error",
    Behaviour.NO_ANSWER: "a response",
    Behaviour.INVALID_ACCEPTED: "a 4xx error",
    Behaviour.VALID_REFUSED: "a response other than a rejection as malformed",
    Behaviour.CREDENTIALS_IGNORED: "401",
    Behaviour.PERMISSION: "403",
    Behaviour.ISOLATION: "the response for a resource that never existed",
    Behaviour.METHOD_NOT_ALLOWED: "405, with an Allow header that names all methods of the path",
}


def expected(contract: Contract, violation: Violation) -> Iterator[Evidence]:
    """Yield the expected statuses, schema or response, if they are known."""
    rule, pointer = violation.rule, violation.pointer
    operation = contract.operations.get(pointer.removesuffix("/responses"))
    if rule in _OF_STATUSES and operation is not None:
        yield Evidence(EXPECTED, f"one of the statuses {', '.join(operation.responses)}")
    elif rule == Behaviour.RESPONSE_SCHEMA:
        schema = contract.document.follow({"$ref": f"#{pointer}"})
        written = json.dumps(schema, indent=2, ensure_ascii=False)
        more = "\n…" if len(written) > _LONGEST else ""
        yield Evidence(EXPECTED, written[:_LONGEST] + more)
    elif rule in _ANSWERS:
        yield Evidence(EXPECTED, _ANSWERS[rule])

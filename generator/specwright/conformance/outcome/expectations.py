"""The expected behaviour at the place of a violation, in a few lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from specwright.conformance.checks.access.ignored_credentials import CREDENTIALS_IGNORED
from specwright.conformance.checks.access.isolation import ISOLATION
from specwright.conformance.checks.access.permission import PERMISSION
from specwright.conformance.checks.requests.accepted import INVALID_ACCEPTED
from specwright.conformance.checks.requests.validation import VALID_REFUSED
from specwright.conformance.checks.responses.monitors import (
    NO_ANSWER,
    RESPONSE_SCHEMA,
    SERVER_ERROR,
)
from specwright.conformance.checks.responses.statuses import (
    UNDECLARED_REFUSAL,
    UNDECLARED_STATUS,
    UNREADABLE_REFUSAL,
)
from specwright.conformance.checks.robustness.methods import METHOD_NOT_ALLOWED
from specwright.conformance.contract.contract import Contract
from specwright.conformance.recording.record import Violation
from specwright.findings import EXPECTED, Evidence

_LONGEST = 1_500
_OF_STATUSES = (
    UNDECLARED_STATUS,
    UNREADABLE_REFUSAL,
    UNDECLARED_REFUSAL,
)
# The expected response, if it is the same for every operation.
_ANSWERS: Mapping[str, str] = {
    SERVER_ERROR: "a success, or a 4xx error",
    NO_ANSWER: "a response",
    INVALID_ACCEPTED: "a 4xx error",
    VALID_REFUSED: "a response other than a rejection as malformed",
    CREDENTIALS_IGNORED: "401",
    PERMISSION: "403",
    ISOLATION: "the response for a resource that never existed",
    METHOD_NOT_ALLOWED: "405, with an Allow header that names all methods of the path",
}


def expected(contract: Contract, violation: Violation) -> Iterator[Evidence]:
    """Yield the expected statuses, schema or response, if they are known."""
    rule, pointer = violation.rule, violation.pointer
    operation = contract.operations.get(pointer.removesuffix("/responses"))
    if rule in _OF_STATUSES and operation is not None:
        yield Evidence(EXPECTED, f"one of the statuses {', '.join(operation.responses)}")
    elif rule == RESPONSE_SCHEMA:
        schema = contract.document.follow({"$ref": f"#{pointer}"})
        written = json.dumps(schema, indent=2, ensure_ascii=False)
        more = "\n…" if len(written) > _LONGEST else ""
        yield Evidence(EXPECTED, written[:_LONGEST] + more)
    elif rule in _ANSWERS:
        yield Evidence(EXPECTED, _ANSWERS[rule])

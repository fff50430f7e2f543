"""All faults by name, each with its class.

They were written from the source text, the decisions on it and the document, by an author who had
not read what `specwright test` looks for; and so they tell how much of that is left to find.
"""

from __future__ import annotations

from lab.faults.table import faults_of
from lab.faults_by_others import (
    authentication,
    idempotency,
    isolation,
    limits,
    lists,
    money,
    rate_limits,
    receivers,
    robustness,
    shape,
    states,
    timing,
    validation,
    webhooks,
)

CLASSES = (
    shape,
    validation,
    idempotency,
    limits,
    lists,
    webhooks,
    receivers,
    authentication,
    isolation,
    states,
    robustness,
    money,
    rate_limits,
    timing,
)
FAULTS = {fault.name: fault for module in CLASSES for fault in faults_of(module)}

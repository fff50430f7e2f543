"""The tests that the plugin adds to a project without its own tests of operations."""

from __future__ import annotations

import pytest

from specwright.testing.outcome import OperationOutcome, Outcome, errors, shown


def test_operation(specwright_operation: OperationOutcome) -> None:
    """Check that an operation conforms to the document."""
    if not specwright_operation.is_right:
        pytest.fail(str(specwright_operation), pytrace=False)


def test_everything_else(specwright_outcome: Outcome) -> None:
    """Check the findings that belong to no operation, and that the run was completed."""
    messages = [shown(error) for error in errors(specwright_outcome.others)]
    messages += [specwright_outcome.stopped] if specwright_outcome.stopped is not None else []
    if messages:
        pytest.fail("\n\n".join(messages), pytrace=False)

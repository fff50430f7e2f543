"""The tests that the plugin adds to a project without tests of operations."""

from __future__ import annotations

import pytest

from specwright.testing.outcome import OperationOutcome, Outcome, errors, shown


def test_operation(specwright_operation: OperationOutcome) -> None:
    """An operation is as the document says."""
    if not specwright_operation.is_right:
        pytest.fail(str(specwright_operation), pytrace=False)


def test_everything_else(specwright_outcome: Outcome) -> None:
    """What belongs to no operation is as the document says, and the run came to its end."""
    said = [shown(each) for each in errors(specwright_outcome.others)]
    said += [specwright_outcome.stopped] if specwright_outcome.stopped is not None else []
    if said:
        pytest.fail("\n\n".join(said), pytrace=False)

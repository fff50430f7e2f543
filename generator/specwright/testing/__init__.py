"""Contract tests from Python: `check` tests an application or a server against its document."""

from specwright.testing.check import check
from specwright.testing.data import Data, Example
from specwright.testing.outcome import OperationOutcome, Outcome

__all__ = ["Data", "Example", "OperationOutcome", "Outcome", "check"]

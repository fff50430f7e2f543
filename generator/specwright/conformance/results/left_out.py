"""Operations that are not tested because the document has errors there."""

from __future__ import annotations

from collections.abc import Iterator

from specwright.conformance.contract.contract import Contract
from specwright.findings import Table


def left_out(contract: Contract) -> Iterator[Table]:
    """Yield a table of these operations, if any, with the location of an error in each."""
    rows = tuple(
        (
            f"{site.method} {site.key}",
            f"{error.location.file}:{error.location.line}:{error.location.column}",
            error.message,
        )
        for site, error in contract.left_out
    )
    if rows:
        yield Table("Left out", ("operation", "where the document has an error", ""), rows)

"""The proof as a Markdown page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from lab.measured import records
from lab.wire.proof import Proof
from lab.wire.reasons import reason

HEAD = """\
# The proof of the wire

Written by `nox -s wire_proof` {measured}; do not edit. \
For each document a server is made from the document \
alone, and its generated client calls every operation over HTTP: with all arguments and with the \
least, with each media type of the body, for each declared status and media type of the response. \
Values are the document's valid examples, else drawn from its schemas.

A call agrees if

- each model that it takes is the same JSON again, and the same model again;
- method, path, query, headers, cookies, credentials and the bytes of the body are what the \
document as it is written asks for, by the judgement of others: uritemplate (RFC 6570), the \
parsers of Starlette, python-multipart and Werkzeug, jsonschema with `openapi-schema-validator`;
- the value that the client returns is the one that the server made: the body of a success, each \
item of a stream, the body of an error.

Moments, durations and UUIDs count as equal however they are written. What a document declares of \
webhooks and callbacks is not part of it.
"""


def page(proofs: Mapping[str, Proof], missing: Sequence[str] = ()) -> str:
    """The page; documents that are missing have not been tried."""
    parts = (_table(proofs), _missing(missing), _exceptions(proofs), _untried(proofs))
    head = HEAD.rstrip().format(measured=records.words("wire_proof"))
    return "\n\n".join([head, *("\n".join(part) for part in parts)]) + "\n"


def unexplained(proofs: Mapping[str, Proof]) -> int:
    """Return the number of exceptions without a reason."""
    return sum(
        not reason(name, *exception)
        for name, proof in proofs.items()
        for exception in proof.exceptions
    )


def _table(proofs: Mapping[str, Proof]) -> Iterator[str]:
    yield "| document | operations | calls | agree | exceptions | no value |"
    yield "|---|---:|---:|---:|---:|---:|"
    for name, each in proofs.items():
        yield _row(name, each.operations, each.calls, each.agreed, len(each.untried))
    found = [*proofs.values()]
    totals = (sum(p.operations for p in found), sum(p.calls for p in found))
    yield _row("all", *totals, sum(p.agreed for p in found), sum(len(p.untried) for p in found))


def _row(name: str, operations: int, calls: int, agreed: int, untried: int) -> str:
    counts = (operations, calls, agreed, calls - agreed, untried)
    return f"| {name} | {' | '.join(f'{count:,}' for count in counts)} |"


def _missing(names: Sequence[str]) -> Iterator[str]:
    yield f"Not tried: {', '.join(names)}." if names else "All documents of the corpus were tried."


def _exceptions(proofs: Mapping[str, Proof]) -> Iterator[str]:
    yield "## Exceptions"
    yield ""
    yield "| document | operation | calls | what does not agree | why |"
    yield "|---|---|---:|---|---|"
    for name, proof in proofs.items():
        for (operation, said), count in Counter(map(tuple, proof.exceptions)).items():
            why = reason(name, operation, said) or "**not explained**"
            yield f"| {name} | {_cell(operation)} | {count} | {_cell(said)} | {why} |"


def _untried(proofs: Mapping[str, Proof]) -> Iterator[str]:
    yield "## Calls without a value"
    yield ""
    yield "No value was found for something that a call cannot do without, so it was not made."
    yield ""
    yield "| document | operation | missing value | why |"
    yield "|---|---|---|---|"
    for name, proof in proofs.items():
        for operation, said in proof.untried:
            why = reason(name, operation, said)
            yield f"| {name} | {_cell(operation)} | {_cell(said)} | {why} |"


def _cell(text: str) -> str:
    plain = text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")
    plain = plain if len(plain) <= 140 else f"{plain[:139]}…"
    return f"`{plain.replace('`', ' ')}`"

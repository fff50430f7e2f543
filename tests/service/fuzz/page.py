"""docs/reference/schemathesis.md: how to run it, and the findings that are wrong here."""

from __future__ import annotations

from dataclasses import dataclass

HEAD = """\
# Contract tests with schemathesis, as it is

[schemathesis](https://schemathesis.readthedocs.io) reads a document, makes requests up and checks
the answers. This page says how to run it against `esim-service`, and which of its findings are
wrong for this contract. It finds nothing else.

One command does everything: it starts the service three times (SQLite with a test key, SQLite with
a live key, PostgreSQL with a test key), runs all phases and all checks with 100 examples, and fails
for whatever is not in the table below, for an operation that was never answered with 2xx, and for
an error in the service's log. It takes about three minutes:

<!-- not run: minutes, and a tool that is no dependency of the tests -->
```console
$ nox -s fuzz
```

By hand, against a service of your own:

<!-- not run: minutes, and a tool that is no dependency of the tests -->
```console
$ python -m venv st && st/bin/pip install 'schemathesis>=4.32,<5'
$ key=$(esim-service keys create --database esim.sqlite3 --partner fuzz --mode test --plain \\
    --read-limit 1000000 --write-limit 1000000)
$ esim-service serve --database esim.sqlite3 --port 8000 &
$ st/bin/schemathesis run http://127.0.0.1:8000/api/v1/openapi.json \\
    --header "Authorization: Bearer $key" --checks all --max-examples 100
```

The limits of the key are high because a run sends some 2,000 requests, and 60 writes a minute
would make that half an hour of 429. A live key needs money:
`esim-service partners credit fuzz 100000.00`.

## Findings that are wrong here

All are of one check, `positive_data_acceptance` (ST202, "Schema-valid request rejected"). It takes
for granted that whoever keeps the schema gets 2xx, 401, 403, 404, 409 or 429. A schema says
what a request looks like. It cannot say which plans are sold, what a cursor means or what a
reference was used for before. For such a request the contract requires the answer below.
schemathesis prints the first finding of each status of an operation only, so that the codes which
it names differ from run to run.

"""

FOOT = """
Leaving the check out would hide real faults, such as a schema that promises more than the service
takes. So the run keeps it and compares code by code.

## Other lines of its output

- `Could not resolve parameter limit via $request.query.limit` (also `coverage`, `type` and others):
  the link to the next page passes on what the first request had. A request without `limit` has
  nothing to pass on, and the next one takes the default as well.
- `Could not resolve parameter iccid via $response.body#/data/0/iccid` (also `order_id`): the list
  was empty.
- `Authentication failed: 1 operation returned only 401/403 responses`, with a live key: it is the
  reset of the sandbox, which is for test keys.
- `Supports NULL byte in headers: ✘`: as RFC 9110 wants it (5.5).

This page is made by `pytest tests/docs --accept schemathesis`.
"""


@dataclass(frozen=True, slots=True)
class Reason:
    """Findings that are wrong for one reason."""

    codes: tuple[str, ...]
    operations: tuple[str, ...]
    text: str


LISTS = ("GET /plans", "GET /orders", "GET /esims", "GET /esims/{iccid}/topup-plans", "GET /events")
ORDER, TOPUP = "POST /orders", "POST /esims/{iccid}/topups"
REASONS = (
    Reason(
        ("invalid_cursor",),
        LISTS,
        "A cursor is opaque: only one that the same list gave out is one. A schema that described "
        "their form would make clients build on it.",
    ),
    Reason(
        ("missing_country_or_coverage",),
        ("GET /plans",),
        "At least one of two parameters must be there. OpenAPI has no word for that; the document "
        "says it with `x-contract-requires-one-of`.",
    ),
    Reason(
        ("plan_not_found", "topup_plan_not_found"),
        (ORDER, TOPUP),
        "The id in the body is that of nothing in the catalogue.",
    ),
    Reason(
        ("plan_unavailable",),
        (ORDER,),
        "The plan is in the catalogue and cannot be ordered now.",
    ),
    Reason(
        ("days_required", "days_not_allowed"),
        (ORDER, TOPUP),
        "Whether `days` must be there depends on the plan that the id stands for. schemathesis "
        "puts the id of one plan into the example of another one.",
    ),
    Reason(
        ("topup_not_supported", "esim_not_eligible"),
        (TOPUP,),
        "The top-up plan is not for the plan of this eSIM, or the eSIM cannot be topped up.",
    ),
    Reason(
        ("reference_reused",),
        (ORDER, TOPUP),
        "The examples have fixed references, which schemathesis sends again with another plan. "
        "That is what 422 is for: rule 5 of idempotency, `x-contract-idempotency`.",
    ),
    Reason(
        ("insufficient_balance",),
        (ORDER, TOPUP),
        "The money is spent.",
    ),
    Reason(
        ("invalid_webhook_url",),
        ("POST /webhook-endpoints",),
        "An https url whose host is an address that is not public, or that is no URI as RFC 3986 "
        "has it: a pattern that excludes all of these would be pages long.",
    ),
)
EXPLAINED = {
    (operation, code)
    for reason in REASONS
    for code in reason.codes
    for operation in reason.operations
}


def render() -> str:
    rows = [
        f"| {_list(each.codes)} | {_list(each.operations)} | {each.text} |\n" for each in REASONS
    ]
    return HEAD + "| Code | Operations | Why |\n|---|---|---|\n" + "".join(rows) + FOOT


def _list(words: tuple[str, ...]) -> str:
    return ", ".join(f"`{each}`" for each in words)

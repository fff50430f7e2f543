"""Reports that hold everything a report may hold."""

from dataclasses import replace

from specwright.errors import Location
from specwright.findings import (
    Affected,
    Evidence,
    Finding,
    Level,
    Occurrence,
    Report,
    RuleDescription,
    Table,
)

RULES = tuple(
    RuleDescription(name, "Answers", why, "", "", Level.ERROR, Level.ERROR)
    for name, why in (
        ("response-shape", "A response is what its schema says."),
        ("status-documented", "A status is one that the document has."),
        ("replay", "A request that is repeated does its work once."),
    )
)
SHAPE = Finding(
    "response-shape",
    Level.ERROR,
    Location("spec/openapi.json", 17, 11),
    "/components/schemas/Order/properties/status",
    "POST /orders answered 201 with a status that is none of its values",
    Location("spec/old.json", 16, 9),
    (
        Evidence("curl", "curl -X POST http://127.0.0.1/orders \\\n  -d '{}'"),
        Evidence("response", 'HTTP/1.1 201 Created\n\n{"status": "lost"}'),
    ),
    '{"plan": "none"}',
)
STATUS = Finding(
    "status-documented",
    Level.WARNING,
    Location("spec/openapi.json", 40, 5),
    "/paths/~1plans/get",
    "GET /plans answered 503",
)
SLOW = Finding("slow", Level.INFO, Location("spec/openapi.json", 1, 1), None, "GET /esims is slow")
WAIVED = replace(STATUS, waived="The maintenance window is announced.")
REPORT = Report(
    "spec/openapi.json",
    (SHAPE, replace(SHAPE, location=Location("spec/openapi.json", 99, 1)), STATUS, SLOW),
    (WAIVED,),
    RULES,
    lambda location: {17: '    "status": {"enum": ["paid"]}'}.get(location.line),
    (("Target", "http://127.0.0.1/api"), ("Seed", "4711")),
    (
        Table(
            "Coverage",
            ("Operation", "Statuses"),
            (("POST /orders", "3 of 5"), ("GET /plans", "1 of 2")),
            "16 of 16 operations succeeded.",
        ),
    ),
)


def saying(text: str) -> Report:
    """A report that has a text in every place that can hold one."""
    finding = Finding(
        text,
        Level.ERROR,
        Location(text, 1, 3),
        text,
        text,
        Location(text, 2, 1),
        (Evidence(text, text),),
        '{"a": null}',
        None,
        cause=text,
        occurrences=tuple(
            Occurrence("F1", operation, Location(text, 1, 3), text, text, (Evidence(text, text),))
            for operation in (text, "POST /orders")
        ),
    )
    change = replace(
        finding,
        message="123",
        evidence=(),
        occurrences=(),
        affected=Affected(text, (text, "1", "2", "3")),
    )
    return Report(
        text,
        (finding, change),
        (replace(finding, waived=text),),
        (),
        lambda location: text,
        ((text, text),),
        (Table(text, (text, text), ((text, text),), text),),
        unchecked=(text,),
    )

"""HTTP messages as results and reports hold them."""

from __future__ import annotations

import pytest

from specwright.errors import Location
from specwright.findings import Evidence, Finding, Level, Report
from specwright.http_messages import MessageContent, RequestMessage, ResponseMessage
from specwright.report.redaction import REDACTED, Redaction

HEADERS = (("Etag", "1"), ("Etag", "2"))


@pytest.mark.parametrize(
    ("body", "members"),
    [
        (None, {}),
        (b"", {"body": ""}),
        ("schön".encode(), {"body": "schön"}),
        (b"\xff", {"body_base64": "/w=="}),
        (b"\0" * 8, {"body": "\0" * 8}),
        (b"123456789", {"body": "12345678", "bytes": 9}),
        (b"\xff" * 9, {"body_base64": "//////////8=", "bytes": 9}),
    ],
)
def test_a_body_is_text_or_base64_and_its_beginning_has_the_whole_length(
    body: bytes | None, members: dict[str, object]
) -> None:
    content = MessageContent.of(HEADERS, body, limit=8)
    assert content.as_json() == {"headers": [["Etag", "1"], ["Etag", "2"]], **members}
    read = MessageContent.from_json(content.as_json())
    assert (read.headers, read.data) == (HEADERS, None if body is None else body[:8])


def test_a_secret_is_in_no_part_of_a_message() -> None:
    secret = "s3cr3t-of-a-partner"
    content = MessageContent.of(((secret, secret),), f'{{"a": "{secret}"}}'.encode())
    binary = MessageContent.of((), b"\xff" + secret.encode())
    evidence = (
        Evidence("request", "curl", RequestMessage("POST", f"http://127.0.0.1/{secret}", content)),
        Evidence("response", "201", ResponseMessage(201, binary)),
    )
    finding = Finding("r", Level.INFO, Location("f", 1, 1), None, "m", evidence=evidence)
    [concealed] = Redaction([secret]).report(Report("f", (finding,))).findings
    sent, received = [item.http for item in concealed.evidence]
    assert sent is not None
    assert sent.as_json() == {
        "method": "POST",
        "url": f"http://127.0.0.1/{REDACTED}",
        "headers": [[REDACTED, REDACTED]],
        "body": f'{{"a": "{REDACTED}"}}',
    }
    assert isinstance(received, ResponseMessage)
    assert received.status == 201
    assert REDACTED in (received.content.body or "")

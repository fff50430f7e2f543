"""No secret is in any report, regardless of its surroundings and encoding."""

import base64
import json
import re
import string
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import quote, quote_plus, unquote

import click
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specwright.errors import Location
from specwright.findings import Report
from specwright.report.formats import FORMATS
from specwright.report.redaction import REDACTED, Redaction
from tests.report.samples import REPORT, STATUS, saying

SECRET = 'whsec_a/b+c="d\\é 7Zq'

WRITTEN: dict[str, Callable[[str], str]] = {
    "as it is": lambda secret: secret,
    "in a path": lambda secret: quote(secret),
    "in a query": lambda secret: quote(secret, safe=""),
    "in a segment": lambda secret: quote(secret, safe="!$&'()*+,;=:@"),
    "in a form": quote_plus,
    "in small hexadecimal digits": lambda secret: re.sub(
        "%..", lambda octet: octet[0].lower(), quote(secret, safe="")
    ),
    "in JSON": json.dumps,
    "in JSON with other letters": lambda secret: json.dumps(secret, ensure_ascii=False),
    "in JSON with slashes escaped": lambda secret: json.dumps(secret).replace("/", "\\/"),
    "in Base64": lambda secret: base64.b64encode(secret.encode()).decode(),
    "in Base64 for URLs": lambda secret: base64.urlsafe_b64encode(secret.encode()).decode(),
}
# They begin like nothing that a format writes itself.
SECRETS = st.text(string.ascii_letters + string.digits + '/+=" \\é→', min_size=6, max_size=40).map(
    "Zq".__add__
)


@pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN)
def test_every_form_of_a_secret_is_found(written: Callable[[str], str]) -> None:
    assert Redaction([SECRET]).text(f"before {written(SECRET)} after") in (
        f"before {REDACTED} after",
        # Quotation marks of JSON and the padding of Base64 tell nothing.
        f'before "{REDACTED}" after',
        f"before {REDACTED}= after",
        f"before {REDACTED}== after",
    )


@pytest.mark.parametrize(
    ("secret", "written", "shown"),
    [
        ("pin-7", "cGluLTc=", f"{REDACTED}="),
        ("pin-7", "cGluLTc", REDACTED),
        ("?>?>?", "Pz4/Pj8=", f"{REDACTED}="),
        ("?>?>?", "Pz4_Pj8=", f"{REDACTED}="),
    ],
)
def test_a_secret_too_short_to_be_found_within_base64_is_found_as_the_whole_of_it(
    secret: str, written: str, shown: str
) -> None:
    assert Redaction([secret]).text(written) == shown


def test_a_secret_with_half_of_a_surrogate_pair_is_found() -> None:
    # JSON may escape one half alone.
    half = json.loads(r'"key-\ud800-1"')
    assert (
        Redaction([half]).text(f"a {half}, {json.dumps(half)[1:-1]}") == f"a {REDACTED}, {REDACTED}"
    )


@pytest.mark.parametrize("user", ["", "u", "us", "use", "user"])
def test_credentials_are_found_within_the_base64_of_a_header(user: str) -> None:
    header = base64.b64encode(f"{user}:{SECRET}:more".encode()).decode()
    shown = Redaction([SECRET]).text(f"Authorization: Basic {header}")
    assert REDACTED in shown
    before, _, after = shown.removeprefix("Authorization: Basic ").partition(REDACTED)
    # A character at each end holds bits of a neighbour, too.
    known = len(before) + len(after)
    assert known <= len(header) - len(SECRET.encode()) * 8 // 6 + 2


@pytest.mark.parametrize(
    ("secret", "shown"),
    [
        # Nine characters of it, and six.
        ("pin-123", f"dXNy{REDACTED}35tb3Jl"),
        ("pin-1", "dXNycGluLTF+bW9yZQ=="),
    ],
)
def test_only_a_piece_of_base64_that_is_long_enough_is_hidden(secret: str, shown: str) -> None:
    header = base64.b64encode(f"usr{secret}~more".encode()).decode()
    assert Redaction([secret]).text(header) == shown


def test_values_lose_secrets_in_members_names_items_and_numbers() -> None:
    redaction = Redaction(["secret-1", "12345678"])
    assert redaction.value(
        {"a": ["x secret-1 y", None, True, 1.5], "secret-1": 12345678, "b": {"c": "fine"}}
    ) == {"a": [f"x {REDACTED} y", None, True, 1.5], REDACTED: REDACTED, "b": {"c": "fine"}}


def test_a_secret_within_another_one_does_not_save_the_rest() -> None:
    assert (
        Redaction(["part", "a part of it"]).text("a part of it, part") == "[redacted], [redacted]"
    )


def test_the_beginning_of_a_secret_does_not_save_its_end() -> None:
    redaction = Redaction(["secret", "secret-1"], ["value", "value-1-2"])
    assert redaction.text("secret-1, value-1-2") == "[redacted], [redacted]"


def test_an_empty_secret_hides_nothing() -> None:
    assert Redaction([""]).text("text") == "text"


def test_nothing_shows_the_secrets_of_a_redaction() -> None:
    redaction = Redaction([SECRET])
    assert "whsec" not in f"{redaction!r} {redaction}"
    assert not hasattr(redaction, "__dict__")


def test_a_report_without_secrets_stays_as_it_is() -> None:
    redacted = Redaction(["nowhere in it"]).report(REPORT)
    assert {name: render(redacted) for name, render in FORMATS.items()} == {
        name: render(REPORT) for name, render in FORMATS.items()
    }


def test_a_number_in_a_counterexample_is_hidden_and_it_stays_json() -> None:
    finding = replace(REPORT.findings[0], counterexample='{"pin": 12345678, "key": "secret-1"}')
    [redacted] = (
        Redaction(["12345678", "secret-1"]).report(replace(REPORT, findings=(finding,))).findings
    )
    assert json.loads(redacted.counterexample or "") == {"pin": REDACTED, "key": REDACTED}


def test_a_line_is_searched_once_for_all_findings_and_formats() -> None:
    asked = Counter[Location]()

    def line(location: Location) -> str:
        asked[location] += 1
        return "a document in one line with secret-1"

    there = [
        replace(STATUS, location=Location("openapi.json", 1, column)) for column in range(1, 50)
    ]
    redacted = Redaction(["secret-1"]).report(Report("openapi.json", tuple(there), line=line))
    rendered = [render(redacted) for render in FORMATS.values()]
    assert "in one line with [redacted]" in rendered[0]
    assert asked == {Location("openapi.json", 1, 1): 1}


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN)
@settings(max_examples=8)
@given(secret=SECRETS, before=st.text(), after=st.text())
def test_no_secret_survives_in_any_format(
    name: str, written: Callable[[str], str], secret: str, before: str, after: str
) -> None:
    report = saying(f"{before}{written(secret)}{after}")
    proof = json.dumps({before: secret})
    # The texts about rules are our own.
    findings = tuple(
        replace(finding, rule="r", counterexample=proof) for finding in report.findings
    )
    waived = tuple(replace(finding, rule="r") for finding in report.waived)
    redacted = Redaction([secret]).report(replace(report, findings=findings, waived=waived))
    rendered = click.unstyle(FORMATS[name](redacted))
    assert "redacted" in rendered
    for each in (rendered, unquote(rendered)):
        assert all(form(secret).strip('"=') not in each for form in WRITTEN.values())


IN_CLEAR = {how: form for how, form in WRITTEN.items() if "Base64" not in how}


@pytest.mark.parametrize("written", IN_CLEAR.values(), ids=IN_CLEAR)
@settings(max_examples=50)
@given(values=st.lists(SECRETS, min_size=1, max_size=9), before=st.text(), after=st.text())
def test_no_value_survives_among_others(
    written: Callable[[str], str], values: list[str], before: str, after: str
) -> None:
    redaction = Redaction([], values)
    shown = redaction.text(f"{before}{written(values[0])}{after}")
    assert REDACTED in shown
    assert all(form(values[0]).strip('"') not in shown for form in IN_CLEAR.values())


def test_thousands_of_values_are_searched_for_by_their_words() -> None:
    values = [f"LPA:1$smdp.example.com$K2-{number:08}-X" for number in range(5_000)]
    text = f"before {values[0]}, {values[-1]} after"
    assert Redaction([], values).text(text) == f"before {REDACTED}, {REDACTED} after"

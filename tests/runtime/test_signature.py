"""A delivery is accepted when its signature is genuine, exact in form and fresh, and only then."""

from __future__ import annotations

import base64
import datetime
import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specwright.runtime.shared.signature import (
    MalformedSignatureError,
    SignatureError,
    SignatureScheme,
    StaleSignatureError,
)

SCHEME = SignatureScheme("Service-Signature", "t={timestamp},v1={digest}", "{timestamp}.{body}")
SECRET = "whsec_test"
BODY = b'{"a":1}'
NOW = 1_700_000_000
DIGEST = "38877139021993b830af32feea6e18a8da83eb2f6e49ee50bd9e4cf4ca4d3789"
GENUINE = f"t={NOW},v1={DIGEST}"


def verify(
    value: str | bytes | None,
    *,
    body: bytes = BODY,
    secret: str | list[str] = SECRET,
    now: float = NOW,
    tolerance: float = 300,
) -> None:
    SCHEME.verify(body, value, secret, tolerance=tolerance, now=now)


def test_the_published_vector_is_what_we_sign() -> None:
    assert SCHEME.sign(BODY, SECRET, NOW) == GENUINE


def test_a_genuine_signature_is_accepted_as_text_and_as_bytes() -> None:
    verify(GENUINE)
    verify(GENUINE.encode())


@pytest.mark.parametrize("age", [-300, -299, 0, 299, 300])
def test_a_timestamp_within_five_minutes_is_accepted(age: int) -> None:
    verify(GENUINE, now=NOW + age)


@pytest.mark.parametrize("age", [-301, -300.5, 300.5, 301])
def test_a_timestamp_further_away_is_stale_in_both_directions(age: float) -> None:
    with pytest.raises(StaleSignatureError):
        verify(GENUINE, now=NOW + age)


def test_the_receiver_chooses_another_tolerance() -> None:
    verify(GENUINE, now=NOW + 301, tolerance=600)
    with pytest.raises(StaleSignatureError):
        verify(GENUINE, now=NOW + 2, tolerance=1)


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(None, id="no header"),
        pytest.param("", id="empty"),
        pytest.param(f" {GENUINE}", id="space in front"),
        pytest.param(f"{GENUINE} ", id="space at the end"),
        pytest.param(f"{GENUINE}\n", id="newline at the end"),
        pytest.param(GENUINE.replace(",", ", "), id="space between"),
        pytest.param(GENUINE.replace("=", " = "), id="spaces around the equals sign"),
        pytest.param(f"t={NOW},v1={DIGEST.upper()}", id="upper-case hex"),
        pytest.param(f"{GENUINE},v1={DIGEST}", id="two v1"),
        pytest.param(f"{GENUINE},v0={DIGEST}", id="an extra item"),
        pytest.param(f"v1={DIGEST},t={NOW}", id="other order"),
        pytest.param(f"v1={DIGEST}", id="no t"),
        pytest.param(f"t={NOW}", id="no v1"),
        pytest.param(f"t=,v1={DIGEST}", id="empty t"),
        pytest.param(f"t=+{NOW},v1={DIGEST}", id="plus sign"),
        pytest.param(f"t=-1,v1={DIGEST}", id="negative t"),
        pytest.param(f"t=0{NOW},v1={DIGEST}", id="leading zero"),
        pytest.param(f"t={NOW}.0,v1={DIGEST}", id="fraction"),
        pytest.param(f"t={'9' * 5000},v1={DIGEST}", id="a timestamp without end"),
        pytest.param(f"t=١٧٠٠٠٠٠٠٠٠,v1={DIGEST}", id="digits of another script"),
        pytest.param(f"t={NOW},v1={DIGEST[:-1]}", id="short digest"),
        pytest.param(f"t={NOW},v1={DIGEST}0", id="long digest"),
        pytest.param(f"t={NOW},v1={DIGEST[:-1]}é", id="not ASCII"),
        pytest.param(f"t={NOW},v1={DIGEST[:-1]}\xe9".encode("latin-1"), id="bytes not ASCII"),
        pytest.param(f"T={NOW},V1={DIGEST}", id="upper-case names"),
    ],
)
def test_a_header_of_any_other_form_is_refused(value: str | bytes | None) -> None:
    with pytest.raises(MalformedSignatureError):
        verify(value)


@pytest.mark.parametrize(
    "changed",
    [{"secret": "whsec_other"}, {"secret": []}, {"body": b'{"a":2}'}, {"body": b'{"a": 1}'}],
    ids=str,
)
def test_another_secret_or_body_does_not_fit(changed: dict[str, object]) -> None:
    with pytest.raises(SignatureError, match="no secret matches"):
        verify(GENUINE, **changed)  # type: ignore[arg-type]


def test_a_changed_timestamp_does_not_fit() -> None:
    with pytest.raises(SignatureError, match="no secret matches"):
        verify(GENUINE.replace(str(NOW), str(NOW + 1)))


def test_a_forged_stale_signature_is_called_forged() -> None:
    with pytest.raises(SignatureError) as raised:
        verify(GENUINE, secret="whsec_other", now=NOW + 1000)
    assert not isinstance(raised.value, StaleSignatureError)


def test_while_a_secret_is_rotated_the_old_and_the_new_one_are_accepted() -> None:
    for secrets in (["whsec_new", SECRET], [SECRET, "whsec_new"]):
        verify(GENUINE, secret=secrets)


def test_an_empty_secret_is_a_mistake_and_never_fits() -> None:
    with pytest.raises(ValueError, match="empty"):
        SCHEME.sign(BODY, "", NOW)
    unsigned = hmac.new(b"", f"{NOW}.".encode() + BODY, hashlib.sha256).hexdigest()
    with pytest.raises(ValueError, match="empty"):
        verify(f"t={NOW},v1={unsigned}", secret="")


def test_a_decoded_body_is_a_mistake() -> None:
    with pytest.raises(TypeError, match="bytes"):
        verify(GENUINE, body=BODY.decode())  # type: ignore[arg-type]


def test_digests_are_compared_in_constant_time_with_every_secret(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared: list[str] = []

    def compare(ours: str, theirs: str) -> bool:
        compared.append(theirs)
        return ours == theirs

    monkeypatch.setattr(hmac, "compare_digest", compare)
    verify(GENUINE, secret=[SECRET, "whsec_a", "whsec_b"])
    assert compared == [DIGEST] * 3


def test_the_form_comes_from_the_contract() -> None:
    scheme = SignatureScheme("X-Signed", "sha256={digest}; at={timestamp}", "{body}|{timestamp}")
    value = scheme.sign(BODY, SECRET, 5)
    digest = hmac.new(SECRET.encode(), BODY + b"|5", hashlib.sha256).hexdigest()
    assert value == f"sha256={digest}; at=5"
    scheme.verify(BODY, value, SECRET, tolerance=0, now=5)
    with pytest.raises(MalformedSignatureError):
        scheme.verify(BODY, GENUINE, SECRET, tolerance=0, now=5)


@given(body=st.binary(), secret=st.text(min_size=1), timestamp=st.integers(0, 10**12))
def test_what_is_signed_verifies(body: bytes, secret: str, timestamp: int) -> None:
    value = SCHEME.sign(body, secret, timestamp)
    SCHEME.verify(body, value, secret, tolerance=0, now=timestamp)


@given(st.text() | st.binary())
def test_no_other_header_verifies_and_none_breaks_the_verifier(value: str | bytes) -> None:
    with pytest.raises(SignatureError):
        verify(value)


@given(body=st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_stripe_verifies_what_we_sign(body: str) -> None:
    stripe = pytest.importorskip("stripe")
    value = SCHEME.sign(body.encode(), SECRET, NOW)
    assert stripe.WebhookSignature.verify_header(body, value, SECRET)


def test_stripe_refuses_what_we_refuse_when_the_secret_is_another() -> None:
    stripe = pytest.importorskip("stripe")
    with pytest.raises(stripe.SignatureVerificationError):
        stripe.WebhookSignature.verify_header(BODY.decode(), GENUINE, "whsec_other")


def test_standard_webhooks_agrees_about_the_digest() -> None:
    """Its header has another form (base64, and an id in the payload); the HMAC below is the same.

    A payload of the form `{id}.{timestamp}.{body}` with the key that its secret encodes must
    therefore give the same 32 bytes.
    """
    key = "0123456789abcdef"
    standardwebhooks = pytest.importorskip("standardwebhooks")
    theirs = standardwebhooks.Webhook("whsec_" + base64.b64encode(key.encode()).decode())
    scheme = SignatureScheme("s", "t={timestamp},v1={digest}", "msg_1.{timestamp}.{body}")
    ours = scheme.sign(BODY, key, NOW).rpartition("=")[2]
    moment = datetime.datetime.fromtimestamp(NOW, tz=datetime.UTC)
    expected = theirs.sign("msg_1", moment, BODY.decode()).removeprefix("v1,")
    assert base64.b64encode(bytes.fromhex(ours)).decode() == expected

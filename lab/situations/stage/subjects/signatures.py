"""Webhook signatures as their providers create them."""

from __future__ import annotations

import base64
import hmac
from hashlib import sha256

TEXT_SECRET = "whsec_a_secret_of_these_situations"
STANDARD_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OLD_DIGEST = "0" * 64
OLD_STANDARD = "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="


def timestamped(body: bytes, moment: float) -> str:
    """Sign like Stripe: `t=…,v1=…` with a digest in hexadecimal."""
    payload = f"{int(moment)}.".encode() + body
    digest = hmac.new(TEXT_SECRET.encode(), payload, sha256).hexdigest()
    return f"t={int(moment)},v1={digest}"


def with_old_digest(header: str) -> str:
    """Put a digest made with another secret before the right one."""
    moment, digest = header.split(",")
    return f"{moment},v1={OLD_DIGEST},{digest}"


def in_capitals(header: str) -> str:
    """Write the digest in upper case."""
    head, _, digest = header.rpartition("=")
    return f"{head}={digest.upper()}"


def standard(body: bytes, moment: float) -> dict[str, str]:
    """Sign as in Standard Webhooks: three headers, with a digest in base64."""
    key = base64.b64decode(STANDARD_SECRET.removeprefix("whsec_"))
    payload = f"msg_1.{int(moment)}.".encode() + body
    digest = base64.b64encode(hmac.new(key, payload, sha256).digest()).decode()
    return {
        "webhook-id": "msg_1",
        "webhook-timestamp": str(int(moment)),
        "webhook-signature": f"v1,{digest}",
    }

"""Receivers of webhooks: a right one, made with the generated package, and wrong ones."""

from __future__ import annotations

import hmac
import json
import re
import time
from collections.abc import Callable, Mapping

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from partner_esim import webhooks

SECRET = "whsec_c2VjcmV0IG9mIGEgdGVzdA=="
Verify = Callable[[bytes, Mapping[str, str]], None]


def right(body: bytes, headers: Mapping[str, str]) -> None:
    webhooks.verify(body, headers.get(webhooks.SIGNATURE_HEADER), SECRET)


def parses(body: bytes, headers: Mapping[str, str]) -> None:
    """Read the event as a model, as the documentation shows it."""
    webhooks.parse(body, headers, SECRET)


def trusting(body: bytes, headers: Mapping[str, str]) -> None:
    """Take everything."""


def asks_for_a_header(body: bytes, headers: Mapping[str, str]) -> None:
    if webhooks.SIGNATURE_HEADER not in headers:
        raise webhooks.SignatureError


def takes_unsigned(body: bytes, headers: Mapping[str, str]) -> None:
    if webhooks.SIGNATURE_HEADER in headers:
        right(body, headers)


def never_looks_at_the_clock(body: bytes, headers: Mapping[str, str]) -> None:
    header = headers.get(webhooks.SIGNATURE_HEADER)
    webhooks.verify(body, header, SECRET, tolerance=10**9)


def minds_only_the_past(body: bytes, headers: Mapping[str, str]) -> None:
    timestamp, digest = parts(headers)
    compare(body, timestamp, digest)
    if int(timestamp) < time.time() - 300:
        raise webhooks.SignatureError


def minds_only_the_future(body: bytes, headers: Mapping[str, str]) -> None:
    timestamp, digest = parts(headers)
    compare(body, timestamp, digest)
    if int(timestamp) > time.time() + 300:
        raise webhooks.SignatureError


def ignores_case(body: bytes, headers: Mapping[str, str]) -> None:
    changed = {webhooks.SIGNATURE_HEADER: headers.get(webhooks.SIGNATURE_HEADER, "").lower()}
    right(body, changed)


def takes_any_digest(body: bytes, headers: Mapping[str, str]) -> None:
    first = re.match(r"t=[0-9]+,v1=[0-9a-f]{64}", headers.get(webhooks.SIGNATURE_HEADER, ""))
    right(body, {webhooks.SIGNATURE_HEADER: first[0] if first else ""})


def verifies_what_it_has_parsed(body: bytes, headers: Mapping[str, str]) -> None:
    right(json.dumps(json.loads(body), separators=(",", ":")).encode(), headers)


def takes_both_bodies(body: bytes, headers: Mapping[str, str]) -> None:
    try:
        right(body, headers)
    except webhooks.SignatureError:
        verifies_what_it_has_parsed(body, headers)


def takes_the_wrong_digest(body: bytes, headers: Mapping[str, str]) -> None:
    """Compare too little: a digest of other bytes is taken as long as it is well-formed."""
    timestamp, _ = parts(headers)
    if abs(int(timestamp) - time.time()) > 300:
        raise webhooks.SignatureError


def parts(headers: Mapping[str, str]) -> tuple[str, str]:
    pattern = r"t=([0-9]+),v1=([0-9a-f]{64})"
    found = re.fullmatch(pattern, headers.get(webhooks.SIGNATURE_HEADER, ""))
    if found is None:
        raise webhooks.SignatureError
    return found[1], found[2]


def compare(body: bytes, timestamp: str, digest: str) -> None:
    expected = hmac.digest(SECRET.encode(), f"{timestamp}.".encode() + body, "sha256").hex()
    if not hmac.compare_digest(expected, digest):
        raise webhooks.SignatureError


def app(
    verify: Verify,
    *,
    refusal: int = 400,
    remembers: bool = False,
    knows: Callable[[str], bool] = lambda kind: True,
) -> Starlette:
    """An application that receives at `/in`."""
    seen: set[str] = set()

    async def receive(request: Request) -> Response:
        body = await request.body()
        try:
            verify(body, request.headers)
        except webhooks.SignatureError:
            return Response(status_code=refusal)
        event = json.loads(body)
        if (remembers and event["id"] in seen) or not knows(event["type"]):
            return Response(status_code=409)
        seen.add(event["id"])
        return Response(status_code=204)

    return Starlette(routes=[Route("/in", receive, methods=["POST"])])

"""Credentials in the headers, cookies and query of requests."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic
from urllib.parse import quote

from ...shared.auth.scheme import Scheme
from ..calls.retries import SHORTEST
from ..transport.base import Request, SecretURL


def carries(request: Request, scheme: Scheme) -> bool:
    """Return whether the caller has already set the part for a credential."""
    match scheme.location:
        case "header":
            name = scheme.name.lower()
            return any(each.lower() == name for each, _ in request.headers)
        case "cookie":
            return any(
                pair.partition("=")[0].strip() == scheme.name
                for pair in _cookies(request).split(";")
            )
        case _:
            pairs = request.url.partition("?")[2].split("&")
            return any(pair.partition("=")[0] == quote(scheme.name, safe="") for pair in pairs)


def signed(request: Request, scheme: Scheme, text: str) -> Request:
    """Return a request with a credential added to its part."""
    match scheme.location:
        case "header":
            return replace(request, headers=[*request.headers, (scheme.name, text)])
        case "cookie":
            line = "; ".join(filter(None, (_cookies(request), f"{scheme.name}={text}")))
            others = [field for field in request.headers if field[0].lower() != "cookie"]
            return replace(request, headers=[*others, ("cookie", line)])
        case _:
            pair = f"{quote(scheme.name, safe='')}={quote(text, safe='')}"
            separator = "&" if "?" in request.url else "?"
            return replace(request, url=SecretURL(f"{request.url}{separator}{pair}"))


def with_time_spent(request: Request, began: float) -> Request:
    """Return a request with its deadline reduced by the time since it `began`."""
    if request.deadline is None:
        return request
    left = request.deadline - (monotonic() - began)
    return replace(request, deadline=max(SHORTEST, left))


def _cookies(request: Request) -> str:
    return "; ".join(text for name, text in request.headers if name.lower() == "cookie")

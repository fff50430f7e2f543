"""Files on other machines, over HTTP only."""

from __future__ import annotations

from collections.abc import Callable
from http.client import HTTPException
from socket import gaierror
from typing import IO
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from specwright.document.model import is_remote
from specwright.errors import InputError, Location
from specwright.files import LARGEST

SECONDS = 10


class _Redirects(HTTPRedirectHandler):
    def __init__(self, allows: Callable[[str], bool]) -> None:
        self._allows = allows

    # The handler of the library lets a server redirect to FTP, too.
    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: object, newurl: str
    ) -> Request | None:
        if not is_remote(newurl):
            raise URLError("it redirects to an address that is not HTTP")
        if not self._allows(newurl):
            raise URLError("it redirects to another machine")
        return super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]


def fetch(url: str, place: Location, allows: Callable[[str], bool] = lambda address: True) -> bytes:
    """Return the content at an address, which the document refers to at a place.

    Args:
        allows: whether an address may be the target of a redirect.
    """
    try:
        with build_opener(_Redirects(allows)).open(url, timeout=SECONDS) as answer:
            content: bytes = answer.read(LARGEST + 1)
    except (HTTPException, OSError, ValueError) as error:
        what = "" if place.file == url else f"'{url}' "
        raise InputError(
            f"{what}cannot be fetched: {_reason(error)}", place, "check the address"
        ) from None
    if len(content) > LARGEST:
        raise InputError(f"'{url}' is too large", place, "keep a copy next to the document")
    return content


def _reason(error: Exception) -> str:
    """Return the reason of an error in words about the address."""
    inner = error.reason if isinstance(error, URLError) else error
    if isinstance(inner, gaierror):
        return "the name of the host is unknown"
    if isinstance(inner, ConnectionRefusedError):
        return "nothing listens there"
    words = inner.strerror if isinstance(inner, OSError) else None
    return str(error) if isinstance(error, HTTPError) else words or str(inner)

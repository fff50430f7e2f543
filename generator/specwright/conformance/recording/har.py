"""Exchanges in the form of HAR 1.2, which browsers and proxies also write."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from specwright.conformance.recording.exchange import Exchange, HttpRequest, HttpResponse
from specwright.errors import InputError, Location
from specwright.files import read_argument, why_not_read
from specwright.http_messages import Headers, MessageContent
from specwright.json_values import JsonObject, JsonValue

FILE = "report.har"
# A longer body is left out, as is one that is not text.
_MOST_BYTES = 256 * 1024
_LARGEST_FILE = 256 * 1024 * 1024
_PHRASES = {status.value: status.phrase for status in HTTPStatus}


# The package `harfile` writes text, from which secrets could no longer be removed.
def render(exchanges: Iterable[Exchange]) -> JsonObject:
    """Return the exchanges as a HAR, with the secrets still in it."""
    return {
        "log": {
            "version": "1.2",
            "creator": {"name": "specwright", "version": version("specwright")},
            "entries": [_entry(exchange) for exchange in exchanges],
        }
    }


def _entry(exchange: Exchange) -> JsonObject:
    request, milliseconds = exchange.request, round(exchange.seconds * 1000, 3)
    sent = datetime.fromtimestamp(exchange.sent_at, UTC)
    written: JsonObject = {
        "method": request.method,
        "url": request.url,
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": _named(request.headers),
        "queryString": _named(parse_qsl(urlsplit(request.url).query, keep_blank_values=True)),
        "headersSize": -1,
        "bodySize": len(request.body or b""),
    }
    content = MessageContent.of(request.headers, request.body, _MOST_BYTES)
    if content.body is not None:
        media_type = request.header("content-type") or ""
        written["postData"] = {"mimeType": media_type, **_text(content)}
    return {
        "startedDateTime": sent.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "time": milliseconds,
        "request": written,
        "response": _response(exchange.response),
        "cache": {},
        "timings": {"send": 0, "wait": milliseconds, "receive": 0},
        "comment": f"{exchange.number}, {exchange.source}"
        + ("" if exchange.failure is None else f": {exchange.failure}"),
    }


def _response(response: HttpResponse | None) -> JsonObject:
    """Return a response; a missing one has the status 0, as browsers write it."""
    response = response or HttpResponse(0, (), b"")
    status, headers, body = response.status, response.headers, response.body
    return {
        "status": status,
        "statusText": _PHRASES.get(status, ""),
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": _named(headers),
        "content": {
            "size": len(body),
            "mimeType": response.header("content-type") or "",
            **_text(MessageContent.of(headers, body, _MOST_BYTES)),
        },
        "redirectURL": response.header("location") or "",
        "headersSize": -1,
        "bodySize": len(body),
    }


def _named(pairs: Iterable[tuple[str, str]]) -> list[JsonValue]:
    return [{"name": name, "value": value} for name, value in pairs]


def _text(content: MessageContent) -> JsonObject:
    if content.full_length is not None:
        return {"comment": f"left out: more than {_MOST_BYTES:,} bytes"}
    return {"comment": "left out: not text"} if content.is_base64 else {"text": content.body}


@dataclass(frozen=True, slots=True)
class Recording:
    """The content of a HAR.

    Attributes:
        exchanges: without number, role and operation; a request that was recorded without its
            body has the body None.
        incomplete: the number of entries without a response, or without the response's body.
    """

    exchanges: tuple[Exchange, ...]
    incomplete: int


def read(path: Path) -> Recording:
    """Return the exchanges of a HAR.

    Raises:
        InputError: the file cannot be read, or is not a HAR.
    """
    try:
        # Some programs write a byte order mark.
        data = json.loads(read_argument(path, limit=_LARGEST_FILE).decode("utf-8-sig"))
        entries = data["log"]["entries"]
        if not isinstance(entries, list):
            raise TypeError
    except OSError as error:
        place = Location(str(path), 1, 1)
        hint = "name a file that you may read"
        raise InputError(f"cannot be read: {why_not_read(error)}", place, hint) from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise _no_har(path, "log.entries is missing") from None
    recorded = []
    for number, entry in enumerate(entries):
        try:
            recorded.append(_exchange(entry))
        except (ValueError, KeyError, TypeError, OverflowError):
            raise _no_har(path, f"log.entries[{number}] is not valid HAR 1.2") from None
    exchanges = tuple(exchange for exchange in recorded if exchange is not None)
    return Recording(exchanges, len(recorded) - len(exchanges))


def _no_har(path: Path, reason: str) -> InputError:
    hint = "export the traffic again, with the bodies"
    return InputError(f"not a HAR: {reason}", Location(str(path), 1, 1), hint=hint)


def _exchange(entry: Mapping[str, Any]) -> Exchange | None:
    """Return the exchange of an entry; None if the response or a part of it is missing."""
    written, answered = entry["request"], entry["response"]
    content, posted = answered["content"], written.get("postData")
    if not answered["status"] or ("text" not in content and content.get("size", 0) != 0):
        return None
    text = str(content.get("text", ""))
    body = b64decode(text) if content.get("encoding") == "base64" else text.encode()
    sent = None if posted is None or "text" not in posted else str(posted["text"]).encode()
    request = HttpRequest(str(written["method"]), str(written["url"]), _headers(written), sent)
    # A HAR has the body decoded.
    headers = tuple(
        header for header in _headers(answered) if header[0].lower() != "content-encoding"
    )
    return Exchange(
        0,
        "traffic",
        "",
        None,
        request,
        HttpResponse(int(answered["status"]), headers, body),
        None,
        datetime.fromisoformat(entry["startedDateTime"]).timestamp(),
        float(entry["time"]) / 1000,
    )


def _headers(message: Mapping[str, Any]) -> Headers:
    return tuple((str(header["name"]), str(header["value"])) for header in message["headers"])

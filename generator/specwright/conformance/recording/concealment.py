"""Removal of secrets with well-known names from exchanges."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from urllib.parse import unquote_plus

from specwright.conformance.recording.exchange import FUZZING, SCENARIOS, Exchange
from specwright.http_messages import Headers
from specwright.json_values import JsonValue
from specwright.report.redaction import REDACTED

# The names by their sources; case, hyphens, underscores and dots make no difference.
_SOURCES: Mapping[str, tuple[str, ...]] = {
    "HTTP (RFC 9110, 11.6.2 and 11.7.2)": ("Authorization", "Proxy-Authorization"),
    "cookies (RFC 6265, 4)": ("Cookie", "Set-Cookie"),
    "OAuth 2.0 (RFC 6749, 2.3.1, 4.3.2 and 5.1)": (
        *("access_token", "refresh_token", "client_secret", "password"),
    ),
    "OAuth 2.0, assertions and devices (RFC 7521, RFC 8628)": (
        *("assertion", "client_assertion", "device_code"),
    ),
    "OpenID Connect Core 1.0, 3.1.3.3": ("id_token", "id_token_hint"),
    "OpenStack Identity": ("X-Auth-Token", "X-Subject-Token"),
    "Amazon": (
        *("X-Amz-Security-Token", "X-Amz-Signature", "aws_secret_access_key", "secret_access_key"),
    ),
    "Google": ("X-Goog-Api-Key", "private_key"),
    "GitLab and Vault": ("Private-Token", "X-Vault-Token"),
    "web frameworks": (
        *("csrf_token", "X-CSRF-Token", "X-CSRFToken", "X-XSRF-Token", "csrfmiddlewaretoken"),
        *("session_id", "session_token", "PHPSESSID", "JSESSIONID"),
    ),
    "common use": (
        *("api_key", "X-Api-Key", "X-Access-Token", "api_secret", "api_token", "auth_token"),
        *("bearer_token", "secret", "secret_key", "token", "jwt"),
        *("passwd", "pwd", "passphrase", "old_password", "new_password", "current_password"),
        *("password_confirmation", "confirm_password"),
    ),
}


def _plain(name: str) -> str:
    return re.sub(r"[-_.]", "", name).lower()


_NAMES = frozenset(_plain(name) for names in _SOURCES.values() for name in names)


# A run asks for the same names in thousands of bodies.
@lru_cache(maxsize=1024)
def is_secret(name: str) -> bool:
    """Return whether a header, a parameter or a member with this name holds a secret."""
    return _plain(name) in _NAMES


# Sources of requests with values that the test generates itself.
_INVENTORS = (SCENARIOS, FUZZING)
# A pair of a query, a fragment or a form.
_PAIR = re.compile(r"(?P<name>[^?#&;=\s]+)=(?P<value>[^&#;\s]*)")
# A field of a form and its value, up to the next boundary (RFC 7578, 4.2).
_FIELD = re.compile(
    rb'(?P<head>\bname="(?P<name>[^"]*)"[^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n)(?P<value>.*?)(?=\r\n--)',
    re.DOTALL,
)
# A JSON member with a string value.
_MEMBER = re.compile(r'(?P<head>"(?P<name>[^"\\]+)"\s*:\s*)"(?P<value>(?:[^"\\]|\\.)*)"', re.DOTALL)
_COOKIE = re.compile(r"(?P<name>[^=;\s]+)=(?P<value>[^;]*)")


@dataclass(slots=True)
class Concealment:
    """A filter that removes secrets from exchanges, and keeps them for a search elsewhere.

    A header, a query parameter, a form field and a JSON member at any depth hold a secret if
    their name says so. Values that the test generates itself stay in its requests, so that they
    can be repeated, and in the responses to these, which may return them.

    Attributes:
        is_published: whether a text is in the document, and so was not generated.
        values: the removed values that are not published.
    """

    is_published: Callable[[str], bool]
    values: set[str] = field(default_factory=set, repr=False)

    def __call__(self, exchange: Exchange) -> Exchange:
        """Return the exchange without the secrets of its request and its response."""
        request, response = exchange.request, exchange.response
        is_generated = exchange.source in _INVENTORS
        own = set[str]()

        def sent(value: str) -> str:
            if not is_generated or self.is_published(value):
                return self._take(value)
            own.add(value)
            return value

        def returned(value: str) -> str:
            return value if value in own else self._take(value)

        return replace(
            exchange,
            request=replace(
                request,
                url=_in_pairs(request.url, sent),
                headers=self._headers(request.headers),
                body=request.body and _in_body(request.header("content-type"), request.body, sent),
            ),
            response=response
            and replace(
                response,
                headers=self._headers(response.headers),
                body=_in_body(response.header("content-type"), response.body, returned),
            ),
        )

    def _take(self, value: str) -> str:
        if not self.is_published(value):
            self.values.add(value)
        return REDACTED if value else value

    def _headers(self, headers: Headers) -> Headers:
        return tuple((name, self._header(name.lower(), value)) for name, value in headers)

    def _header(self, name: str, value: str) -> str:
        match name:
            case "authorization" | "proxy-authorization":
                scheme, space, credentials = value.partition(" ")
                return f"{scheme} {self._take(credentials)}" if space else self._take(value)
            case "cookie":
                return _COOKIE.sub(self._pair, value)
            case "set-cookie":
                return _COOKIE.sub(self._pair, value, count=1)
            case "location" | "referer" | "link":
                return _in_pairs(value, self._take)
        return self._take(value) if is_secret(name) else value

    def _pair(self, pair: re.Match[str]) -> str:
        return f"{pair['name']}={self._take(pair['value'])}"


_Take = Callable[[str], str]


def _in_pairs(text: str, take: _Take) -> str:
    def changed(pair: re.Match[str]) -> str:
        if not is_secret(unquote_plus(pair["name"])):
            return pair[0]
        value = unquote_plus(pair["value"])
        replaced = take(value)
        return pair[0] if replaced == value else f"{pair['name']}={replaced}"

    return _PAIR.sub(changed, text)


def _in_body(media_type: str | None, body: bytes, take: _Take) -> bytes:
    match (media_type or "").partition(";")[0].strip().lower():
        case "application/x-www-form-urlencoded":
            return _in_pairs(body.decode("latin-1"), take).encode("latin-1")
        case "multipart/form-data":
            return _FIELD.sub(lambda match: _in_field(match, take), body)
    return _in_json(body, take)


def _in_field(match: re.Match[bytes], take: _Take) -> bytes:
    if not is_secret(match["name"].decode("utf-8", "replace")):
        return match[0]
    return match["head"] + take(match["value"].decode("utf-8", "surrogateescape")).encode(
        "utf-8", "surrogateescape"
    )


def _in_json(body: bytes, take: _Take) -> bytes:
    """Return JSON without secrets; the same bytes if it has none."""
    text = body.decode("utf-8", "surrogateescape")
    try:
        value: JsonValue = json.loads(text)
        changed = _in_value(value, take)
        return body if changed == value else json.dumps(changed).encode()
    except (ValueError, RecursionError):
        # Lines of JSON, events of a stream, or JSON that is nested too deeply to be parsed.
        return _MEMBER.sub(lambda match: _in_member(match, take), text).encode(
            "utf-8", "surrogateescape"
        )


def _in_member(match: re.Match[str], take: _Take) -> str:
    if not is_secret(match["name"]):
        return match[0]
    return f'{match["head"]}"{take(match["value"])}"'


def _in_value(value: JsonValue, take: _Take) -> JsonValue:
    match value:
        case dict(members):
            return {
                name: _taken(member, take) if is_secret(name) else _in_value(member, take)
                for name, member in members.items()
            }
        case list(items):
            return [_in_value(item, take) for item in items]
    return value


def _taken(value: JsonValue, take: _Take) -> JsonValue:
    """Return a secret, or a list of them, concealed; members of an object go by their own names."""
    match value:
        case str(text):
            return take(text)
        case list(items):
            return [_taken(item, take) for item in items]
        case dict():
            return _in_value(value, take)
        case bool() | None:
            return value
    written = json.dumps(value)
    replaced = take(written)
    return value if replaced == written else replaced


def texts(values: Iterable[JsonValue]) -> frozenset[str]:
    """Return all texts and member names in JSON values."""
    strings, pending = set[str](), list(values)
    while pending:
        match pending.pop():
            case str(text):
                strings.add(text)
            case dict(members):
                strings.update(members)
                pending += members.values()
            case list(items):
                pending += items
    return frozenset(strings)

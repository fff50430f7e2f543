"""The rules for the URL of a webhook endpoint."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address

from .addresses import Address, AddressRule
from .resolver import Resolve

MAX_LENGTH = 2048
# A name that takes longer is treated as one that does not resolve.
RESOLVE_SECONDS = 5.0

# RFC 3986 and nothing more: only URLs that all parsers read alike. The authority is everything
# up to the path; `_AUTHORITY` parses it.
_URI = re.compile(
    r"https://(?P<authority>[^/?#]*)"
    r"(?P<target>(?:/(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*)?"
    r"(?:\?(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?)"
)
_AUTHORITY = re.compile(
    r"(?:\[(?P<ipv6>[0-9A-Fa-f:.]+)\]|(?P<host>[A-Za-z0-9._-]+))(?::(?P<port>[0-9]{1,5}))?"
)
_LABEL = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?")
_NUMBER = re.compile(r"[0-9]+|0[xX][0-9A-Fa-f]*")


class RefusedUrl(ValueError):  # noqa: N818 - the contract says that a url is refused
    """The URL breaks a rule of the contract; the text, for the partner, names the rule."""


@dataclass(frozen=True, slots=True)
class WebhookTarget:
    """A valid URL, in parts.

    Attributes:
        host: a name or a literal address, without brackets.
        address: the literal address; None if the host is a name.
        target: path and query as in the request line.
    """

    host: str
    address: Address | None
    port: int
    target: str


def parse(url: str) -> WebhookTarget:
    """Parse the URL.

    Raises:
        RefusedUrl: not an absolute https URL, or more than host, port, path and query.
    """
    if len(url) > MAX_LENGTH:
        raise RefusedUrl(f"The url is longer than {MAX_LENGTH} characters.")
    if not url.startswith("https://"):
        raise RefusedUrl("The url does not start with https://.")
    if "#" in url:
        raise RefusedUrl("The url has a fragment.")
    uri = _URI.fullmatch(url)
    if uri is None:
        raise RefusedUrl("The url has characters that a URI does not allow.")
    if "@" in uri["authority"]:
        raise RefusedUrl("The url has user information.")
    authority = _AUTHORITY.fullmatch(uri["authority"])
    if authority is None:
        raise RefusedUrl("The url does not have a valid host and port.")
    port = int(authority["port"] or 443)
    if not 1 <= port <= 65535:
        raise RefusedUrl("The port of the url is not between 1 and 65535.")
    target = uri["target"] if uri["target"].startswith("/") else f"/{uri['target']}"
    if authority["ipv6"]:
        address = _literal(IPv6Address, authority["ipv6"])
        return WebhookTarget(str(address), address, port, target)
    host = authority["host"].lower()
    labels = host.removesuffix(".").split(".")
    # A resolver takes a host that ends in a number for an address, in any form.
    if _NUMBER.fullmatch(labels[-1]):
        literal = _literal(IPv4Address, host)
        return WebhookTarget(host, literal, port, target)
    if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise RefusedUrl("The host of the url is not a valid name.")
    return WebhookTarget(host, None, port, target)


def _literal(kind: type[IPv4Address] | type[IPv6Address], text: str) -> Address:
    try:
        return kind(text)
    except ValueError:
        raise RefusedUrl("The host of the url is not a well-formed address.") from None


async def check(url: str, rule: AddressRule, resolve: Resolve) -> None:
    """Check a URL at registration.

    A name that does not resolve is accepted: the check is repeated before each connection.

    Raises:
        RefusedUrl: the URL breaks a rule, or its host has an address that may not be dialled.
    """
    target = parse(url)
    addresses = (target.address,) if target.address else await _addresses(target.host, resolve)
    if not all(rule.permits(address) for address in addresses):
        raise RefusedUrl("The host of the url has an address that is not public.")


async def _addresses(host: str, resolve: Resolve) -> tuple[Address, ...]:
    try:
        async with asyncio.timeout(RESOLVE_SECONDS):
            return await resolve(host)
    except TimeoutError:
        return ()

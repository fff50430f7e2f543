"""Selection of the proxies for a client's connections."""

from __future__ import annotations

import os
import sys
from urllib.parse import SplitResult, urlsplit

from ..errors import InvalidArgumentError
from ..wire.addresses import origin_of

# These platforms also have proxies in their system settings.
HAS_SYSTEM_SETTINGS = sys.platform in ("darwin", "win32")
SCHEMES = ("http", "https", "socks5", "socks5h")


class Proxies:
    """The proxies for the hosts that a client calls.

    Args:
        base_url: of the main host; its proxy is looked up at once.
        proxy: for all hosts; None uses the environment's.

    Raises:
        InvalidArgumentError: a proxy is not usable.
    """

    def __init__(self, base_url: str, proxy: str | None) -> None:
        self._proxy = proxy
        self._known: dict[str, SplitResult | None] = {}
        self.of(origin_of(base_url))

    def of(self, origin: str) -> tuple[str, SplitResult | None]:
        """Return the scheme of an origin, and its proxy."""
        if origin not in self._known:
            self._known[origin] = chosen_proxy(origin, self._proxy)
        return origin.partition("://")[0], self._known[origin]


def chosen_proxy(base_url: str, proxy: str | None) -> SplitResult | None:
    """Return the given proxy, or the environment's proxy for a URL.

    Raises:
        InvalidArgumentError: its URL is invalid, or a package that it needs is not installed.
    """
    if proxy is None:
        proxy = _of_environment(base_url)
    if not proxy:
        return None
    # A proxy without a scheme, `host:port`, uses plain HTTP.
    parts = _parts(proxy if "://" in proxy else f"http://{proxy}")
    if parts is None:
        # Not shown: the URL may contain a password.
        raise InvalidArgumentError(
            f"a proxy must have a URL in ASCII that begins with {', '.join(SCHEMES)}"
        )
    if parts.scheme.startswith("socks") and not _has_socks():
        raise InvalidArgumentError("a SOCKS proxy requires extra packages: install httpx2[socks]")
    return parts


def _of_environment(base_url: str) -> str | None:
    if not HAS_SYSTEM_SETTINGS and not any(name.lower().endswith("_proxy") for name in os.environ):
        return None
    # Imported late: they load 30 modules, and proxies are rare.
    from urllib.request import getproxies, proxy_bypass

    scheme, _, rest = base_url.partition("://")
    if proxy_bypass(rest.partition("/")[0]):
        return None
    proxies = getproxies()
    return proxies.get(scheme) or proxies.get("all")


def _has_socks() -> bool:
    from importlib.util import find_spec

    return find_spec("socksio") is not None


def _parts(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        is_usable = parts.scheme in SCHEMES and parts.hostname and parts.port != 0
    except ValueError:
        return None
    return parts if is_usable and url.isascii() else None

"""Targets and keys as commands are given them: checked before anything is sent."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

import click

from specwright.arguments.inputs import valid_document, without_errors
from specwright.conformance.bench.target import LIMITED, MAIN, OTHER, SUSPENDED
from specwright.document.model import Document
from specwright.document.sources.load import load_from
from specwright.errors import InputError

_EXAMPLE = "such as http://host/v1"
# What is in keys that may be used for tests.
_HARMLESS = ("test", "sandbox", "demo")

# The option that names the variable with the key of each role, and what it says.
KEY_OPTIONS = {
    MAIN: ("--api-key-env", "The environment variable that holds the API key."),
    OTHER: (
        "--other-api-key-env",
        "The variable with a key of another partner, who must not see what the first one has.",
    ),
    LIMITED: (
        "--limited-api-key-env",
        "The variable with a key whose rate limits are used up by the test.",
    ),
    SUSPENDED: (
        "--suspended-api-key-env",
        "The variable with a key that may do nothing, such as that of a suspended partner.",
    ),
}

allow_host = click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="HOST",
    help="A host other than this machine that may be tested (repeatable).",
)

allow_live = click.option("--live", is_flag=True, help="Use keys that do not look like test keys.")


@dataclass(frozen=True, slots=True)
class Access:
    """Where a command may send requests, and with which keys.

    Attributes:
        variables: the environment variable of each role that has one.
        hosts: those beside this machine that may be tested.
        live: whether keys may be used that do not look like test keys.
    """

    variables: Mapping[str, str]
    hosts: tuple[str, ...]
    live: bool

    def base_url(self, url: str) -> str:
        """Return the base URL of a target that may be tested, without a slash at its end.

        Raises:
            InputError: it is not a base URL, or on another machine that was not allowed.
        """
        parts = checked_url(url, self.hosts)
        if parts.query or parts.fragment:
            raise InputError(f"{url!r} is not the base URL of an API", hint=_EXAMPLE)
        return url.rstrip("/")

    def keys(self) -> dict[str, str]:
        """Return the key of each role that has one.

        Raises:
            InputError: a variable is empty, no header can carry its key, or the key does not look
                like a test key.
        """
        return {role: self._key(name) for role, name in self.variables.items()}

    def _key(self, name: str) -> str:
        key = os.environ.get(name, "")
        if not key:
            raise InputError(f"the environment variable {name} is not set, or empty")
        if not key.isascii() or not key.isprintable() or key != key.strip():
            raise InputError(f"the key in {name} has characters that no header can carry")
        if not self.live and not any(word in key.lower() for word in _HARMLESS):
            raise InputError(
                f"the key in {name} does not look like a test key",
                hint="if what it opens may be changed, pass --live",
            )
        return key


def access_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for keys and hosts to a command, which gets them as `access`."""

    @wraps(command)
    def with_access(*args: Any, hosts: tuple[str, ...], live: bool, **others: Any) -> Any:
        named = {role: others.pop(role) for role in KEY_OPTIONS}
        variables = {role: name for role, name in named.items() if name is not None}
        return command(*args, access=Access(variables, hosts, live), **others)

    decorated = allow_host(allow_live(with_access))
    for role, (option, words) in reversed(KEY_OPTIONS.items()):
        decorated = click.option(option, role, metavar="NAME", help=words)(decorated)
    return decorated


def http_url(url: str) -> SplitResult:
    """Return the parts of a URL.

    Raises:
        InputError: it is not one of http or https, or holds user information.
    """
    if "@" in url.partition("//")[2].partition("/")[0]:
        # It is not shown, since it may hold a password.
        raise InputError("the URL must not hold user information", hint="name a key by an option")
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    is_text = url.isascii() and url.isprintable()
    if not host or parts.scheme not in ("http", "https") or not is_text:
        raise InputError(f"{url!r} is not an http or https URL", hint=_EXAMPLE)
    return parts


def checked_url(url: str, hosts: tuple[str, ...]) -> SplitResult:
    """Return the parts of a URL that requests may be sent to.

    Raises:
        InputError: it is not one of http or https, holds user information, or is on another
            machine that was not allowed.
    """
    parts = http_url(url)
    host = parts.hostname or ""
    if not _is_allowed(host, hosts):
        raise InputError(
            f"{host} is not this machine, and a test changes what is there",
            hint=f"if it may, pass --allow-host {host}",
        )
    return parts


def tested_document(
    named: Path | str | None, allowed: tuple[Path, ...], hosts: tuple[str, ...]
) -> Document:
    """Return the document that an implementation is held to, upgraded.

    Args:
        named: its path, or its address on a machine that requests may be sent to.
        allowed: directories outside the project that it may refer to, too.

    Raises:
        InputError: it cannot be used.
    """
    if not isinstance(named, str):
        return valid_document(named, allowed)
    checked_url(named, hosts)
    found = load_from(named, lambda url: _is_allowed(urlsplit(url).hostname or "", hosts))
    return without_errors(found)


def _is_allowed(host: str, hosts: tuple[str, ...]) -> bool:
    return host in hosts or _is_loopback(host)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"

"""Targets and keys as commands are given them: checked before anything is sent."""

from __future__ import annotations

import os
from urllib.parse import urlsplit

import click

from specwright.errors import InputError

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
# What is in keys that may be used for tests.
_HARMLESS = ("test", "sandbox", "demo")

allow_host = click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="HOST",
    help="A host other than this machine that may be tested (repeatable).",
)
allow_live = click.option("--live", is_flag=True, help="Use keys that do not look like test keys.")


def base_url(url: str, hosts: tuple[str, ...]) -> str:
    """The base URL of a target that may be tested, without a slash at its end.

    Raises:
        InputError: it is none, or on another machine that nobody has allowed.
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host or parts.scheme not in ("http", "https") or parts.query or parts.fragment:
        raise InputError(f"{url!r} is not the base URL of an API", hint="such as http://host/v1")
    if parts.username is not None:
        raise InputError("the URL has a user or a password", hint="use --api-key-env")
    if host not in _LOOPBACK and host not in hosts:
        raise InputError(
            f"{host} is not this machine, and a test changes what is there",
            hint=f"if it may, pass --allow-host {host}",
        )
    return url.rstrip("/")


def key_of(name: str, *, live: bool) -> str:
    """The key in an environment variable.

    Raises:
        InputError: there is none, no header can carry it, or it does not look like a test key.
    """
    key = os.environ.get(name, "")
    if not key:
        raise InputError(f"the environment variable {name} is not set, or empty")
    if not key.isascii() or not key.isprintable() or key != key.strip():
        raise InputError(f"the key in {name} has characters that no header can carry")
    if not live and not any(word in key.lower() for word in _HARMLESS):
        raise InputError(
            f"the key in {name} does not look like a test key",
            hint="if what it opens may be changed, pass --live",
        )
    return key

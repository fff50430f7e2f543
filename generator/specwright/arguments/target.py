"""Targets and keys from the arguments of commands, checked before any request."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import wraps
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

import click

from specwright.arguments.documents import completed, read_document, sound_part, without_errors
from specwright.arguments.project import chosen_document, configured
from specwright.check.sound import Sound, without
from specwright.config import ContractTesting
from specwright.conformance.contract.contract import Contract
from specwright.conformance.driver.roles import (
    LIMITED,
    LIVE_MODE,
    MAIN,
    OTHER_TENANT,
    SUSPENDED,
    UNSCOPED,
    strangers,
)
from specwright.conformance.driver.sign_in import sign_ins
from specwright.conformance.driver.signing import Owner
from specwright.conformance.driver.target import TIMEOUT_SECONDS, TargetServer
from specwright.conformance.recording.record import Record
from specwright.document.model import Document
from specwright.document.operations.security import Credential
from specwright.document.operations.servers import base_urls, servers_of
from specwright.document.operations.sites import Direction, OperationSite, operations
from specwright.document.sources.load import load_from
from specwright.errors import InputError, did_you_mean
from specwright.pointer import Pointer
from specwright.report.progress import VALIDATION
from specwright.report.terminal import progress

_EXAMPLE = "such as http://host/v1"
# Words in keys that may be used for tests.
_HARMLESS = ("test", "sandbox", "demo")

_Command = Callable[..., None]
# A token of RFC 9110, 5.6.2.
_FIELD_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")

# The option for the variable with the key of each role, and its help text.
KEY_OPTIONS = {
    MAIN: (
        "--api-key-env",
        "The environment variable that holds the API key, or `user:password`; SCHEME=NAME for one "
        "of several security schemes (repeatable, as are those below).",
    ),
    OTHER_TENANT: (
        "--other-tenant-api-key-env",
        "The variable with a key of another tenant, which must not see the data of the first one.",
    ),
    LIVE_MODE: (
        "--live-mode-api-key-env",
        "The variable with a key of the same tenant in live mode, which has data of its own.",
    ),
    LIMITED: (
        "--limited-api-key-env",
        "The variable with a key whose rate limits are used up by the test.",
    ),
    SUSPENDED: (
        "--suspended-api-key-env",
        "The variable with a key without any rights, such as that of a suspended tenant.",
    ),
    UNSCOPED: (
        "--unscoped-api-key-env",
        "The variable with a key without any of the scopes or roles that `security` requires.",
    ),
}

# Roles by the names that they had before; their options had them, too.
RENAMED_ROLES = {"other": OTHER_TENANT, "other_mode": LIVE_MODE}


def _renamed(role: str) -> Callable[[_Command], _Command]:
    """Return a hidden option with the former name of a role, which is an error."""
    former = f"--{role.replace('_', '-')}-api-key-env"

    def refuse(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
        if value is not None:
            raise click.UsageError(
                f"{former} is now called {KEY_OPTIONS[RENAMED_ROLES[role]][0]}", ctx
            )

    return click.option(former, role, hidden=True, expose_value=False, callback=refuse)


allow_host = click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="HOST",
    help="A host other than this machine that may be tested (repeatable).",
)

header_env = click.option(
    "--header-env",
    "headers",
    multiple=True,
    metavar="HEADER=NAME",
    help="A header of every request, and the environment variable that holds its value "
    "(repeatable).",
)

allow_live = click.option(
    "--live",
    is_flag=True,
    help="Allow keys that do not look like test keys on other machines than this one.",
)


@dataclass(frozen=True, slots=True)
class Access:
    """The targets and keys that a command may use.

    Attributes:
        variables: the environment variables of each role that has some: `NAME`, or `SCHEME=NAME`
            for the key of one security scheme.
        hosts: other machines that may be tested.
        live: whether keys that do not look like test keys may be used.
        header_variables: headers of every request, as `HEADER=NAME`.
    """

    variables: Mapping[str, tuple[str, ...]]
    hosts: tuple[str, ...]
    live: bool
    header_variables: tuple[str, ...] = ()

    def base_url(self, url: str) -> str:
        """Return the base URL of a target that may be tested, without a trailing slash.

        Raises:
            InputError: it is not a base URL, or is on another machine that is not allowed.
        """
        parts = checked_url(url, self.hosts)
        if parts.query or parts.fragment:
            raise InputError(f"{url!r} is not the base URL of an API", hint=_EXAMPLE)
        return url.rstrip("/")

    def keys(self, url: str) -> dict[str, str]:
        """Return the key of each role for a target; empty if the role has only keys of schemes.

        Raises:
            InputError: a variable is empty, no header can carry its key, or the key does not look
                like a test key, and the target is not on this machine.
        """
        usual = {
            role: next((name for name in names if "=" not in name), None)
            for role, names in self.variables.items()
        }
        return {role: self._key(name, url) if name else "" for role, name in usual.items()}

    def own_keys(self, url: str) -> dict[Owner, str]:
        """Return the keys of single security schemes, by role and scheme.

        Raises:
            InputError: as for `keys`.
        """
        pairs = {
            (role, scheme): name
            for role, names in self.variables.items()
            for scheme, sign, name in (name.rpartition("=") for name in names)
            if sign
        }
        return {owner: self._key(name, url) for owner, name in pairs.items()}

    def headers(self) -> dict[str, str]:
        """Return the headers of every request.

        Raises:
            InputError: the name of a header is invalid, or its variable has no value that a header
                can carry.
        """
        headers = {}
        for header_variable in self.header_variables:
            header, _, name = header_variable.partition("=")
            if not _FIELD_NAME.fullmatch(header) or not name:
                hint = "write HEADER=NAME, such as X-Tenant=TENANT"
                raise InputError(
                    f"{header_variable!r} does not name a header and a variable", hint=hint
                )
            headers[header] = _value(name)
        return headers

    def _key(self, name: str, url: str) -> str:
        key = _value(name)
        is_harmless = any(word in key.lower() for word in _HARMLESS)
        if not self.live and not is_harmless and not _is_loopback(urlsplit(url).hostname or ""):
            raise InputError(
                f"the key in {name} does not look like a test key",
                hint="if its data may be changed, pass --live",
            )
        return key


def _value(name: str) -> str:
    """Return the value of an environment variable, for use in a header."""
    value = os.environ.get(name, "")
    if not value:
        message = f"the environment variable {name} is not set or is empty"
        raise InputError(message, hint=f"set it to the key: export {name}=…")
    if not value.isascii() or not value.isprintable() or value != value.strip():
        raise InputError(f"the key in {name} has characters that are not allowed in a header")
    return value


def access_options(command: _Command) -> _Command:
    """Add the options for keys and hosts to a command, which gets them as `access`."""

    @wraps(command)
    def with_access(
        *args: Any, hosts: tuple[str, ...], live: bool, headers: tuple[str, ...], **others: Any
    ) -> None:
        named = {role: others.pop(role) for role in KEY_OPTIONS}
        variables = {role: names for role, names in named.items() if names}
        command(*args, access=Access(variables, hosts, live, headers), **others)

    decorated: _Command = header_env(allow_host(allow_live(with_access)))
    for role in RENAMED_ROLES:
        decorated = _renamed(role)(decorated)
    for role, (option, words) in reversed(KEY_OPTIONS.items()):
        decorated = click.option(option, role, metavar="NAME", multiple=True, help=words)(decorated)
    return decorated


def target_of(
    access: Access,
    url: str,
    contract: Contract,
    settings: ContractTesting,
    timeout: float = TIMEOUT_SECONDS,
) -> TargetServer:
    """Return a target that signs requests as its operations require.

    Args:
        url: a base URL that may be tested.
        timeout: seconds to wait for a response.

    Raises:
        InputError: a key cannot be used, or is for a scheme that the document does not ask for.
    """
    credential = Credential.of(contract.document)
    keys, own = access.keys(url), access.own_keys(url)
    known = credential.schemes if credential is not None else {}
    for _, scheme in own:
        if scheme not in known:
            hint = did_you_mean(scheme, known, f"it asks for {', '.join(known) or 'none'}")
            raise InputError(f"the document does not ask for a credential {scheme!r}", hint=hint)
    if MAIN in keys:
        keys |= strangers(keys[MAIN])
    target = TargetServer(
        url,
        credential,
        Record(),
        keys,
        own_base_urls(contract.document, url),
        own=own,
        headers=access.headers(),
        timeout=timeout,
    )
    target.signer.sign_in = sign_ins(
        contract, target, settings.sign_in, lambda address: checked_url(address, access.hosts)
    )
    return target


def check_roles(roles: Iterable[str]) -> None:
    """Check the roles of keys.

    Raises:
        InputError: a role does not exist.
    """
    for role in roles:
        if role in RENAMED_ROLES:
            raise InputError(f"the role '{role}' is now called '{RENAMED_ROLES[role]}'")
        if role not in KEY_OPTIONS:
            hint = did_you_mean(role, KEY_OPTIONS, f"the roles are {', '.join(KEY_OPTIONS)}")
            raise InputError(f"there is no role '{role}'", hint=hint)


def http_url(url: str) -> SplitResult:
    """Return the parts of a URL.

    Raises:
        InputError: it is not an http or https URL, or it holds user information.
    """
    if "@" in url.partition("//")[2].partition("/")[0]:
        # The URL is not shown, since it may hold a password.
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
        InputError: it is not an http or https URL, holds user information, or is on another machine
            that is not allowed.
    """
    parts = http_url(url)
    host = parts.hostname or ""
    if not _is_allowed(host, hosts):
        raise InputError(
            f"{host} is another machine, and a test changes its data",
            hint=f"if it may be tested, pass --allow-host {host}",
        )
    return parts


def tested_document(
    named: Path | str | None, allowed: tuple[Path, ...], hosts: tuple[str, ...]
) -> Document:
    """Return the document that an implementation is tested against, upgraded.

    Args:
        named: its path, or its address on a machine that requests may be sent to.
        allowed: directories outside the project that it may refer to, too.

    Raises:
        InputError: it cannot be used, or has errors.
    """
    return without_errors(_loaded(named, allowed, hosts))


def tested_part(
    named: Path | str | None, allowed: tuple[Path, ...], hosts: tuple[str, ...]
) -> Sound:
    """Return the part of a document that an implementation can be tested against, upgraded.

    Args:
        named, allowed, hosts: as those of `tested_document`.

    Raises:
        InputError: it cannot be used, or its errors affect every operation.
    """
    with progress(VALIDATION) as steps:
        document = _loaded(named, allowed, hosts)
        steps.characters = document.size
        steps("checking the document")
        return sound_part(document)


def reachable(document: Document, url: str) -> tuple[Document, tuple[OperationSite, ...]]:
    """Return a document without the operations on other hosts, and those operations.

    Args:
        url: the base URL of the others.

    Raises:
        InputError: no operation is left.
    """
    bases = base_urls(document, url)
    sites = [site for site in operations(document) if site.direction is Direction.PATH]
    elsewhere = tuple(site for site in sites if bases.get(site.pointer, url) is None)
    if len(elsewhere) == len(sites) > 0:
        there = servers_of(elsewhere[0])[0].url
        raise InputError(
            f"no operation is at {url}: each has servers of its own, on another host",
            hint=f"test them at their own URL, such as {there}",
        )
    pointers = [site.pointer for site in elsewhere]
    return without(document, pointers) if pointers else document, elsewhere


def own_base_urls(document: Document, url: str) -> dict[Pointer, str]:
    """Return the base URLs of operations that have another one than the rest."""
    own = base_urls(document, url)
    return {pointer: base for pointer, base in own.items() if base not in (None, url)}


def _loaded(
    named: Path | str | None, allowed: tuple[Path, ...], hosts: tuple[str, ...]
) -> Document:
    if not isinstance(named, str):
        return read_document(chosen_document(configured(document=named)), allowed)
    checked_url(named, hosts)
    read = load_from(named, lambda url: _is_allowed(urlsplit(url).hostname or "", hosts))
    return completed(read, named)


def _is_allowed(host: str, hosts: tuple[str, ...]) -> bool:
    return host in hosts or _is_loopback(host)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"

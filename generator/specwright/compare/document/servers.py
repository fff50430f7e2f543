"""The addresses of the API, and the changes of the servers that declare them."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from itertools import islice, product
from typing import NamedTuple

from specwright.compare.document.pairing import operations_by_key
from specwright.compare.schemas.annotations import DEFAULT_CHANGED
from specwright.compare.verdicts.change import Change, became, display
from specwright.compare.verdicts.change_rule import ADDED, ChangeCategory, ChangeRule
from specwright.compare.verdicts.example import DECLARED, example
from specwright.document.model import Document
from specwright.document.operations.servers import servers, servers_of
from specwright.document.operations.sites import OperationSite
from specwright.errors import InputError
from specwright.findings import values_of
from specwright.pointer import Pointer, join
from specwright.runtime.shared.servers import Server

# The server of a document that declares none (OAS 3.1.1, 4.8.1).
_HERE = Server("/")
# The most addresses of one server, and the most that a message names.
_MOST_ADDRESSES, _SHOWN = 10_000, 6
# Any value of a variable, as in the patterns of `fnmatch`.
_ANY = "*"

SERVER_REMOVED = ChangeRule(
    "server-removed",
    ChangeCategory.WIRE,
    "Clients continue to call the removed address.",
    example=example(
        DECLARED,
        "servers: [{url: 'https://a.test'}]",
        "servers: [{url: 'https://b.test'}]",
        "servers: [{url: 'https://b.test'}, {url: 'https://a.test/'}]",
    ),
    remedy="List the new address beside the old one while both are in use.",
)


class MovedPrefixes(NamedTuple):
    """The end of the server's URL in each document with which paths of the other one begin.

    It is `/v1` for the base if its `/orders` at `https://a.test/v1` is `/v1/orders` at
    `https://a.test` in the revision.
    """

    base: str = ""
    revision: str = ""


# The URLs of a server, with `*` for any value of a variable, and each as a pattern.
_Addresses = dict[str, str]


def moved_prefixes(base: Document, revision: Document) -> MovedPrefixes:
    """Return the prefixes that moved between servers and paths, if more operations match so."""
    old, new = (_usual(_servers(document)[0]) for document in (base, revision))
    unmoved = MovedPrefixes()
    moved = MovedPrefixes(_end(old, new), _end(new, old))
    if moved == unmoved:
        return unmoved
    more, fewer = (_count_shared(base, revision, prefixes) for prefixes in (moved, unmoved))
    return moved if more > fewer else unmoved


def _end(url: str, start: str) -> str:
    """Return the segments of a URL after another URL; empty if it does not begin with that."""
    end = url.removeprefix(start) if url.startswith(start) else ""
    return end if end.startswith("/") else ""


def _count_shared(base: Document, revision: Document, moved: MovedPrefixes) -> int:
    with suppress(InputError):
        # Two operations may be the same with their prefixes.
        old, new = (
            {key.template for key in operations_by_key(document, (), prefix)}
            for document, prefix in zip((base, revision), moved, strict=True)
        )
        return len(old & new)
    return 0


def server_changes(base: Document, revision: Document, moved: MovedPrefixes) -> Iterator[Change]:
    """Yield the changes of the addresses of a document."""
    at = join("servers")
    yield from _changes(_servers(base), _servers(revision), moved, (at, at))


def own_server_changes(
    documents: tuple[Document, Document],
    base: OperationSite,
    revision: OperationSite,
    moved: MovedPrefixes,
) -> Iterator[Change]:
    """Yield the changes of the addresses of an operation, if it or its path declares any."""
    own = [servers_of(site) for site in (base, revision)]
    if any(own):
        before, after = (
            declared or _servers(document)
            for declared, document in zip(own, documents, strict=True)
        )
        # The path of an operation with servers of its own has no prefix before it.
        prefixes = MovedPrefixes(
            "" if own[0] else moved.base,
            "" if own[1] else moved.revision,
        )
        old, new = (
            (site if "servers" in site.value or not declared else site.item) / "servers"
            for declared, site in zip(own, (base, revision), strict=True)
        )
        yield from _changes(before, after, prefixes, (old, new))


def _servers(document: Document) -> tuple[Server, ...]:
    return servers(document) or (_HERE,)


def _changes(
    before: Sequence[Server],
    after: Sequence[Server],
    moved: MovedPrefixes,
    at: tuple[Pointer, Pointer],
) -> Iterator[Change]:
    # What is in the URLs of one document is in the paths of the other.
    old = [(server, _addresses(server, moved.revision)) for server in before]
    new = [(server, _addresses(server, moved.base)) for server in after]
    known = _Known.of(addresses for _, addresses in new)
    removed: list[Server] = []
    for server, addresses in old:
        if lost := known.missing(addresses):
            removed.append(server)
            is_kept = not known.missing([_usual(server) + moved.revision])
            words = f"is no longer at {_listed(lost)}" if is_kept else "was removed"
            yield Change(SERVER_REMOVED, *at, f"server {_shown(server)} {words}", values_of(*lost))
    known = _Known.of(addresses for _, addresses in old)
    for server, addresses in new:
        if gained := known.missing(addresses):
            is_kept = not known.missing([_usual(server) + moved.base])
            words = f"is now also at {_listed(gained)}" if is_kept else "was added"
            yield Change(ADDED, None, at[1], f"server {_shown(server)} {words}", values_of(*gained))
    by_url = {server.url: server for server in after}
    for server in before:
        partner = by_url.get(server.url)
        if partner is not None and server not in removed:
            yield from _default_changes(server, partner, at)


def _default_changes(old: Server, new: Server, at: tuple[Pointer, Pointer]) -> Iterator[Change]:
    for name, variable in old.variables.items():
        values = variable.default, new.variables[name].default
        if values[0] is not None and values[0] != values[1]:
            message = f"server {display(old.url)}: the default of {name} {became(*values)}"
            yield Change(DEFAULT_CHANGED, *at, message, values_of(old.url, name, *values))


class _Known(NamedTuple):
    """The addresses of all servers of one side."""

    urls: frozenset[str]
    patterns: tuple[str, ...]

    @classmethod
    def of(cls, servers: Iterable[_Addresses]) -> _Known:
        merged = {url: pattern for addresses in servers for url, pattern in addresses.items()}
        patterns = (pattern for url, pattern in merged.items() if _ANY in url)
        return cls(frozenset(merged), tuple(patterns))

    def missing(self, urls: Iterable[str]) -> list[str]:
        """Return those of other URLs that are not among these."""
        return [
            url
            for url in urls
            if url not in self.urls
            and not any(fnmatchcase(url, pattern) for pattern in self.patterns)
        ]


def _addresses(server: Server, end: str) -> _Addresses:
    """Return the addresses of a server for each choice of values for its variables.

    Raises:
        ValueError: there are too many.
    """
    choices = (
        dict.fromkeys((*variable.values, *([variable.default] if variable.default else [])))
        if variable.values
        else (_ANY,)
        for variable in server.variables.values()
    )
    addresses: _Addresses = {}
    for chosen in islice(product(*choices), _MOST_ADDRESSES + 1):
        values = dict(zip(server.variables, chosen, strict=True))
        patterns = {
            name: text if text == _ANY else glob.escape(text) for name, text in values.items()
        }
        url, pattern = _url(server.url, values), _url(glob.escape(server.url), patterns)
        addresses[url + end] = pattern + glob.escape(end)
    if len(addresses) > _MOST_ADDRESSES:
        raise ValueError(f"{server.url} has more than {_MOST_ADDRESSES:,} addresses")
    return addresses


def _url(template: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        template = template.replace(f"{{{name}}}", value)
    return template.rstrip("/")


def _usual(server: Server) -> str:
    """Return the URL with the default values."""
    defaults = {name: variable.default for name, variable in server.variables.items()}
    return _url(server.url, {name: text for name, text in defaults.items() if text is not None})


def _shown(server: Server) -> str:
    return display(_usual(server) or "/")


def _listed(urls: Sequence[str]) -> str:
    words = [f"all of {url}" if _ANY in url else url for url in urls[:_SHOWN]]
    more = len(urls) - _SHOWN
    return display(", ".join([*words, f"{more} more"] if more > 0 else words))

"""Anchors, which depend on names, and never on the order of a document."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import TypeVar

Key = TypeVar("Key")

_PLAIN = re.compile(r"[A-Za-z0-9_.+-]{1,80}")
_NOT_PLAIN = re.compile(r"[^a-z0-9]+")
_LONGEST_SLUG = 60
_DIGITS = 8
# Ids of the page itself, and the beginnings of the other anchors.
_OF_PAGE = frozenset(
    """api authentication changes content document download errors finder models results rules
    search servers shared-errors theme webhooks""".split()
)
_BEGINNINGS = (
    *("about-", "change-", "error-", "group-", "model-", "response-", "scheme-", "version-"),
)


def anchors(
    names: Mapping[Key, str],
    prefix: str = "",
    *,
    is_taken: Callable[[str], bool] = lambda anchor: False,
) -> dict[Key, str]:
    """Return an anchor for each key.

    That of a plain name is the name. Another name becomes a slug, and a slug that is not unique
    gets a digest of the key, so that no other name decides between two of them.

    Args:
        prefix: the beginning of each.
        is_taken: whether an anchor is that of something else, so that it gets a digest, too.
    """
    plain = Counter(name for name in names.values() if _PLAIN.fullmatch(name))
    slugs = Counter(slug(name) for name in names.values() if name not in plain)
    result = {}
    for key, name in names.items():
        wanted = name if name in plain else slug(name)
        others = plain[wanted] + (0 if name in plain else slugs[wanted])
        is_free = others == 1 and not is_taken(wanted)
        result[key] = prefix + (wanted if is_free else _marked(wanted, str(key)))
    return result


def is_of_page(anchor: str) -> bool:
    """Return whether an anchor belongs to the page itself, or begins as those with a prefix do."""
    return anchor in _OF_PAGE or anchor.startswith(_BEGINNINGS)


def segment(name: str) -> str:
    """Return a name as a segment of an anchor; slashes separate segments."""
    return name if _PLAIN.fullmatch(name) else _marked(slug(name), name)


def slug(text: str) -> str:
    """Return a text as a part of a URL that needs no encoding; `x` if nothing is left of it."""
    return _NOT_PLAIN.sub("-", text.lower()).strip("-")[:_LONGEST_SLUG].strip("-") or "x"


def _marked(wanted: str, name: str) -> str:
    """Return an anchor with a digest of a name; no plain name has a tilde."""
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{wanted}~{digest[:_DIGITS]}"

"""Texts of a document as the metadata of a distribution (https://packaging.python.org/specifications)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression
from packaging.version import InvalidVersion, Version

# The words for a pre-release, and their form in versions of distributions
# (https://packaging.python.org/en/latest/specifications/version-specifiers/).
_LABELS: Mapping[str, str] = {
    **dict.fromkeys(("a", "alpha"), "a"),
    **dict.fromkeys(("b", "beta"), "b"),
    **dict.fromkeys(("c", "rc", "pre", "preview"), "rc"),
    **dict.fromkeys(("dev", "snapshot"), ".dev"),
    "post": ".post",
}
# Dates are written with hyphens; text after `+` tells builds apart, not versions.
_VERSION = re.compile(
    r"(?P<release>[0-9]{1,9}(?:[.-][0-9]{1,9})*)(?:[.-]?(?P<label>[a-z]+)[.-]?(?P<number>[0-9]{1,9})?)?",
    re.ASCII,
)
# Not in a name before an address in a header (RFC 5322, 3.2.3).
_NOT_IN_NAME = re.compile(r"[()<>\[\]:;@\\,\"]")
_EMAIL = re.compile(
    r"[A-Za-z0-9_%+-]+(\.[A-Za-z0-9_%+-]+)*@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+", re.ASCII
)
_LONGEST = 200
_RUNTIME = "Apache-2.0"


def version(text: str) -> str:
    """Return the document's version, as closely as the rules for distributions allow."""
    match = _VERSION.search(text.lower())
    if match is None:
        return "0"
    label = _LABELS.get(match["label"])
    suffix = f"{label}{int(match['number'] or 0)}" if label else ""
    return match["release"].replace("-", ".") + suffix


def is_version(text: str) -> bool:
    """Return whether a text is a version of distributions, and `version` keeps its meaning."""
    try:
        return Version(Version(text).public) == Version(version(text))
    except InvalidVersion:
        return False


def license_expression(text: str) -> str | None:
    """Return an SPDX expression in its usual form; None if the text is none (PEP 639)."""
    try:
        return str(canonicalize_license_expression(text))
    except InvalidLicenseExpression:
        return None


def with_runtime(license_: str) -> str:
    """Return the licence of a package with own code under a licence, and a copy of our runtime."""
    if license_ == _RUNTIME:
        return license_
    own = f"({license_})" if " OR " in license_ else license_
    return f"{own} AND {_RUNTIME}"


def is_author(name: str) -> bool:
    """Return whether a text may be the name of an author."""
    return 0 < len(name) <= _LONGEST and name.isprintable() and not _NOT_IN_NAME.search(name)


def is_email(address: str) -> bool:
    """Return whether a text is a plain address of e-mail."""
    return len(address) <= _LONGEST and _EMAIL.fullmatch(address) is not None


def is_url(address: str) -> bool:
    """Return whether a text is the URL of a page."""
    if len(address) > _LONGEST or not address.isascii() or not address.isprintable():
        return False
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    plain = not set(' "<>\\^`{|}') & set(address)
    return parts.scheme in ("http", "https") and bool(parts.hostname) and plain

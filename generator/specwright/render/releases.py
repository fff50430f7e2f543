"""The version of an API as the version of a distribution."""

from __future__ import annotations

import re
from collections.abc import Mapping

from specwright.text import Text

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


def version(text: Text | str) -> str:
    """Return the document's version, as closely as the rules for distributions allow."""
    raw = text.raw if isinstance(text, Text) else text
    match = _VERSION.search(raw.lower())
    if match is None:
        return "0"
    label = _LABELS.get(match["label"])
    suffix = f"{label}{int(match['number'] or 0)}" if label else ""
    return match["release"].replace("-", ".") + suffix

"""The notes of a release, which are its entry in CHANGELOG.md and the lines that install it."""

from __future__ import annotations

import re

from release.changelog import entry

# Paths of the repository lead nowhere from the page of a release.
_RELATIVE_LINK = re.compile(r"\[([^]]+)\]\((?!https?://)[^)]*\)")
_INSTALLATION = """\
## Install

From the index:

```console
$ pip install 'specwright[test]=={version}'
```

From the wheel of this page, after a check that it is what the workflow of the repository has built:

```console
$ sha256sum --check --ignore-missing SHA256SUMS
$ gh attestation verify specwright-{version}-py3-none-any.whl --repo OWNER/specwright
$ pip install './specwright-{version}-py3-none-any.whl[test]'
```

`specwright-{version}.cdx.json` lists the packages with which this version was tested (CycloneDX).
"""


def render(changelog: str, version: str) -> str:
    """Return the notes of a version in Markdown.

    Args:
        changelog: the text of CHANGELOG.md, which has an entry for the version.
    """
    changes = _RELATIVE_LINK.sub(r"\1", entry(changelog, version))
    return f"{changes}\n\n{_INSTALLATION.format(version=version)}"

"""Where a body has properties with an error code of their own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from specwright.document.model import Document
from specwright.ir.model import Refusal
from specwright.text import Text
from specwright.vocabulary.keywords.invalid import INVALID


def refusals(
    document: Document, schema: Any, path: tuple[str, ...] = (), above: tuple[int, ...] = ()
) -> Iterator[Refusal]:
    """Find the codes in a schema; what refers back to a schema above is not followed again."""
    followed = document.follow(schema)
    if not isinstance(followed, dict) or id(followed) in above:
        return
    above = (*above, id(followed))
    for name, value in followed.get("properties", {}).items():
        for each in (value, document.follow(value)):
            declared = INVALID.read(each) if isinstance(each, dict) else None
            if declared is not None:
                yield Refusal(Text(".".join((*path, name))), declared.code)
                break
        yield from refusals(document, value, (*path, name), above)
    if "items" in followed:
        yield from refusals(document, followed["items"], (*path, "*"), above)
    for part in followed.get("allOf", ()):
        yield from refusals(document, part, path, above)

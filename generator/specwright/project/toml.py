"""Settings as TOML for people to read and extend."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from specwright.project.proposals import Proposals

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def settings(values: Mapping[str, str], proposed: Proposals) -> str:
    """Return the table `[tool.specwright]`, with proposals in tables of their own."""
    return "\n".join([*_table("", values), *_proposed(proposed)]) + "\n"


def _proposed(proposed: Proposals) -> Iterator[str]:
    if proposed.pagination:
        yield "\n# Lists with pagination that the document shows plainly."
        yield from _table("pagination", proposed.pagination)
    if proposed.names:
        yield "\n# Methods, named after the functions that a framework derived operationIds from."
        yield from _table("names.operations", proposed.names)
    for scheme, members in proposed.sign_in.items():
        yield "\n# How `specwright test` signs in with a key `user:password`."
        yield from _table(f"test.sign-in.{_key(scheme)}", members)


def _table(name: str, values: Mapping[str, object]) -> Iterator[str]:
    yield f"[tool.specwright{'.' if name else ''}{name}]"
    yield from (f"{_key(key)} = {_value(value)}" for key, value in values.items())


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _value(name)


def _value(value: object) -> str:
    if isinstance(value, Mapping):
        members = (f"{_key(str(name))} = {_value(each)}" for name, each in value.items())
        return f"{{ {', '.join(members)} }}"
    # Texts, whole numbers and truth values in JSON are TOML, except for DEL.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")

"""Templates of the user made from built-in ones, with notes of the built-in versions."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from specwright.errors import InputError, did_you_mean
from specwright.render.templates import BUILTIN, Templates

_TAG = re.compile(r"\{%[-+]?\s*(?:block\s+(?P<name>\w+)|(?P<end>endblock))\b.*?%\}", re.DOTALL)
_NOTE = re.compile(
    r"\{# based on (?P<template>\S+?)(?: block (?P<block>\w+))? (?P<hash>[0-9a-f]+) #\}"
)
_HASH_LENGTH = 16


class Basis(StrEnum):
    """The relation of an override to the built-in template that it was made from."""

    CURRENT = "current"
    OLDER = "based on an older built-in template"
    GONE = "the built-in template or block was removed"
    UNKNOWN = "made without `specwright templates copy`: basis unknown"


@dataclass(frozen=True, slots=True)
class Override:
    """A template of the user, or one block of it."""

    template: str
    block: str | None
    basis: Basis


def blocks(source: str) -> dict[str, str]:
    """Return the blocks of a template's source, tags included, in the order in which they begin."""
    open_blocks: list[tuple[str, int]] = []
    overridden: dict[str, str] = {}
    for tag in _TAG.finditer(source):
        if tag["end"] is None:
            open_blocks.append((tag["name"], tag.start()))
            overridden[tag["name"]] = ""
        elif open_blocks:
            name, start = open_blocks.pop()
            overridden[name] = source[start : tag.end()]
    return overridden


def copied(templates: Templates, name: str, chosen: Sequence[str]) -> str:
    """Return an override of the chosen blocks, or of the whole template if none are chosen.

    Raises:
        InputError: the template or a block does not exist.
    """
    source = templates.builtin_source(name)
    if source is None:
        raise InputError(
            f"the built-in template {name!r} does not exist",
            hint=did_you_mean(name, templates.builtin_names(), "see `specwright templates list`"),
        )
    if not chosen:
        return f"{{# based on {name} {_hash(source)} #}}\n{source}"
    available = blocks(source)
    unknown = [block for block in chosen if block not in available]
    if unknown:
        raise InputError(
            f"{name} has no block {unknown[0]!r}",
            hint=f"it has {', '.join(available)}" if available else "it has no blocks",
        )
    sources = {block: available[block] for block in chosen}
    # A block inside another one that is chosen is part of its copy.
    outermost = {
        block: source
        for block, source in sources.items()
        if not any(source in other for other in sources.values() if other != source)
    }
    notes = [f"{{# based on {name} block {b} {_hash(s)} #}}" for b, s in outermost.items()]
    extends = f'{{% extends "{BUILTIN}{name}" %}}'
    return "\n".join([*notes, extends, *outermost.values()]) + "\n"


def overrides(templates: Templates) -> Iterator[Override]:
    """Yield the user's templates and blocks, with the state of their basis."""
    for template, source in templates.own().items():
        notes = list(_NOTE.finditer(source))
        if not notes and templates.builtin_source(template) is not None:
            yield Override(template, None, Basis.UNKNOWN)
        for note in notes:
            yield Override(template, note["block"], _basis(templates, note))


def _basis(templates: Templates, note: re.Match[str]) -> Basis:
    source = templates.builtin_source(note["template"])
    if source is not None and note["block"] is not None:
        source = blocks(source).get(note["block"])
    if source is None:
        return Basis.GONE
    return Basis.CURRENT if _hash(source) == note["hash"] else Basis.OLDER


def _hash(source: str) -> str:
    return hashlib.sha256(source.encode()).hexdigest()[:_HASH_LENGTH]

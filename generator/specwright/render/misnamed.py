"""Templates and blocks of the user that are not used, probably because of a misspelled name."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from jinja2 import meta, nodes

from specwright.errors import InputError, did_you_mean
from specwright.render.overrides import blocks
from specwright.render.templates import BUILTIN, Templates

Trees = Mapping[str, nodes.Template]


def refuse_misnamed(trees: Trees, templates: Templates) -> None:
    """Check the names of the user's templates and of their blocks.

    Raises:
        InputError: a template neither replaces a built-in one nor is referred to by another, or
            it fills a block that the template it extends does not have.
    """
    builtin = templates.builtin_names()
    for name in sorted(trees.keys() - _used(trees, builtin)):
        raise InputError(
            f"{name!r} is not the name of a built-in template, and no other template refers to it",
            templates.place(name),
            did_you_mean(name, builtin, "move files that are not templates out of this directory"),
        )
    for name, tree in trees.items():
        known = _inherited(tree, trees, templates, frozenset({name}))
        if known is None:
            continue
        for block in _outermost(tree):
            if block.name not in known:
                raise InputError(
                    f"the template that this one extends has no block {block.name!r}",
                    templates.place(name, block.lineno),
                    did_you_mean(block.name, known, f"it has {', '.join(sorted(known))}"),
                )


def _used(trees: Trees, builtin: Collection[str]) -> set[str]:
    used, waiting = set(), [name for name in trees if name in builtin]
    while waiting:
        name = waiting.pop()
        used.add(name)
        for reference in meta.find_referenced_templates(trees[name]):
            if reference is None:
                # The name is known only at rendering; it may be any.
                return set(trees)
            if reference in trees and reference not in used:
                waiting.append(reference)
    return used


def _inherited(
    tree: nodes.Template, trees: Trees, templates: Templates, children: frozenset[str]
) -> set[str] | None:
    """Return the blocks of the extended template; None without one, or with an unknown one."""
    extends = tree.find(nodes.Extends)
    parent = extends.template.value if extends and isinstance(extends.template, nodes.Const) else ""
    if parent in trees and parent not in children:
        above = _inherited(trees[parent], trees, templates, children | {parent})
        return {block.name for block in trees[parent].find_all(nodes.Block)} | (above or set())
    source = templates.builtin_source(str(parent).removeprefix(BUILTIN))
    return None if source is None else set(blocks(source))


def _outermost(tree: nodes.Template) -> list[nodes.Block]:
    """Return the blocks that are not part of another one, which may have new ones inside."""
    blocks = list(tree.find_all(nodes.Block))
    inside = {inner.name for block in blocks for inner in block.find_all(nodes.Block)}
    return [block for block in blocks if block.name not in inside]

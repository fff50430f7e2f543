"""The schemas of `[tool.specwright]`, and of a pyproject.toml that has it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from specwright.config import (
    LINK,
    NAMES,
    OLD_NAME,
    OLD_NAMES,
    SETTINGS,
    SIGN_IN,
    SettingMember,
    matching,
)
from specwright.editors.schema import closed, draft_7, list_of, map_of, reference, root
from specwright.json_values import JsonObject, mapping, one_or_more
from specwright.vocabulary.keywords.pagination import PAGINATION

_TITLE = "Specwright: settings of a project"
_DESCRIPTION = (
    "The document of a project, and the package that is generated from it. Every setting is "
    "optional."
)
# The words of a page for a link to more of it; and other links, of which editors need the target.
_MORE = re.compile(r" \(\[[^\]]+\]\([^)]+\)\)")
_LINK = re.compile(r"\[(?P<text>[^\]]+)\]\((?P<target>[^)]+)\)")


def settings_schema() -> JsonObject:
    """Return the schema of `[tool.specwright]`: a table, or several tables for documents."""
    return root("partial-specwright", _TITLE, _DESCRIPTION, _tables())


def pyproject_schema() -> JsonObject:
    """Return the schema of a pyproject.toml: of `[tool.specwright]`, and of nothing else in it."""
    tables = _tables()
    definitions = tables.pop("definitions")
    tool: JsonObject = {
        "type": "object",
        "properties": {"specwright": {"description": _DESCRIPTION, **tables}},
    }
    return root(
        "specwright-pyproject",
        "pyproject.toml with [tool.specwright]",
        _DESCRIPTION,
        {"type": "object", "properties": {"tool": tool}, "definitions": definitions},
    )


def _tables() -> JsonObject:
    nested: Mapping[str, JsonObject] = {
        "pagination": map_of(_pagination()),
        "names": closed(
            {
                kind: map_of(matching(names.pattern), description=_sentence(names.meaning))
                for kind, names in NAMES.items()
            }
        ),
        "deprecated": map_of(
            _members(OLD_NAME), propertyNames={"pattern": f"^{OLD_NAMES.pattern}$"}
        ),
        "test": closed({"sign-in": map_of(_members(SIGN_IN)), "links": list_of(_members(LINK))}),
    }
    table = _members(SETTINGS, nested)
    several: JsonObject = {
        "type": "object",
        "properties": {"document": True, "output": True},
        "required": ["document", "output"],
    }
    one = reference("table")
    tables = {**list_of({"allOf": [one, several]}), "minItems": 1}
    return {
        "if": {"type": "array"},
        "then": tables,
        "else": one,
        # Taplo completes from alternatives, and not from conditions; with the last one, these
        # refuse nothing, so that a mistake has one message.
        "anyOf": [one, tables, {}],
        "definitions": {"table": table},
    }


def _members(
    members: Mapping[str, SettingMember], nested: Mapping[str, JsonObject] = MappingProxyType({})
) -> JsonObject:
    """Return the schema of a table; those in it that have members themselves are `nested`."""
    required = [name for name, member in members.items() if member.is_required]
    schema = closed(
        {
            name: {"description": _description(member), **(nested.get(name) or member.values)}
            for name, member in members.items()
        },
        *required,
    )
    # Even Better TOML completes a new table with them.
    return {**schema, "x-taplo": {"initKeys": [*required]}} if required else schema


def _description(member: SettingMember) -> str:
    """Return the meaning, and the default in words unless the schema has it as a value."""
    if member.is_required or member.default == "none" or "default" in member.values:
        return _sentence(member.meaning)
    return f"{_sentence(member.meaning)}\nDefault: {member.default}"


def _sentence(markdown: str) -> str:
    """Return words of a page without its links, in the form of a description."""
    words = _LINK.sub(_outside, _MORE.sub("", markdown))
    return f"{words[0].upper()}{words[1:]}"


def _outside(link: re.Match[str]) -> str:
    is_elsewhere = link["target"].startswith("https:")
    return f"{link['text']} ({link['target']})" if is_elsewhere else link["text"]


def _pagination() -> JsonObject:
    """Return the schema of `x-contract-pagination`, of which a table has the members that it needs.

    TOML has no null, and a missing member is one.
    """
    members = mapping(draft_7(PAGINATION.schema())["properties"])
    return closed({name: _without_null(mapping(member)) for name, member in members.items()})


def _without_null(schema: JsonObject) -> JsonObject:
    kinds = [kind for kind in one_or_more(schema["type"]) if kind != "null"]
    return {**schema, "type": kinds[0]}

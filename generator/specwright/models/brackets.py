"""Attributes of properties such as `ids[]`, in which PHP and Rails expect the items of lists."""

from __future__ import annotations

import re
from keyword import iskeyword

from pydantic import BaseModel

from specwright.document.model import Document
from specwright.document.schemas.applicators import Subschema
from specwright.document.schemas.inheritance import properties
from specwright.document.shape import walk
from specwright.json_values import mapping
from specwright.names import snake

_BRACKETED = re.compile(r"([a-z][a-z0-9_]*)\[\]")


def without_brackets(document: Document) -> dict[str, str]:
    """Return the attributes of properties by name, where the name without brackets is free.

    The model generator has one attribute for a name, in all classes: a name keeps its brackets, as
    underscores, if an object has another property of that attribute, inherited ones included.
    """
    nodes = [node for node in walk(document.data) if node.kind == "schema"]
    plain = {
        name: match[1]
        for node in nodes
        for name in mapping(node.value.get("properties"))
        if (match := _BRACKETED.fullmatch(name)) and _is_free(match[1])
    }
    if not plain:
        return plain
    for node in nodes:
        if node.value.keys() & {"properties", "allOf"}:
            names = properties(document, Subschema(node.pointer, node.value))
            attributes = [snake(name) for name in names]
            for name in plain.keys() & names.keys():
                if attributes.count(plain[name]) > 1:
                    del plain[name]
    return plain


def _is_free(name: str) -> bool:
    return not (iskeyword(name) or hasattr(BaseModel, name))

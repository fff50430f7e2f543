"""Every public name of a generated package and of the toolkit stands on a page."""

from __future__ import annotations

import pkgutil
import re
from importlib import import_module
from pathlib import Path

import pytest

import partner_esim
import specwright

ROOT = Path(__file__).parents[2]
# Pages of measurements and decisions are not where people look names up.
PAGES = [
    ROOT / "README.md",
    *(path for room in ("how-to", "reference") for path in (ROOT / "docs" / room).glob("*.md")),
    *(ROOT / "docs").glob("tutorial*.md"),
]
TEXT = "\n".join(path.read_text("utf-8") for path in PAGES)


def modules() -> list[str]:
    """The modules without an underscore that have public names, of both distributions."""
    names = [partner_esim.__name__]
    names += [
        f"{package.__name__}.{module.name}"
        for package in (partner_esim, specwright)
        for module in pkgutil.iter_modules(package.__path__)
        if not module.name.startswith("_")
    ]
    return [name for name in names if name not in INTERNAL]


# The commands are the interface of the toolkit, but for `specwright.testing`.
INTERNAL = {
    f"specwright.{module.name}"
    for module in pkgutil.iter_modules(specwright.__path__)
    if module.name != "testing"
} | {
    # Every name of a client is in the package itself.
    "partner_esim.client",
    "partner_esim.async_client",
    # Named by the document.
    "partner_esim.models",
    "partner_esim.params",
}


def public(module: str) -> list[str]:
    home = import_module(module)
    if hasattr(home, "__all__"):
        return list(home.__all__)
    # The module of errors.
    return [
        name
        for name, value in vars(home).items()
        if isinstance(value, type) and issubclass(value, Exception) and not name.startswith("_")
    ]


@pytest.mark.parametrize("module", modules())
def test_every_public_name_stands_on_a_page(module: str) -> None:
    names = public(module)
    assert names
    assert [name for name in names if not re.search(rf"`[^`\n]*\b{name}\b", TEXT)] == []


def test_the_methods_of_a_client_stand_on_a_page() -> None:
    names = [name for name in dir(partner_esim.EsimClient) if not name.startswith("_")]
    groups = ("plans", "orders", "esims", "topups", "balance", "events")
    groups += ("webhook_endpoints", "sandbox")
    assert [name for name in names if name not in groups and f"{name}" not in TEXT] == []


@pytest.mark.parametrize("name", ["MISSING", "OMIT", "FakeTransport", "specwright_operation"])
def test_names_that_people_ask_for_stand_on_a_page(name: str) -> None:
    assert f"`{name}`" in TEXT

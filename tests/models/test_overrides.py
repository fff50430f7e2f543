"""A class with the fields of others has its settings above them."""

from __future__ import annotations

from specwright.models.overrides import with_fitting_overrides

SOURCE = """\
class Box(Model):
    width: StrictInt

class Crate(Model):
    height: StrictInt

class Open(Model):
    model_config = ConfigDict(extra="allow")
    __annotations__ = {"__pydantic_extra__": Dict[str, StrictInt]}
    size: Box

class Named(Model):
    name: StrictStr
    size: Box

class Item(Open, Named):
    size: Crate
"""


def test_the_settings_of_one_class_stand_above_the_fields_of_another() -> None:
    """An assignment to `__annotations__` removes the annotations above it."""
    _, _, item = with_fitting_overrides(SOURCE).partition("class Item")
    names = [line.split()[0] for line in item.splitlines()[1:]]
    assert names == ["model_config", "__annotations__", "name:", "size:"]

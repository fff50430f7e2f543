"""Names of a document as Python identifiers, and text that does not leak."""

import keyword

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specwright.names import constant, pascal, snake
from specwright.text import Text

NAMES = {
    "getOrderByID": ("get_order_by_id", "GetOrderByID", "GET_ORDER_BY_ID"),
    "HTTPServer": ("http_server", "HTTPServer", "HTTP_SERVER"),
    "list-orders": ("list_orders", "ListOrders", "LIST_ORDERS"),
    "esim.usage": ("esim_usage", "EsimUsage", "ESIM_USAGE"),
    "eventIDs": ("event_ids", "EventIds", "EVENT_IDS"),
    "oauth2Token": ("oauth2_token", "Oauth2Token", "OAUTH2_TOKEN"),
    "3d": ("x_3d", "X3d", "X_3D"),
    "class": ("class_", "Class", "CLASS"),
    "None": ("none", "None_", "NONE"),
    "+1": ("plus_1", "Plus1", "PLUS_1"),
    "-1": ("minus_1", "Minus1", "MINUS_1"),
    "größe": ("größe", "Größe", "GRÖSSE"),
    "": ("x", "X", "X"),
    "***": ("x", "X", "X"),
}


@pytest.mark.parametrize("name", NAMES)
def test_names_as_people_would_write_them(name: str) -> None:
    assert (snake(name), pascal(name), constant(name)) == NAMES[name]


@given(st.text())
def test_every_name_becomes_an_identifier(name: str) -> None:
    for made in (snake(name), pascal(name), constant(name)):
        assert made.isidentifier()
        assert not keyword.iskeyword(made)
        assert not made.startswith("_")


@given(st.text())
def test_a_name_in_snake_case_stays(name: str) -> None:
    assert snake(snake(name)).strip("_") == snake(name).strip("_")


def test_text_does_not_become_part_of_a_string() -> None:
    text = Text("'; import os")
    for write in (str, format, "{}".format, lambda value: f"{value}"):
        with pytest.raises(TypeError, match="quoting filter"):
            write(text)
    with pytest.raises(AttributeError):
        text.raw = "other"
    assert text.raw == "'; import os"


def test_text_is_a_value() -> None:
    assert Text("a") == Text("a")
    assert Text("a") != "a"
    assert len({Text("a"), Text("a"), Text("b")}) == 2
    assert not Text("")

"""A path fits a template, and gives its variables their values, in linear time."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specwright.runtime.shared.templates import PathTemplate

VARIABLE = re.compile(r"\{([^}]*)\}")


def expression(path: str) -> re.Pattern[str]:
    """Return the template as an equivalent regular expression, which may take exponential time."""
    parts = VARIABLE.split(path)
    texts = [r"([^/]+)" if i % 2 else re.escape(part) for i, part in enumerate(parts)]
    return re.compile("".join(texts), re.DOTALL)


PARTS = st.sampled_from(["/", "{a}", "{b}", ".", "..", ":", "x", "xy", "a", "/x/", "{c}.{d}"])
TEXT = st.text(alphabet="/.:xya{}", max_size=12)


@given(st.lists(PARTS, max_size=8).map("".join), TEXT)
def test_the_values_are_those_of_a_greedy_expression(path: str, text: str) -> None:
    found = expression(f"/{path}").fullmatch(f"/{text}")
    values = PathTemplate(f"/{path}").values(f"/{text}".split("/"))
    assert (values and list(values)) == (found and list(found.groups()))


@given(st.lists(PARTS, max_size=8).map("".join), st.lists(TEXT, min_size=16, max_size=16))
def test_a_path_made_of_a_template_fits_it(path: str, texts: list[str]) -> None:
    values = iter(texts)
    filled = VARIABLE.sub(lambda _: next(values).replace("/", "") or "x", f"/{path}")
    assert PathTemplate(f"/{path}").values(filled.split("/")) is not None


@pytest.mark.parametrize(
    ("path", "text", "values"),
    [
        ("/{a}.{b}.{c}/x", "/1.2.3.4/x", ["1.2", "3", "4"]),
        ("/{a}.{b}", "/1..", ["1", "."]),
        ("/{a}{b}", "/123", ["12", "3"]),
        ("/files/{name}.txt", "/files/.txt", None),
        ("/{a/b}", "/1", ["1"]),
        ("/{a}", "/1/2", None),
    ],
)
def test_the_first_variable_is_as_long_as_it_can_be(
    path: str, text: str, values: list[str] | None
) -> None:
    assert PathTemplate(path).values(text.split("/")) == values


def test_a_long_path_is_read_in_a_moment() -> None:
    program = (
        "from types import SimpleNamespace\n"
        "from specwright.runtime.server.paths import Paths\n"
        "from specwright.runtime.shared.operation import Operation\n"
        "operation = Operation('get', 'get', 'GET', '/{a}.{b}.{c}.{d}.{e}/x')\n"
        "paths = Paths([SimpleNamespace(operation=operation)], '')\n"
        "assert not paths.find({'path': '/' + '.' * 200_000 + '/y'})[0]\n"
        "assert paths.find({'path': '/' + '.' * 200_000 + '/x'})[0]\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)

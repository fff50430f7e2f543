"""Pages that are made from something else are up to date."""

import pytest

from tests.docs.derived import PAGES, Derived


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_page_is_current(page: Derived, specwright, accept) -> None:
    text = page.make(specwright)
    if accept(page.name):
        page.path.write_text(text, "utf-8")
    assert page.path.read_text("utf-8") == text, f"pytest tests/docs --accept {page.name}"

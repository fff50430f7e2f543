"""The reference page: everything of the document, and nothing from elsewhere."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest

from esim_service.http import document
from esim_service.http.reference import render

BASE_URL = "http://127.0.0.1:8000/api/v1"
VOID = frozenset(("meta", "link", "br", "hr", "img"))


class Page(HTMLParser):
    """A page as a browser would parse it."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: set[str] = set()
        self.text = ""
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            elif name in ("href", "src"):
                self.links.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def source() -> dict[str, Any]:
    return document.load(BASE_URL)


@pytest.fixture(scope="module")
def page(source: dict[str, Any]) -> Page:
    return Page(render(source))


def test_every_operation_webhook_and_model_has_a_place(page: Page, source: dict[str, Any]) -> None:
    operations = [
        each["operationId"] for item in source["paths"].values() for each in item.values()
    ]
    webhooks = [
        each["operationId"] for item in source["webhooks"].values() for each in item.values()
    ]
    models = [f"model-{name}" for name in source["components"]["schemas"]]
    assert set(operations + webhooks + models) <= set(page.ids)
    assert len(page.ids) == len(set(page.ids))


def test_the_page_is_whole_and_its_links_lead_somewhere(page: Page) -> None:
    assert page.open == []
    inner = {link.removeprefix("#") for link in page.links if link.startswith("#")}
    assert inner <= set(page.ids)


def test_nothing_is_loaded_from_anywhere(page: Page) -> None:
    outer = {link for link in page.links if not link.startswith("#")}
    assert outer == {"data:,", f"{BASE_URL}/openapi.json"}
    assert not page.tags & {"script", "img", "iframe", "object"}


def test_limits_are_told_where_a_value_is_sent(page: Page) -> None:
    assert "at most 200" in page.text
    assert "at most 60 in 60 seconds per key" in page.text
    assert "shown in this response only" in page.text


def test_text_of_the_document_is_no_html(source: dict[str, Any]) -> None:
    attack = "<script>alert(1)</script>"
    hostile = {**source, "info": {**source["info"], "title": attack, "description": attack}}
    shown = Page(render(hostile))
    assert "script" not in shown.tags
    assert attack in shown.text

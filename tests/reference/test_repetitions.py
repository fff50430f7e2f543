"""Examples that an earlier part of the page has are links, and are shown once they are opened."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser import Browser, Page
from tests.reference.shop import page, pages, shop

LONG = {"id": "it 1", "about": "A cup. " * 50}
SHORT = {"id": "it 2"}
MARKED = re.compile(r'data-content="([^"]*)" data-same="([^"]*)">([^<]*)<a href="([^"]*)">([^<]*)')
SHOWN = "[...document.querySelectorAll('[id=\"%s\"] .example code')].map(code => code.textContent)"


def repeating(*examples: dict[str, Any]) -> dict[str, Any]:
    """A shop with the same examples in responses of three operations."""
    document = shop()
    item = document["paths"]["/items/{id}"]["get"]["responses"]["200"]["content"]
    content = item["application/json"]
    if len(examples) > 1:
        content["examples"] = {f"n{n}": {"value": value} for n, value in enumerate(examples)}
    else:
        content["example"] = examples[0]
    created = {"description": "Done.", "content": {"application/json": {**content}}}
    document["paths"]["/items"]["post"]["responses"] = {"201": created}
    return document


def test_a_repeated_example_is_a_link_to_the_first(tmp_path: Path) -> None:
    html = page(tmp_path, repeating(LONG))
    assert html.count("A cup.") == 50
    assert MARKED.findall(html) == [
        (
            "createItem/201/application/json",
            "getItem/200/application/json",
            "Example: that of ",
            "#getItem/200",
            "Get an item, 200",
        )
    ]
    assert html.count('data-content="getItem/200/application/json"') == 1


def test_several_examples_are_repeated_together(tmp_path: Path) -> None:
    [(_, original, words, _, _)] = MARKED.findall(page(tmp_path, repeating(LONG, SHORT)))
    assert (original, words) == ("getItem/200/application/json", "Examples: those of ")


@pytest.mark.parametrize("change", ["value", "title", "order"])
def test_other_examples_are_not_repetitions(change: str, tmp_path: Path) -> None:
    document = repeating(LONG, SHORT)
    responses = document["paths"]["/items"]["post"]["responses"]
    content = responses["201"]["content"]["application/json"]
    first, second = content["examples"].values()
    content["examples"] = {
        "value": {"n0": {"value": {**LONG, "more": 1}}, "n1": second},
        "title": {"n0": {**first, "summary": "Another"}, "n1": second},
        "order": {"n1": second, "n0": first},
    }[change]
    assert MARKED.findall(page(tmp_path, document)) == []


def test_a_short_example_is_repeated(tmp_path: Path) -> None:
    html = page(tmp_path, repeating(SHORT))
    assert MARKED.findall(html) == []
    assert 'data-content="getItem' not in html


def test_a_page_of_a_site_refers_to_none_of_another(tmp_path: Path) -> None:
    document = repeating(LONG)
    document["paths"]["/items"]["post"]["tags"] = ["others"]
    made = pages(tmp_path, document, is_site=True)
    shown = [name for name, html in made.items() if "A cup." in html]
    assert shown == ["items.html", "others.html"]
    assert not any(map(MARKED.findall, made.values()))


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Callable[..., Page]:
    def opened(document: dict[str, Any], anchor: str = "", *, scripts: bool = True) -> Page:
        path = tmp_path / "reference.html"
        path.write_text(page(tmp_path, document), "utf-8")
        return browser.open(path.as_uri() + anchor, scripts=scripts)

    return opened


def test_an_opened_operation_has_its_examples(show: Callable[..., Page]) -> None:
    shown = show(repeating(LONG, SHORT), "#getItem")
    shown.evaluate("location.hash = 'createItem/201'")
    shown.evaluate("new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)))")
    examples = shown.evaluate(SHOWN % "createItem/201")
    assert examples == shown.evaluate(SHOWN % "getItem/200")
    assert len(examples) == 2
    # Its tabs and buttons are its own: one is open in each operation, and each is copied.
    second = "document.querySelectorAll('[id=\"createItem/201\"] .example')[1]"
    shown.evaluate(f"{second}.querySelector('summary').click()")
    is_open = "[...document.querySelectorAll('[id=\"%s\"] .example')].map(each => each.open)"
    assert shown.evaluate(is_open % "createItem/201") == [False, True]
    assert shown.evaluate(is_open % "getItem/200") == [True, False]
    copied = shown.evaluate(
        "(async () => { let text; navigator.clipboard.writeText = async (each) => { text = each };"
        f"{second}.querySelector('button').click(); await null; return text }})()"
    )
    assert copied == examples[1]
    count = "document.querySelectorAll('[id=\"%s\"] .example button').length"
    assert [shown.evaluate(count % each) for each in ("createItem/201", "getItem/200")] == [2, 2]


def test_paper_has_all_examples(show: Callable[..., Page]) -> None:
    shown = show(repeating(LONG))
    assert shown.evaluate(SHOWN % "createItem/201") == []
    shown.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert shown.evaluate(SHOWN % "createItem/201") == shown.evaluate(SHOWN % "getItem/200") != []


def test_a_repeated_body_can_be_chosen(show: Callable[..., Page]) -> None:
    document = repeating(LONG, SHORT)
    operation = document["paths"]["/items"]["post"]
    item = document["paths"]["/items/{id}"]["get"]["responses"]["200"]["content"]
    operation["requestBody"]["content"]["application/json"] = item["application/json"]
    shown = show(document, "#createItem")
    shown.evaluate("document.querySelector('#createItem > .trying').click()")
    select = "document.querySelector('#createItem form select')"
    assert shown.evaluate(f"[...{select}.options].map(each => each.text)") == ["n0", "n1"]


def test_without_scripts_the_link_leads_to_the_example(show: Callable[..., Page]) -> None:
    shown = show(repeating(LONG), "#createItem", scripts=False)
    link = "document.querySelector('#createItem [data-same] a')"
    assert shown.evaluate(f"{link}.textContent") == "Get an item, 200"
    target = f"document.getElementById({link}.getAttribute('href').slice(1))"
    assert "A cup." in shown.evaluate(f"{target}.textContent")

"""Text of a document is shown on the reference page, and does nothing there."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.functional.hostile_documents import hostile
from tests.reference.pages import Page
from tests.reference.shop import page, pages, shop
from tests.reference.test_about import offered

ATTACK = (
    "<script>window.hit = 1</script><img src=x onerror='window.hit = 1'>"
    '"\' autofocus onfocus=window.hit=1 x="</title></style></pre></code></script><!--'
    "{{ 7 * 7 }}{% raw %}javascript:window.hit=1"
)
LINKS = """\
[a](javascript:window.hit=1) [b](data:text/html,<script>1</script>) [c](/elsewhere)
[d](//evil.example) ![e](https://evil.example/e.png) <javascript:window.hit=1>
[f](https://ok.example) [g](mailto:me@ok.example) [h](JaVaScRiPt:1) [i](vbscript:1) [j][k]

[k]: javascript:1
"""


def shape(html: str) -> list[tuple[str, tuple[str, ...]]]:
    """The elements with the names of their attributes; paragraphs come from Markdown."""
    found = Page(html)
    assert found.open == []
    return [element for element in found.elements if element[0] not in ("p", "code")]


def test_hostile_text_makes_no_elements_and_no_attributes(tmp_path: Path) -> None:
    calm = shape(page(tmp_path, hostile("a")))
    assert shape(page(tmp_path, hostile(ATTACK))) == calm


def test_hostile_names_of_a_site_make_no_elements(tmp_path: Path) -> None:
    calm = pages(tmp_path, hostile("a"), is_site=True)
    made = pages(tmp_path, hostile(ATTACK), is_site=True)
    assert [shape(html) for html in made.values()] == [shape(html) for html in calm.values()]


def test_links_lead_to_web_pages_and_mailboxes_only(tmp_path: Path) -> None:
    document = shop()
    document["info"]["description"] = LINKS
    document["paths"]["/items/{id}"]["get"]["description"] = LINKS
    document["components"]["schemas"]["Item"]["properties"]["id"] = {"description": LINKS}
    html = page(tmp_path, document)
    outer = {link for link in Page(html).links if not link.startswith("#")}
    assert outer == {"data:,", "https://ok.example", "mailto:me@ok.example"}
    assert "<img" not in html
    # The text of an image stays.
    assert " e &lt;" in html


def test_data_cannot_end_its_script(tmp_path: Path) -> None:
    attack = "https://x.example/</script ><script >alert(1)//&amp;"
    document = shop(servers=[{"url": attack}])
    document["components"]["securitySchemes"] = {
        "key": {"type": "apiKey", "in": "header", "name": attack}
    }
    html = page(tmp_path, document)
    found = Page(html)
    assert len(found.scripts) == 2
    assert not set(found.data["api"] + found.data["document"]) & set("<>&")
    assert json.loads(offered(html)["text"]) == document
    data = json.loads(found.data["api"])
    assert data["servers"] == [attack]
    assert data["schemes"]["key"]["name"] == attack


def test_names_of_credentials_cannot_end_an_attribute(tmp_path: Path) -> None:
    document = shop()
    name = 'key" onclick="alert(1)'
    document["security"] = [{name: []}]
    schemes = document["components"]["securitySchemes"]
    schemes[name] = schemes.pop("key")
    found = Page(page(tmp_path, document))
    assert ("data-schemes", json.dumps([name])) in found.attributes
    assert "onclick" not in {attribute for attribute, _ in found.attributes}


def test_invisible_characters_are_written_out(tmp_path: Path) -> None:
    document = shop()
    get = document["paths"]["/items/{id}"]["get"]
    get["summary"] = get["description"] = "safe\u202eefas\x1b[31m"
    html = page(tmp_path, document)
    assert not re.search("[\u202e\x1b]", html)
    assert "safe\\u202eefas\\x1b[31m" in html


@pytest.mark.parametrize("level", ["#", "##", "###"])
def test_headings_of_descriptions_stay_below_those_of_the_page(level: str, tmp_path: Path) -> None:
    document = shop()
    document["info"]["description"] = f"{level} First\n\ntext\n\n{level}# Second"
    document["tags"][0]["description"] = f"{level} Of a group"
    document["paths"]["/items/{id}"]["get"]["description"] = f"{level} Of an operation"
    html = page(tmp_path, document)
    assert html.count("<h1>") == 1
    assert '<h2 id="about-1">First</h2>' in html
    assert '<a href="#about-1">First</a>' in html
    assert "<h3>Second</h3>" in html
    assert "<h3>Of a group</h3>" in html
    assert "<h4>Of an operation</h4>" in html

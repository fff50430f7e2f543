"""The reference page in a browser: reading, search, copies and requests to try."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.browser import Browser, Page
from tests.functional.hostile_documents import hostile
from tests.functional.origin import Answer, Origin, running
from tests.reference.pages import ANSWER
from tests.reference.pages import Page as Parsed
from tests.reference.shop import page, shop
from tests.reference.test_hostile import ATTACK
from tests.report.test_page import contrast

Show = Callable[..., Page]
SECRET = "sk_test_a+b c"
RESULTS = "[...document.querySelectorAll('#results [role=option]')]"
LIGHT, DARK = "rgb(255, 255, 255)", "rgb(18, 23, 30)"


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Show:
    """Open the page of a document."""

    def opened(document: dict | None = None, anchor: str = "", *, scripts: bool = True) -> Page:
        path = tmp_path / "reference.html"
        path.write_text(page(tmp_path, document or shop()), "utf-8")
        return browser.open(path.as_uri() + anchor, scripts=scripts)

    return opened


@pytest.fixture
def origin() -> Iterator[Origin]:
    """A server that lets every page call it."""
    with running() as started:
        headers = {
            "access-control-allow-origin": "*",
            "access-control-allow-headers": "*",
            "access-control-expose-headers": "*",
            "access-control-allow-methods": "*",
        }
        started.answer(Answer(body=b'{"id":"<b>1"}', headers=headers))
        yield started


def send(shown: Page, anchor: str, server: str, **values: str) -> str:
    """Fill in the form of an operation by labels, send it, and return the answer."""
    shown.evaluate(f"document.querySelector('#{anchor} > .trying').click()")
    for label, value in {"Server": server, **values}.items():
        shown.evaluate(
            f"[...document.querySelectorAll('#{anchor} form label')].find(each => "
            f"each.textContent.startsWith({label!r})).querySelector('input, textarea').value = "
            f"{json.dumps(value)}"
        )
    shown.evaluate(f"document.querySelector('#{anchor} form').requestSubmit()")
    return str(shown.evaluate(ANSWER % anchor))


def requests(origin: Origin) -> list[tuple[str, str]]:
    """The requests that arrived, without those that ask for permission."""
    return [
        (request.method, request.target) for request in origin.asked if request.method != "OPTIONS"
    ]


def test_everything_can_be_read_without_scripts(show: Show) -> None:
    shown = show(anchor="#getItem", scripts=False)
    # The browser opens the entry that the link leads to.
    assert shown.evaluate("document.querySelector('#getItem').checkVisibility()")
    assert not shown.evaluate("document.querySelector('#createItem').checkVisibility()")
    used = "[...document.querySelectorAll('button, form, select, input')]"
    assert not shown.evaluate(f"{used}.some(each => each.checkVisibility())")
    assert shown.happened("Log.entryAdded") == []


def test_hostile_text_is_shown_and_does_nothing(show: Show) -> None:
    shown = show(hostile(ATTACK))
    shown.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
    assert shown.evaluate("typeof window.hit") == "undefined"
    assert "<script>window.hit = 1</script>" in shown.evaluate("document.body.innerText")
    assert len(shown.happened("Network.requestWillBeSent")) == 1
    assert shown.happened("Log.entryAdded") == shown.happened("Runtime.exceptionThrown") == []


def test_the_policy_stops_other_scripts_and_pictures(show: Show) -> None:
    shown = show()
    shown.evaluate("document.body.innerHTML = '<img src=x onerror=\"window.hit = 1\">'")
    shown.wait("Log.entryAdded")
    assert shown.evaluate("typeof window.hit") == "undefined"


def found(shown: Page, words: str) -> list[str]:
    """The targets of the results of a search, in their order."""
    shown.evaluate("document.getElementById('search').select()")
    shown.type(words)
    return list(shown.evaluate(f"{RESULTS}.map(each => each.dataset.href)"))


def test_a_search_finds_names_before_texts(show: Show) -> None:
    shown = show()
    shown.press("/")
    assert found(shown, "ITEM sold") == [
        *("#onItemSold", "#getItem", "#createItem", "#response-Failed", "#model-Item"),
        "#error-sold_out",
    ]
    assert found(shown, "height") == ["#onItemSold", "#model-Item"]
    assert found(shown, "post item.sold") == ["#onItemSold"]
    # Methods, paths, operationIds, models, errors and the parts of the introduction.
    assert found(shown, "get {id}") == ["#getItem"]
    assert found(shown, "createitem") == ["#createItem"]
    assert found(shown, "newitem")[0] == "#model-NewItem"
    assert found(shown, "sold_out")[0] == "#error-sold_out"
    assert found(shown, "keys")[0] == "#about-1"
    assert found(shown, "items overview") == ["#group-items"]
    assert found(shown, "no such thing") == []
    assert shown.evaluate("document.querySelector('[role=status]').textContent") == "0 results"


def test_a_search_is_done_by_the_keyboard_alone(show: Show) -> None:
    shown = show()
    is_open = "document.getElementById('finder').open"
    for key, control in (("/", False), ("k", True)):
        shown.press(key, control=control)
        assert shown.evaluate(is_open)
        assert shown.evaluate("document.activeElement.id") == "search"
        shown.press("Escape")
        assert not shown.evaluate(is_open)
    shown.press("/")
    # It is a letter of the search now.
    shown.press("/")
    assert shown.evaluate("document.getElementById('search').value") == "/"
    assert found(shown, "item")[:3] == ["#getItem", "#createItem", "#onItemSold"]
    chosen = (
        "(() => { const field = document.getElementById('search');"
        "const option = document.getElementById(field.getAttribute('aria-activedescendant'));"
        "return [option.dataset.href, option.ariaSelected, option.role, field.ariaExpanded] })()"
    )
    assert shown.evaluate(chosen) == ["#getItem", "true", "option", "true"]
    shown.press("ArrowDown")
    assert shown.evaluate(chosen)[0] == "#createItem"
    shown.press("ArrowUp")
    shown.press("ArrowUp")
    assert shown.evaluate(chosen)[0] == shown.evaluate(f"{RESULTS}.at(-1).dataset.href")
    shown.press("ArrowDown")
    shown.press("Enter")
    assert not shown.evaluate(is_open)
    assert shown.evaluate("location.hash") == "#getItem"
    shown.evaluate("new Promise(requestAnimationFrame)")
    assert shown.evaluate("document.getElementById('getItem').checkVisibility()")
    assert shown.evaluate("document.activeElement.closest('.entry').querySelector('[id]').id") == (
        "getItem"
    )


def test_a_search_of_many_operations_shows_a_few(show: Show) -> None:
    document = shop()
    [get] = document["paths"].pop("/items/{id}").values()
    for number in range(900):
        own = {**get, "operationId": f"get{number}", "description": f"Ordinal {number}."}
        document["paths"][f"/things/{number}/{{id}}"] = {"get": own}
    shown = show(document)
    shown.press("/")
    assert len(found(shown, "ordinal")) == 30
    status = shown.evaluate("document.querySelector('[role=status]').textContent")
    assert status == "900 results, of which 30 are shown"
    assert found(shown, "ordinal 899") == ["#get899"]


def test_a_chosen_program_is_shown_in_each_entry(show: Show) -> None:
    shown = show(anchor="#getItem")
    is_open = (
        "[...document.querySelectorAll('#%s [data-program]')].filter(each => each.open)"
        ".map(each => each.dataset.program)"
    )
    assert shown.evaluate(is_open % "getItem") == ["curl"]
    shown.evaluate("location.hash = 'createItem'")
    javascript = "document.querySelector('#createItem [data-program=javascript] > summary')"
    shown.evaluate(f"{javascript}.click()")
    assert shown.evaluate(is_open % "createItem") == ["javascript"]
    assert shown.evaluate(is_open % "getItem") == ["javascript"]
    again = show(anchor="#createItem")
    assert again.evaluate(is_open % "createItem") == ["javascript"]
    # Nothing else is chosen for other pages of this browser.
    again.evaluate("localStorage.clear()")


def test_one_of_several_examples_is_shown(show: Show) -> None:
    document = shop()
    content = document["components"]["responses"]["Failed"]["content"]["application/json"]
    content["examples"]["late"] = {"value": {"code": "sold_out", "detail": "Another."}}
    shown = show(document, "#response-Failed")
    texts = (
        "[...document.querySelectorAll('#response-Failed .example pre code')]"
        ".filter(each => each.checkVisibility()).map(each => JSON.parse(each.textContent).detail)"
    )
    assert shown.evaluate(texts) == ["Too late."]
    shown.evaluate("document.querySelectorAll('#response-Failed .example summary')[1].click()")
    assert shown.evaluate(texts) == ["Another."]


def test_a_body_to_try_is_one_of_the_examples(show: Show) -> None:
    document = shop()
    content = document["paths"]["/items"]["post"]["requestBody"]["content"]["application/json"]
    del content["example"]
    content["examples"] = {
        "cup": {"summary": "A cup", "value": {"name": "cup"}},
        "pot": {"value": {"name": "pot"}},
    }
    shown = show(document, "#createItem")
    shown.evaluate("document.querySelector('#createItem > .trying').click()")
    select = "document.querySelector('#createItem form select')"
    assert shown.evaluate(f"[...{select}.options].map(each => each.text)") == ["A cup", "pot"]
    body = "JSON.parse(document.querySelector('#createItem textarea').value).name"
    assert shown.evaluate(body) == "cup"
    shown.evaluate(f"{select}.selectedIndex = 1; {select}.dispatchEvent(new Event('change'))")
    assert shown.evaluate(body) == "pot"


def test_a_theme_is_kept(show: Show) -> None:
    shown = show()
    ground = "getComputedStyle(document.body).backgroundColor"
    choose = (
        "(() => { const theme = document.getElementById('theme'); theme.value = %r;"
        "theme.dispatchEvent(new Event('change')) })()"
    )
    for theme, system, colour in (
        ("dark", "light", DARK),
        ("light", "dark", LIGHT),
        ("", "dark", DARK),
    ):
        shown.evaluate(choose % theme)
        again = show()
        # Pages have processes of their own, which learn of it a moment later.
        while again.evaluate("localStorage.getItem('specwright.theme') ?? ''") != theme:
            again = show()
        for each in (shown, again):
            each.show_as(system)
            assert each.evaluate(ground) == colour
        assert again.evaluate("document.getElementById('theme').value") == theme


def test_a_theme_is_there_before_the_page(show: Show) -> None:
    shown = show()
    in_head = "document.head.querySelector('script').textContent.includes('wear(stored(THEME))')"
    assert shown.evaluate(in_head)


def test_the_document_is_downloaded(show: Show, tmp_path: Path) -> None:
    shown = show()
    shown.browser.call(
        "Browser.setDownloadBehavior",
        behavior="allow",
        downloadPath=str(tmp_path / "downloads"),
        # Each arrives as soon as there is more of the file.
        eventsEnabled=True,
    )
    shown.evaluate("document.getElementById('download').click()")
    file = tmp_path / "downloads" / "openapi.json"
    while not file.exists():
        shown.browser.next_event()
    assert json.loads(file.read_text("utf-8")) == shop()
    assert shown.happened("Log.entryAdded") == []


def test_paths_servers_and_links_are_copied(show: Show) -> None:
    shown = show(anchor="#getItem")
    copied = (
        "(async () => { const texts = [];"
        "navigator.clipboard.writeText = async (each) => { texts.push(each) };"
        "const press = (within, label) => [...document.querySelectorAll(`${within} button`)]"
        ".find(each => each.textContent === label).click();"
        "press('#servers + dl', 'Copy'); press('#getItem', 'Copy path');"
        "press('#getItem', 'Copy link'); press('[id=\"getItem/200\"]', 'Copy link');"
        "await null; return texts })()"
    )
    page = shown.evaluate("location.href").partition("#")[0]
    assert shown.evaluate(copied) == [
        "https://shop.example/api",
        "/items/{id}",
        f"{page}#getItem",
        f"{page}#getItem/200",
    ]
    link = "document.querySelector('[id=\"getItem/query/fields\"] .permalink')"
    assert shown.evaluate(f"{link}.getAttribute('href')") == "#getItem/query/fields"


@pytest.mark.parametrize("anchor", ["getItem/200", "model-Item/size/height", "error-sold_out"])
def test_a_link_to_a_part_shows_it(anchor: str, show: Show) -> None:
    shown = show(anchor=f"#{anchor}")
    assert shown.evaluate(f"document.getElementById({anchor!r}).checkVisibility()")


def test_the_current_section_is_marked(show: Show) -> None:
    shown = show(anchor="#createItem")
    marked = shown.evaluate(
        "new Promise(resolve => { const look = () => {"
        "const found = document.querySelector('nav [aria-current=location]');"
        "found ? resolve(found.hash) : requestAnimationFrame(look) }; look() })"
    )
    assert marked in ("#createItem", "#getItem")


def test_a_link_to_a_model_opens_it(show: Show) -> None:
    shown = show()
    assert not shown.evaluate("document.getElementById('model-Item').checkVisibility()")
    shown.evaluate("document.querySelector('a[href=\"#model-Item\"]').click()")
    assert shown.evaluate(
        "new Promise(resolve => { const look = () => "
        "document.getElementById('model-Item').checkVisibility()"
        " ? resolve(true) : requestAnimationFrame(look); look() })"
    )


def test_samples_are_copied_without_the_button(show: Show) -> None:
    shown = show(anchor="#getItem")
    copied = (
        "(async () => { let text; navigator.clipboard.writeText = async (each) => { text = each };"
        "const pre = document.querySelector('#getItem pre');"
        "pre.querySelector('button').click(); await null;"
        "return [text, pre.querySelector('code').textContent] })()"
    )
    text, code = shown.evaluate(copied)
    assert text == code
    assert text.startswith("curl https://shop.example/api/items/it%201")


def test_a_request_is_sent_with_a_key_that_is_not_stored(show: Show, origin: Origin) -> None:
    shown = show(anchor="#getItem")
    answer = send(shown, "getItem", f"{origin.url}/api/", key=SECRET, fields="a,b&c")
    assert answer.startswith("200 OK\n")
    assert answer.endswith('{\n  "id": "<b>1"\n}')
    assert requests(origin) == [("GET", "/api/items/it%201?fields=a&fields=b%26c")]
    sent = origin.asked[-1].headers
    assert sent["x-key"] == SECRET
    assert not sent.keys() & {"cookie", "referer", "authorization"}
    kept = (
        "JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, location.href])"
    )
    assert SECRET not in shown.evaluate(kept)
    assert SECRET not in shown.evaluate("document.documentElement.outerHTML")
    # Other forms of this page know it, a new page does not.
    shown.evaluate("location.hash = '#createItem'")
    assert send(shown, "createItem", origin.url, Body='{"name":"ü"}').startswith("200")
    assert origin.asked[-1].headers["x-key"] == SECRET
    assert origin.asked[-1].headers["content-type"] == "application/json"
    assert origin.asked[-1].body == '{"name":"ü"}'.encode()
    shown.call("Page.reload")
    again = show(anchor="#getItem")
    send(again, "getItem", origin.url)
    assert "x-key" not in origin.asked[-1].headers


@pytest.mark.parametrize(
    ("scheme", "secret", "value"),
    [
        ({"type": "http", "scheme": "bearer"}, "a:u", "Bearer a:u"),
        ({"type": "http", "scheme": "basic"}, "a:ü", "Basic YTrDvA=="),
    ],
)
def test_credentials_go_where_the_document_says(
    scheme: dict[str, str], secret: str, value: str, show: Show, origin: Origin
) -> None:
    document = shop()
    document["components"]["securitySchemes"] = {"key": scheme}
    shown = show(document, "#getItem")
    assert send(shown, "getItem", origin.url, key=secret).startswith("200")
    assert origin.asked[-1].headers["authorization"] == value


def test_a_redirect_does_not_take_the_key_along(show: Show, origin: Origin) -> None:
    headers = {**origin.script[0].headers, "location": f"{origin.url}/stolen"}
    shown = show(anchor="#getItem")
    origin.script[:] = [Answer(headers=headers), Answer(302, headers=headers)]
    answer = send(shown, "getItem", origin.url, key=SECRET)
    assert answer == "The server responds with a redirect, which is not followed."
    assert "/stolen" not in {target for _, target in requests(origin)}


def test_other_schemes_than_http_are_refused(show: Show) -> None:
    shown = show(anchor="#getItem")
    answer = send(shown, "getItem", "file:///etc", key=SECRET)
    assert "must be an address that begins with http:// or https://" in answer


def test_an_unreachable_server_is_reported(show: Show, origin: Origin) -> None:
    origin.script[:] = [Answer()]
    answer = send(show(anchor="#getItem"), "getItem", origin.url, key=SECRET)
    assert answer.startswith("No response: ")


@pytest.mark.parametrize("width", [390, 1280])
def test_no_width_scrolls_sideways_and_a_phone_has_a_short_page(width: int, show: Show) -> None:
    long = "x" * 2_000
    document = shop()
    document["paths"]["/items/{id}"]["get"]["summary"] = long
    document["components"]["schemas"]["Item"]["properties"][long] = {"default": long}
    shown = show(document)
    shown.resize(width)
    root = "document.documentElement"
    shut = shown.evaluate(f"{root}.scrollHeight")
    shown.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
    assert shown.evaluate(f"{root}.scrollWidth <= {root}.clientWidth")
    assert shut < shown.evaluate(f"{root}.scrollHeight") / 2
    # The contents are folded on a phone, and always open beside the text.
    shown.evaluate("document.querySelector('.contents').open = false")
    is_shown = shown.evaluate("document.querySelector('.contents li').checkVisibility()")
    assert is_shown == (width == 1280)


def test_dark_is_dark_and_paper_shows_what_is_folded(show: Show) -> None:
    shown = show()
    ground = "getComputedStyle(document.body).backgroundColor"
    shown.show_as("light")
    assert shown.evaluate(ground) == LIGHT
    shown.show_as("dark")
    assert shown.evaluate(ground) == DARK
    folded = "document.querySelector('#createItem pre').checkVisibility()"
    assert not shown.evaluate(folded)
    shown.evaluate("document.querySelector('#createItem').parentElement.open = true")
    shown.evaluate("new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)))")
    shown.evaluate("wear('dark')")
    shown.show_as("dark", media="print")
    assert shown.evaluate(ground) == LIGHT
    # Each sample is below its title.
    assert shown.evaluate(
        "[...document.querySelectorAll('#createItem [data-program] :is(summary, pre)')]"
        ".every(each => each.checkVisibility())"
    )
    assert shown.evaluate(
        "(() => { const tops = [...document.querySelectorAll("
        "'#createItem [data-program] :is(summary, pre)')]"
        ".map(each => each.getBoundingClientRect().top);"
        "return tops.every((top, at) => !at || top > tops[at - 1]) })()"
    )
    link = "document.querySelector('main a[href^=http]')"
    assert "attr(href)" in shown.evaluate(f"getComputedStyle({link}, '::after').content") or (
        "shop.example/about" in shown.evaluate(f"getComputedStyle({link}, '::after').content")
    )
    assert not shown.evaluate(
        "[...document.querySelectorAll('nav, button, select, dialog')]"
        ".some(each => each.checkVisibility())"
    )


def test_every_text_is_read_without_effort_in_light_and_dark(tmp_path: Path) -> None:
    style = Parsed(page(tmp_path, shop())).style
    both = re.findall(r"--(\w+): light-dark\((#\w{6}), (#\w{6})\);", style)
    light, dark = ({name: pair[at] for name, *pair in both} for at in (0, 1))
    for colours in (light, dark):
        # Edges of buttons and fields (WCAG 2.2, 1.4.11).
        assert contrast(colours["edge"], colours["page"]) >= 3
        assert contrast(colours["edge"], colours["panel"]) >= 3
        for name in ("text", "quiet", "link", "get", "post", "put", "delete"):
            for ground in ("page", "panel"):
                assert contrast(colours[name], colours[ground]) >= 4.5, (name, ground)

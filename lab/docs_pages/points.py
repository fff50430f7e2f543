"""Points that a reader notices, each with a script that checks it on a page of `points.yaml`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from lab.docs_pages import measure
from lab.docs_pages.tools import PAGE, Tool
from tests.browser import Browser, Page

TITLE = "The aviary"
_OPERATIONS = {"List the birds": "GET", "Take in a bird": "POST", "Dismantle a cage": "DELETE"}
_LAST = "Dismantle a cage"
_WEBHOOK = "A bird has escaped"
# All of the document is printed if these are; they are in different operations and a model.
_DETAILS = ("The colour of most feathers.", "The number on its door.", "As it answers to.")
_SHORTCUTS = (("/", 0), ("k", 2), ("k", 4))


@dataclass(frozen=True, slots=True)
class Subject:
    """A page that is checked.

    Attributes:
        address: its place on a server.
        directory: its files.
        tool: the tool that made it.
    """

    browser: Browser
    address: str
    directory: Path
    tool: Tool

    @property
    def menu(self) -> str:
        """The selector of the contents, as an argument in JavaScript."""
        return json.dumps(self.tool.menu)

    def page(self) -> Page:
        """Return the page as it opens."""
        return measure.show(self.browser, self.address, TITLE)[0]

    def line(self, page: Page, words: str) -> str:
        """Return the text of the line of the contents that has some words; unfold its group."""
        groups = json.dumps(self.tool.groups)
        page.evaluate(f"reading.reveal({self.menu}, {groups}, {json.dumps(words)})")
        return str(page.evaluate(f"reading.line({self.menu}, {json.dumps(words)})"))


def _text(page: Page) -> str:
    return str(page.evaluate("reading.text()"))


def _unfolded_text(page: Page) -> str:
    """Return all text of a page, shown or not, after everything is unfolded."""
    page.evaluate("reading.openAll()")
    return str(page.evaluate("reading.everything()"))


def _contact(subject: Subject) -> bool:
    page = subject.page()
    text = page.evaluate("reading.everything()")
    return "mailto:keepers@aviary.example" in page.evaluate("reading.links()") and "Feather" in text


def _terms(subject: Subject) -> bool:
    links = subject.page().evaluate("reading.links()")
    return "https://aviary.example/terms-of-use" in links


def _oauth(subject: Subject) -> bool:
    texts = map(_unfolded_text, (subject.page(), _operation(subject, "List the birds")))
    return any("https://login.aviary.example/token" in t and "birds.read" in t for t in texts)


def _has_control(form: str) -> Callable[[Subject], bool]:
    return lambda subject: bool(subject.page().evaluate(f"reading.hasControl(/{form}/i)"))


def _methods(subject: Subject) -> bool:
    page = subject.page()
    return all(
        method.lower()[:3] in subject.line(page, words).replace(words, "").lower()
        for words, method in _OPERATIONS.items()
    )


def _in_menu(words: str) -> Callable[[Subject], bool]:
    return lambda subject: words in subject.line(subject.page(), words)


def _shortcut(subject: Subject) -> bool:
    for key, modifiers in _SHORTCUTS:
        page = subject.page()
        code = f"Key{key.upper()}" if key.isalpha() else "Slash"
        number = ord(key.upper()) if key.isalpha() else 191
        for kind in ("keyDown", "keyUp"):
            page.call(
                "Input.dispatchKeyEvent",
                **{"type": kind, "key": key, "code": code, "windowsVirtualKeyCode": number},
                modifiers=modifiers,
            )
        if page.evaluate(
            "new Promise(resolve => setTimeout(() => resolve(reading.isTyping()), 1000))"
        ):
            return True
    return False


def _operation(subject: Subject, words: str) -> Page:
    """Return the page after a click on an operation in the contents."""
    page = subject.page()
    subject.line(page, words)
    page.evaluate(f"reading.entry({subject.menu}, {json.dumps(words)})?.click()")
    page.evaluate("new Promise(resolve => setTimeout(resolve, 1500))")
    return page


def _copies(subject: Subject) -> bool:
    page = _operation(subject, "List the birds")
    return bool(page.evaluate("reading.hasControl(/copy/i)"))


def _examples(subject: Subject) -> bool:
    page = _operation(subject, "List the birds")
    text = _unfolded_text(page)
    return "wagtail" in text and "swifts" in text


def _deep_link(subject: Subject) -> bool:
    address = _operation(subject, _LAST).evaluate("location.href")
    if address == subject.address:
        return False
    page, _ = measure.show(subject.browser, address, _LAST)
    return bool(page.evaluate(f"reading.isOnScreen({subject.menu}, {json.dumps(_LAST)})"))


def _without_scripts(subject: Subject) -> bool:
    page = subject.browser.open(subject.address, scripts=False)
    text = page.evaluate("document.body.innerText")
    return all(words in text for words in _OPERATIONS)


def _from_a_file(subject: Subject) -> bool:
    page = subject.browser.open(subject.directory / PAGE)
    page.evaluate(measure.READING)
    shown = page.evaluate(
        "new Promise(resolve => { const look = () => reading.text().includes('List the birds')"
        " ? resolve(true) : performance.now() > 4000 ? resolve(false) : setTimeout(look, 100);"
        " look() })"
    )
    return bool(shown) and not measure.requested(page)[1]


def _prints(subject: Subject) -> bool:
    page = subject.page()
    page.show_as(media="print")
    text = _text(page)
    return all(words in text for words in _DETAILS)


POINTS: Mapping[str, Callable[[Subject], bool]] = {
    "methods in the contents": _methods,
    "webhooks in the contents": _in_menu(_WEBHOOK),
    "models in the contents": _in_menu("Bird"),
    "shared errors in the contents": _in_menu("Exhausted"),
    "a search that a key opens": _shortcut,
    "copying of samples": _copies,
    "named examples to choose from": _examples,
    "contact and licence": _contact,
    "terms of service": _terms,
    "OAuth: address and scopes": _oauth,
    "download of the document": _has_control(r"\b(download|export)\b"),
    "a switch of the colour scheme": _has_control(r"\b(dark|light|theme|appearance|colou?r)\b"),
    "a link to an operation opens it": _deep_link,
    "readable without scripts": _without_scripts,
    "opens as a file, without a server": _from_a_file,
    "prints everything": _prints,
}


def points(subject: Subject) -> dict[str, bool]:
    """Return whether a page has each point."""
    return {name: check(subject) for name, check in POINTS.items()}

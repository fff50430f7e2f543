"""The programs that samples are for: a template each, and a way to write texts."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pprint import pformat
from typing import TYPE_CHECKING

from specwright.reference.request import SampleRequest, Variable, Words
from specwright.text import visible

if TYPE_CHECKING:
    import jinja2

_WIDTH = 80
# Texts that are the same between double quotes of a shell.
_PLAIN = re.compile(r"[A-Za-z0-9 :;,._/=?&%~+@-]*")


@dataclass(frozen=True, slots=True)
class Program:
    """A program that sends requests.

    Attributes:
        title: its title on the pages.
        text: writes a text in its language.
        literal: writes a body that is text in its language; for JSON, as a value if it has those.
    """

    title: str
    text: Callable[[Words], str]
    literal: Callable[[str], str]


def _shell(words: Words) -> str:
    """Return a text as one word of a shell."""
    literals = [word for word in words if isinstance(word, str)]
    if len(literals) == len(words):
        return shlex.quote(visible("".join(literals)))
    if all(map(_PLAIN.fullmatch, literals)):
        return f'"{"".join(map(_expanded, words))}"'
    return "".join(
        shlex.quote(visible(word)) if isinstance(word, str) else f'"{_expanded(word)}"'
        for word in words
    )


def _expanded(word: str | Variable) -> str:
    return f"${{{word.name}}}" if isinstance(word, Variable) else word


def _lines(text: str) -> str:
    """Return a text of several lines as one word of a shell."""
    return shlex.quote(visible(text, kept="\n"))


def _python(words: Words) -> str:
    return " + ".join(
        repr(word) if isinstance(word, str) else f'os.environ["{word.name}"]' for word in words
    )


def _javascript(words: Words) -> str:
    return " + ".join(
        _escaped(json.dumps(word, ensure_ascii=False))
        if isinstance(word, str)
        else f"process.env.{word.name}"
        for word in words
    )


def _escaped(text: str) -> str:
    """Return JSON in which invisible characters are escaped."""
    return "".join(
        character if character.isprintable() or character == "\n" else json.dumps(character)[1:-1]
        for character in text
    )


def _object(text: str) -> str:
    # In an object of JavaScript, this member is the prototype.
    if '"__proto__"' in text:
        return f"JSON.parse({_javascript([text])})"
    return _escaped(text)


def _value(text: str) -> str:
    return pformat(json.loads(text), width=_WIDTH, sort_dicts=False)


PROGRAMS: Mapping[str, Program] = {
    "curl": Program("curl", _shell, _lines),
    "javascript": Program("JavaScript", _javascript, _object),
    "requests": Program("Python with requests", _python, _value),
    "httpie": Program("HTTPie", _shell, _lines),
}


def sample(name: str, request: SampleRequest) -> str:
    """Return a sample for a program."""
    return _template(name).render(request=request)


@cache
def _template(name: str) -> jinja2.Template:
    # Imported here: the help of the command needs the names alone.
    import jinja2

    program = PROGRAMS[name]
    # It is the text of a page later, which escapes it.
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"text": program.text, "literal": program.literal}
    source = files(__package__).joinpath("clients", f"{name}.jinja").read_text("utf-8")
    return environment.from_string(source)

"""Text and values from a document as Python source that cannot end its literal or comment."""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Mapping

from specwright.ir.model.values import Constructed
from specwright.render.prose import wrap
from specwright.text import Text, spelled, visible

_ESCAPES = {'"': '\\"', "\\": "\\\\"}
_NOT_PLAIN = re.compile(r'[^ -~]|["\\]')
# A quote before another quote, or at the end of our text, could close the docstring.
_RISKY_QUOTE = re.compile(r'"(?="|\Z)')
_LINE_END = re.compile(r"\r\n|\r")
# Text that tools read as an instruction, or Python as the encoding of the file (PEP 263).
_CODING = re.compile(r"coding(?=[:=])")
_PRAGMA = re.compile(
    r"(?:(?<=#)|^)(\s*)(no(?:qa|sec)\b|(?:type|mypy|pyright|pyre|ruff|flake8|isort|fmt|yapf|black"
    r"|pylint|pragma)(?=\s*:))",
    re.IGNORECASE,
)
# Marks of inline markup anywhere, marks of a list or a heading at the start.
_MARKDOWN = re.compile(r"[\\`*_\[\]<>&|#~$]|\A[-+=]")
_MARKDOWN_ITEM = re.compile(r"\A([0-9]{1,9})([.)])")
_SENTENCE = re.compile(r"(?<=[.!?])\s")
_LONGEST_SENTENCE = 160
_LONGEST_SUMMARY = 512
_NOT_IN_PRODUCT = re.compile(r"[^A-Za-z0-9.+_-]")


def literal(value: object) -> str:
    """Return an ASCII expression that evaluates to the value."""
    match value:
        case Text():
            return _string(value.raw)
        case str():
            return _string(str(value))
        case None | bool() | int():
            return repr(value)
        case float() if math.isfinite(value):
            return repr(value)
        case tuple():
            items = ", ".join(literal(item) for item in value)
            return f"({items},)" if len(value) == 1 else f"({items})"
        case list():
            return f"[{', '.join(literal(item) for item in value)}]"
        case Mapping():
            members = (f"{literal(name)}: {literal(item)}" for name, item in value.items())
            return f"{{{', '.join(members)}}}"
        case Constructed():
            arguments = (
                literal(argument) if name is None else f"{identifier(name)}={literal(argument)}"
                for name, argument in value.arguments
            )
            return f"{identifier(value.name)}({', '.join(arguments)})"
    raise TypeError(f"{type(value).__name__} {value!r} has no literal")


def docstring(text: Text | str, *, indent: int = 4, width: int = 100) -> str:
    """Return text wrapped as part of a docstring; lines after the first are indented.

    The result contains no three quotes, no quote at its end and no backslash that escapes
    anything, so it may be anywhere between three double quotes.
    """
    lines = wrap(legible(text), width - indent)
    body = "\n".join(lines).replace("\\", "\\\\")
    body = _RISKY_QUOTE.sub(r"\"", body)
    return re.sub(r"\n(?=[^\n])", "\n" + " " * indent, body)


def comment(text: Text | str, *, indent: int = 0, width: int = 100) -> str:
    """Return text as comment lines; those after the first are indented."""
    lines = wrap(legible(text), width - indent - 2)
    comments = (f"# {_disarm(line)}".rstrip() for line in lines)
    return ("\n" + " " * indent).join(comments)


def toml(text: Text | str) -> str:
    """Return text as a basic string of TOML, which does not allow lone surrogates."""
    whole = raw(text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return _string(whole).replace("\\x", "\\u00")


def markdown(text: Text | str) -> str:
    """Return text as one line of CommonMark without any markup."""
    written = _MARKDOWN.sub(r"\\\g<0>", line(text).raw)
    return _MARKDOWN_ITEM.sub(r"\1\\\2", written)


def line(text: Text | str) -> Text:
    """Return text on one line, still as text of the document."""
    return Text(" ".join(legible(text).split()))


def summary(text: Text | str) -> Text:
    """Return text on one line that is not longer than the summary of a distribution (PyPI)."""
    return Text(line(text).raw[:_LONGEST_SUMMARY])


def sentence(text: Text | str) -> Text:
    """Return the first sentence of a text on one line, cut if it is long."""
    first = _SENTENCE.split(line(text).raw, maxsplit=1)[0]
    return Text(first if len(first) <= _LONGEST_SENTENCE else f"{first[: _LONGEST_SENTENCE - 1]}…")


def product(text: Text | str) -> str:
    """Return text as a product token of a `User-Agent` header (RFC 9110, 10.1.5)."""
    return _NOT_IN_PRODUCT.sub("-", raw(text))


def identifier(name: str) -> str:
    """Return the name if it is a valid Python identifier."""
    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
        raise ValueError(f"{name!r} is not an identifier")
    return name


def legible(text: Text | str) -> str:
    """Escape the invisible characters of a text; line ends become line feeds."""
    return visible(_LINE_END.sub("\n", raw(text)), kept="\n\t")


def raw(text: Text | str) -> str:
    """Return text as it is in the document, which has to be quoted before it is written."""
    return text.raw if isinstance(text, Text) else text


def _string(text: str) -> str:
    written = _NOT_PLAIN.sub(lambda match: _ESCAPES.get(match[0]) or spelled(match[0]), text)
    return f'"{written}"'


def _disarm(line: str) -> str:
    line = _CODING.sub("coding ", line)
    return _PRAGMA.sub(r"\1`\2`", line)

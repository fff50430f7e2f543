"""Messages, docstrings and pages do without the words that make plain English hard to read."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

# Each with the usual replacement.
STOPPED = {
    r"nobody|somebody|whoever": "the person or the program, by name; passive voice",
    r"whatever|whichever": "any, every, regardless of",
    r"anew": "again, from scratch",
    r"heed(s|ed)?": "obey, follow, take into account",
    r"besides": "also, apart from",
    r"in vain": "without success",
    r"mend(s|ed|ing)?": "repair, fix",
    r"felt": "noticed, measured",
    r"told": "reported, distinguished, sent",
    r"(is|are|was|were|been?|what it) said": "reported, named",
    r"stands? for": "means, is, takes the place of",
    r"(?<!links )leads? to": "refers to, causes, redirects to",
    # A verb is fine: a server answers.
    r"(?<!-)(an?|the|its|every|each|any|no|first|another|own|without) answers?": "response",
    r"for ever": "forever, indefinitely",
    r"belong(s|ed)? into": "belong in",
    r"that (is|are) here": "in this directory",
    r"(an?|the|your) [a-z]+ of yours": "your own",
    r"see(s|n)? to (?!it\b)": "handle, ensure",
    r"(?<!there )(is|are) no (?!longer\b|such\b|more\b)[a-z]+": "is not a valid X",
}
_STOPPED = re.compile(rf"\b({'|'.join(STOPPED)})\b", re.IGNORECASE)
# A first line names a thing, or says in the imperative what a function does.
_CLAUSE = re.compile(r"\b(what|who|whose|whom|whatever|whoever)\b", re.IGNORECASE)
# Not all of lab/: faults quote the promises that they break.
_LAB = tuple(
    f"lab/{room}"
    for room in (
        *("benchmarks", "compatibility", "docs_pages", "foreign_servers", "histories"),
        *("real_servers", "situations"),
    )
)
_PYTHON = ("generator", "service", *_LAB, "examples", "website", "noxfile.py")
_RENDERED = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
# A value in an f-string.
_VALUE = re.compile(r"\{[\w.\[\]]+[^{}]*\}")
_CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)


def tracked(*paths: str, suffix: str) -> list[Path]:
    """The files of the repository below some paths."""
    command = ["git", "-C", str(ROOT), "ls-files", "--", *paths]
    names = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return [ROOT / name for name in names if name.endswith(suffix)]


def docstrings(tree: ast.Module) -> Iterator[str]:
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(tree):
        if isinstance(node, kinds) and (docstring := ast.get_docstring(node)):
            yield docstring


def texts(path: Path) -> str:
    """The string literals, with docstrings among them, and the comments of a Python file."""
    source = path.read_text("utf-8")
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    parts = [
        token.string
        for token in tokens
        # One word is a name, such as the key of an object.
        if token.type in (tokenize.STRING, tokenize.COMMENT) and " " in token.string
    ]
    return _VALUE.sub("{}", "\n".join(" ".join(part.split()) for part in parts))


def prose(path: Path) -> str:
    text = _RENDERED.sub("", path.read_text("utf-8"))
    return " ".join(_CODE.sub("`code`", text).split())


def stopped(text: str) -> list[str]:
    return [
        text[max(0, match.start() - 40) : match.end() + 20] for match in _STOPPED.finditer(text)
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Nobody reads it.",
        "It is no number.",
        "a key seen to late",
        "The fault was mended.",
        "The outage was not felt.",
        "The two are told apart.",
        "Nothing of it is said.",
        "None stands for any value.",
        "A null leads to an error.",
        "Every answer has an id.",
        "It belongs into the table.",
        "The file that is here.",
        "A response of yours.",
    ],
)
def test_a_stopped_word_is_found(text: str) -> None:
    assert stopped(text)


@pytest.mark.parametrize(
    "text",
    [
        "There is no key.",
        "It is no longer sent.",
        "See to it.",
        "There is no such plan.",
        "The links lead to other pages.",
        "A server answers in time.",
        "The rule `no-answer`.",
    ],
)
def test_plain_english_is_left_alone(text: str) -> None:
    assert not stopped(text)


def test_python_does_without_stopped_words() -> None:
    stopped_words = {
        f"{path.relative_to(ROOT)}: {quote}"
        for path in tracked(*_PYTHON, suffix=".py")
        for quote in stopped(texts(path))
    }
    assert not stopped_words


def test_pages_do_without_stopped_words() -> None:
    pages = tracked("*.md", "docs", suffix=".md")
    templates = tracked("*.jinja", suffix=".jinja")
    stopped_words = {
        f"{path.relative_to(ROOT)}: {quote}"
        for path in (*pages, *templates, ROOT / "action.yml")
        # The trace quotes the agreement.
        if "golden" not in path.parts and path.name != "contract-trace.md"
        for quote in stopped(prose(path))
    }
    assert not stopped_words


def test_first_lines_of_docstrings_are_no_clauses() -> None:
    clauses = {
        f"{path.relative_to(ROOT)}: {first}"
        for path in tracked("generator", "service", "website", "noxfile.py", suffix=".py")
        for docstring in docstrings(ast.parse(path.read_text("utf-8")))
        if _CLAUSE.search(first := docstring.splitlines()[0])
    }
    assert not clauses


def test_headings_of_the_design_are_no_clauses() -> None:
    clauses = {
        f"{path.relative_to(ROOT)}: {heading}"
        for path in tracked("docs/decisions", "docs/design", suffix=".md")
        for heading in re.findall(r"^#+ .*$", path.read_text("utf-8"), re.MULTILINE)
        if _CLAUSE.search(heading)
    }
    assert not clauses

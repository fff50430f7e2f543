"""An HTTP request with examples, before a program is chosen that sends it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain


@dataclass(frozen=True, slots=True)
class Variable:
    """An environment variable, which has a secret or an address."""

    name: str


# A text of literals and variables.
Words = Sequence["str | Variable"]


@dataclass(frozen=True, slots=True)
class SampleBody:
    """A body that is text."""

    text: str
    is_json: bool


@dataclass(frozen=True, slots=True)
class SamplePart:
    """A part of a multipart form: a text, or a file."""

    name: str
    value: str
    is_file: bool


@dataclass(frozen=True, slots=True)
class SampleRequest:
    """The required parts of a request.

    Attributes:
        user: a variable with a name and a password.
        body: None without a text that is short enough.
        is_file: whether the body is a file.
    """

    method: str
    url: Words
    headers: Sequence[tuple[str, Words]]
    cookies: Sequence[tuple[str, Words]]
    user: Variable | None
    is_digest: bool
    body: SampleBody | None
    is_file: bool
    parts: Sequence[SamplePart]

    @property
    def is_basic(self) -> bool:
        """Whether the name and the password are a header."""
        return self.user is not None and not self.is_digest

    @property
    def has_brackets(self) -> bool:
        """Whether the URL has characters that curl reads as a pattern."""
        return any(not set("[]{}").isdisjoint(word) for word in self.url if isinstance(word, str))

    @property
    def has_variables(self) -> bool:
        """Whether any part of it is in the environment."""
        values = (value for _, value in (*self.headers, *self.cookies))
        words = chain(self.url, *values)
        return self.user is not None or any(isinstance(word, Variable) for word in words)

    @property
    def cookie(self) -> Words:
        """The value of the header for all cookies."""
        return [*self._cookie()]

    def _cookie(self) -> Iterator[str | Variable]:
        for number, (name, value) in enumerate(self.cookies):
            yield f"{'; ' if number else ''}{name}="
            yield from value

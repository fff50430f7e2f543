"""Challenges and credentials as HTTP writes them (RFC 9110, 11.3 to 11.6)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

Params = list[tuple[str, str]]

_TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
# Commas separate the items; one within quotes does not. A quote without an end ends with the text.
_ITEM = re.compile(r'(?:[^,"]|"(?:[^"\\]|\\.?)*"?)+', re.DOTALL)
_PARAM = re.compile(rf'({_TOKEN})[ \t]*=[ \t]*(?:({_TOKEN})|"((?:[^"\\]|\\.)*)")', re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_QUOTED = re.compile(r'["\\]')


def challenges(texts: Iterable[str]) -> list[tuple[str, Params]]:
    """Return the challenges in the values of `WWW-Authenticate`: scheme in lower case, parameters.

    Names of parameters are in lower case, too. A challenge that has something else instead of
    parameters, such as a token, has none.

    Args:
        texts: with one character for each byte, as headers are read.
    """
    read: list[tuple[str, Params]] = []
    items = (item.strip(" \t") for text in texts for item in _ITEM.findall(_decoded(text)))
    for item in items:
        param = _PARAM.fullmatch(item)
        if param is None:
            scheme, _, rest = item.partition(" ")
            read.append((scheme.lower(), []))
            param = _PARAM.fullmatch(rest.strip(" \t"))
        if param is not None and read:
            name, token, quoted = param.groups()
            read[-1][1].append((name.lower(), token or _ESCAPED.sub(r"\1", quoted or "")))
    return [(scheme, params) for scheme, params in read if scheme]


def written(scheme: str, params: Mapping[str, str], plain: Iterable[str]) -> str:
    """Return a challenge, or the credentials that answer one; one character is one byte of UTF-8.

    Args:
        plain: names of the parameters that are written without quotes.
    """
    texts = {name: _QUOTED.sub(r"\\\g<0>", text) for name, text in params.items()}
    pairs = (
        f"{name}={text}" if name in plain else f'{name}="{text}"' for name, text in texts.items()
    )
    return f"{scheme} {', '.join(pairs)}".encode().decode("latin-1")


def _decoded(text: str) -> str:
    try:
        return text.encode("latin-1").decode()
    except UnicodeError:
        return text

"""The pages of a reference: one file, or a page for each group."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

import jinja2
from markupsafe import Markup

from specwright import __version__
from specwright.document.model import Document
from specwright.ir.model.api import Api
from specwright.json_values import JsonObject
from specwright.reference.content import ApiReference, Section, content
from specwright.reference.deflate import deflated
from specwright.reference.download import DocumentFile, download
from specwright.reference.options import ReferenceOptions
from specwright.reference.repetitions import repetitions
from specwright.text import visible

_INDEX = "index"
# The groups of a reference with more operations are folded.
_MANY = 40


def render_reference(
    document: Document, normal: Document, api: Api, options: ReferenceOptions, original: Document
) -> Mapping[str, bytes]:
    """Return the files by name: the pages, `index.html` as the first one, and those beside them.

    Args:
        normal: the document in the form that `api` was built from.
        original: the document as it was read.
    """
    reference = content(document, normal, api, options, original)
    is_site = options.is_site
    offered = download(original) if options.has_download else None
    pages: dict[str, Sequence[Section]] = {_INDEX: () if is_site else reference.sections}
    if is_site:
        pages |= {section.file: [section] for section in reference.sections}
    # The page of every anchor.
    places = {
        anchor: name
        for name, sections in pages.items()
        for section in sections
        for anchor in _in(section)
    }
    template = _template()
    style, theme, script = map(_asset, ("page.css", "theme.js", "page.js"))
    common = {
        "reference": reference,
        "changed": reference.changed,
        "style": Markup(style),
        "theme": Markup(theme),
        "script": Markup(script),
        "digests": [_digest(text) for text in (style, theme, script)],
        "data": _data(reference),
        "download": offered,
        # A site has the document in a file of its own, as each of its pages refers to it.
        "embedded": _packed(offered) if offered and not is_site else "",
        "version": __version__,
        "is_site": is_site,
        "is_large": sum(len(section.entries) for section in reference.sections) > _MANY,
    }
    files: dict[str, bytes] = {}
    for name, shown in pages.items():
        links = {
            anchor: f"#{anchor}" if place == name else f"{place}.html#{anchor}"
            for anchor, place in places.items()
        }
        repeated = repetitions(shown)
        files[f"{name}.html"] = template.render(
            common,
            shown=shown,
            repeated=repeated,
            originals={repetition.original for repetition in repeated.values()},
            links=links,
            top="" if name == _INDEX else f"{_INDEX}.html",
            is_index=name == _INDEX,
        ).encode()
    if offered and is_site:
        files[offered.name] = offered.text.encode()
    return files


def _in(section: Section) -> Sequence[str]:
    return [section.anchor, *(member.anchor for member in section.members)]


@cache
def _template() -> jinja2.Template:
    """Compile the template once: it takes longer than a page."""
    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        # Every text is made visible before it is escaped.
        finalize=lambda value: visible(value, kept="\n\t") if type(value) is str else value,
    )
    environment.filters |= {"text": _text, "quoted": _quoted}
    return environment.from_string(_asset("page.html.jinja"))


def _text(value: str) -> Markup:
    """Return a text for the content of an element, where quotes have no meaning."""
    text = visible(value, kept="\n\t").replace("&", "&amp;")
    return Markup(text.replace("<", "&lt;").replace(">", "&gt;"))


def _quoted(value: str) -> Markup:
    """Return a text as the value of an attribute, in the quotes that it has fewer of."""
    text = str(_text(value))
    if text.count('"') > text.count("'"):
        return Markup("'" + text.replace("'", "&#39;") + "'")
    return Markup('"' + text.replace('"', "&#34;") + '"')


def _packed(file: DocumentFile) -> str:
    """Return the text of a file, compressed, in Base64."""
    return base64.b64encode(deflated(file.text.encode())).decode()


def _data(reference: ApiReference) -> Markup:
    """Return the servers and credentials for the script."""
    return _embedded(
        {
            "servers": [server.url for server in reference.servers],
            "schemes": {
                scheme.credential.key: {
                    "kind": scheme.credential.kind,
                    "name": scheme.credential.name,
                }
                for scheme in reference.schemes
            },
        }
    )


def _embedded(value: JsonObject) -> Markup:
    """Return JSON that cannot end its element."""
    text = json.dumps(value).replace("<", "\\u003c").replace(">", "\\u003e")
    return Markup(text.replace("&", "\\u0026"))


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")

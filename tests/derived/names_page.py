"""docs/reference/sdk.md: the public names of generated packages and of the toolkit."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module


@dataclass(frozen=True, slots=True)
class Room:
    """A module with public names, and a paragraph about it in Markdown."""

    module: str
    about: str


ROOMS = (
    Room(
        "partner_esim",
        "The clients, their options and results, and all exceptions. `EsimClient` and"
        " `AsyncEsimClient` are named by the document or by `client-name`."
        " [How to use them](../how-to/use-the-client.md).",
    ),
    Room(
        "partner_esim.testing",
        "Responses, events and deliveries from memory."
        " [How to test your code](../how-to/test-your-code.md).",
    ),
    Room(
        "partner_esim.webhooks",
        "Signatures and events. A document without webhooks has no such module."
        " [How to receive webhooks](../how-to/receive-webhooks.md).",
    ),
    Room(
        "partner_esim.server",
        "The server stub, which needs the extra `server`: a `Protocol` for each group of"
        " operations, and a class with a response 501 for each of them."
        " [How to implement the server](../how-to/implement-the-server.md).",
    ),
    Room(
        "specwright.testing",
        "Contract tests from Python. [How to test from pytest](../how-to/test-from-pytest.md)."
        " Other modules of the toolkit are not for import: their names may change at any time.",
    ),
)
# Names that Python gives no docstring of their own.
_WORDS = {
    "errors": "The module of all exceptions, which are also here.",
    "models": "The module of the models: a class for each schema of the document.",
    "params": "The module of typed dictionaries: one for each model in an argument of a method."
    " A document without such arguments has no such module.",
    "testing": "The module of fake transports and examples.",
    "webhooks": "The module of signatures and events.",
    "OMIT": "The default of nullable arguments: the argument is not sent. `None` sends null.",
    "Authenticate": "The function that `create_app` calls with the credential of a request: it"
    " returns the principal, or `None` to respond with 401.",
    "Data": "Examples by operation: a mapping from `POST /items` to an `Example`.",
    "SIGNATURE_HEADER": "The header of the signature.",
    "EVENT_ID_HEADER": "The header that repeats the id of the event.",
    "EVENT_TYPE_HEADER": "The header that repeats the type of the event.",
    "RETRY_AFTER_SECONDS": "The pauses after failed attempts to deliver.",
    "CONNECT_TIMEOUT_SECONDS": "The time limit of the sender for a connection.",
    "TIMEOUT_SECONDS": "The time limit of the sender for an attempt.",
    "SUCCESS_STATUSES": "The statuses that acknowledge a delivery.",
    "RATE_LIMITS": "The limits that the document declares.",
    "MAX_BODY_BYTES": "The largest body of a request.",
    "REQUEST_ID_HEADER": "The header with the id of a request.",
    "CREATE_ORDER_REPLAY_HEADERS": "The headers of a repeated response of `create_order`.",
    "CREATE_TOPUP_REPLAY_HEADERS": "The headers of a repeated response of `create_topup`.",
    "CREATE_WEBHOOK_ENDPOINT_CAPACITY": "The most resources that may exist.",
}
_START = """\
# Public names

`nox -s derive` makes this page. The names are those of `partner_esim`, the package of this
repository; every generated package has the same, except for those that its document decides: names
of clients, groups and constants. All other names are internal.

A response that lacks a field has `None` there: neither `OMIT`, which is only for arguments, nor the
`MISSING` of Pydantic ([more](../how-to/use-the-client.md#what-a-response-may-lack)).

## Bodies of requests

A method takes the properties of a body as arguments if

- the body is required,
- it can be sent as JSON, a form or XML; the first of these that the document declares counts, and
  other media types change nothing,
- the schema of this form is an object with properties, its own or those of the parts of an `allOf`,
- and the schema has no schemas for other names (`additionalProperties`, `patternProperties`).

Otherwise it takes one argument `body`, a model or a dictionary. The rule is the same for all
operations, but many documents omit `required: true`, so that one method takes arguments and the
next one `body`. `body-arguments` in `[tool.specwright]` is there for these:

- `"all"` makes the properties of optional bodies arguments, too. All of them may be left out, and
  without any of them no body is sent; a missing property is found when the call is checked, not by
  type checkers.
- `"none"` makes every body the argument `body`. No change of its schema, of media types or of
  `required` then moves callers from one form to the other, and `content_type` can choose a media
  type with another schema.

`specwright review` reports an operation that moves as `sdk-broken`
([0266](../decisions/0266-when-properties-are-arguments.md)).
"""


def render() -> str:
    """Return the page."""
    return _START + "".join(map(_section, ROOMS))


def _section(room: Room) -> str:
    rows = "".join(f"| `{name}` | {text} |\n" for name, text in _names(room.module))
    return f"\n## `{room.module}`\n\n{room.about}\n\n| Name | |\n|---|---|\n{rows}"


def _names(module: str) -> Iterator[tuple[str, str]]:
    home = import_module(module)
    for name in sorted(home.__all__, key=str.lower):
        yield name, _WORDS.get(name) or _first_line(getattr(home, name))


def _first_line(value: object) -> str:
    text = inspect.getdoc(value)
    assert text, f"{value!r} needs a docstring, or an entry in {__name__}._WORDS"
    return text.splitlines()[0].replace("|", "\\|")

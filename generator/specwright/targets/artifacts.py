"""The files of a generated package: their paths and sources."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from specwright.ir.model.api import Api


def _always(api: Api) -> bool:
    return True


def _has_webhooks(api: Api) -> bool:
    return bool(api.webhooks or api.parsers)


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file that is rendered from a template.

    Attributes:
        path: the path below the output directory; `{package}` stands for the package's name.
        template: the name of the template.
        enabled: whether an API has this file.
        values: variables of the template, apart from the API.
    """

    path: str
    template: str
    enabled: Callable[[Api], bool] = _always
    values: Mapping[str, object] = field(default_factory=dict)


PACKAGE = (
    Artifact("pyproject.toml", "package/pyproject.toml.jinja"),
    Artifact("README.md", "package/README.md.jinja"),
    Artifact("{package}/__init__.py", "package/__init__.py.jinja"),
    Artifact("{package}/errors.py", "package/errors.py.jinja"),
    Artifact("{package}/_operations.py", "package/_operations.py.jinja"),
    Artifact("{package}/testing.py", "package/testing.py.jinja"),
)
CLIENT = (
    Artifact("{package}/client.py", "client/client.py.jinja", values={"asynchronous": False}),
    Artifact("{package}/async_client.py", "client/client.py.jinja", values={"asynchronous": True}),
)
SERVER = (Artifact("{package}/server.py", "server/server.py.jinja"),)
WEBHOOKS = (Artifact("{package}/webhooks.py", "webhooks/webhooks.py.jinja", enabled=_has_webhooks),)
ARTIFACTS = PACKAGE + CLIENT + SERVER + WEBHOOKS

MODELS = "{package}/models.py"
TYPED = "{package}/py.typed"
RUNTIME = "{package}/_runtime/"

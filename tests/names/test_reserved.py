"""A document may use any name that generated code uses, for anything, and the package works."""

from __future__ import annotations

import ast
import asyncio
import fcntl
import importlib
import inspect
import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from specwright.config import PackageOptions
from specwright.document.model import Document
from specwright.document.normalise import normalise
from specwright.document.operations import naming
from specwright.document.sources.load import load
from specwright.models.generate import ModelSource
from specwright.models.generate import generate as generate_models
from specwright.names import pascal, snake
from specwright.pipeline import generate, scaffold
from tests.conftest import ROOT
from tests.functional.documents import Json, content, document, operation, ref
from tests.mutated_documents.judge import client, faults
from tests.names.kinds import KINDS, SCHEMAS
from tests.names.taken import taken_names
from tests.names.test_used import every_kind, written

RESERVED = {name: each for name, each in vars(naming).items() if isinstance(each, frozenset)}
RUNTIME = taken_names(ROOT / "generated" / "partner_esim" / "_runtime")
RENDERED = taken_names(ROOT / "tests" / "golden")
NAMES = (RUNTIME | RENDERED).union(*RESERVED.values())


def apart(names: set[str]) -> list[list[str]]:
    """The names in as few documents as can be: no two become one name in the same document."""
    parts: list[tuple[set[str], list[str]]] = []
    for name in sorted(names):
        # The stub has a class `Unimplemented…` for each group.
        made = {
            snake(name),
            pascal(name),
            pascal(name).removeprefix("Unimplemented") or "Operations",
        }
        part = next((candidate for candidate in parts if not candidate[0] & made), None)
        if part is None:
            part = (set(), [])
            parts.append(part)
        part[0].update(made)
        part[1].append(name)
    return [part[1] for part in parts]


def api(names: list[str]) -> Json:
    """Each name as a tag, an operationId, a parameter, a schema, a property and a webhook."""
    typed = {f"last_{name}": ref(name) for name in KINDS}
    # A body with a property of such a name is one argument, so that none here may have it.
    plain = {name: ref("PlainKind") for name in names if snake(name) not in naming.METHOD}
    schemas = {
        **SCHEMAS,
        "AllProperties": {"type": "object", "properties": {**plain, **typed}},
        "PageOfIt": {
            "type": "object",
            "properties": {"of_it": ref("DaysKind"), "next_of_it": {"type": "string"}},
        },
    }
    asked = [{"name": name, "in": "query", "schema": ref("PlainKind")} for name in names]
    cursor = {"name": "cursor_of_it", "in": "query", "schema": {"type": "string"}}
    paths: Json = {
        "/arguments": {
            "get": operation(
                ref("PageOfIt"), operationId="a0", parameters=[*asked, cursor], **PAGES
            )
        },
        "/properties": {
            "put": operation(operationId="a1", requestBody=body("AllProperties")),
        },
    }
    webhooks: Json = {}
    for number, name in enumerate(names):
        kind = list(KINDS)[number % len(KINDS)]
        schemas[name] = {"type": "object", "properties": {name: ref(kind)}}
        paths[f"/tags/{number}"] = {
            "put": operation(operationId=f"t{number}", tags=[name], requestBody=body(name))
        }
        paths[f"/operations/{number}"] = {
            "get": operation(
                ref(kind), operationId=name, deprecated=True, parameters=[asked[number]]
            )
        }
        webhooks[name] = {"post": {"requestBody": body(name), **operation()}}
    scheme = {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "Key"}}}
    return document(paths, schemas, components=scheme, security=[{"key": []}], webhooks=webhooks)


def body(name: str) -> Json:
    return {"required": True, **content(ref(name))}


PAGES = {
    "x-contract-pagination": {
        "cursor": "cursor_of_it",
        "limit": None,
        "items": "/of_it",
        "next": "/next_of_it",
        "more": None,
        "id": "",
        "resume": True,
    }
}


@dataclass(frozen=True)
class Made:
    """A package that was generated, and the scaffold of its stub."""

    tree: Path
    package: str
    data: Json
    names: list[str]

    def modules(self) -> dict[str, ModuleType]:
        names = ("models", "client", "async_client", "server", "testing", "webhooks")
        return {name: importlib.import_module(f"{self.package}.{name}") for name in names}


PARTS = apart(NAMES)


def shared_directory(factory: pytest.TempPathFactory) -> Path:
    """A directory that all processes of this run of the tests have in common."""
    own = factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


def write_package(tree: Path, package: str, data: Json) -> Path:
    """Generate the package of a document, and the scaffold of its stub."""
    tree.mkdir()
    path = tree / "api.json"
    path.write_text(json.dumps(data))
    loaded, options = load(path), PackageOptions(package=package)
    own = tree / f"own_{package}"
    models: list[ModelSource] = []

    def begin_models(document: Document) -> Callable[[], ModelSource]:
        """The models are the same for both."""
        if not models:
            models.append(generate_models(document))
        return lambda: models[0]

    packages = {
        tree: generate(loaded, options, begin_models=begin_models),
        own: scaffold(loaded, options, begin_models=begin_models),
    }
    for top, files in packages.items():
        for name, text in files.items():
            target = top / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text)
    return tree


# The first has most of the names, and takes two minutes.
@pytest.fixture(
    scope="module",
    params=[pytest.param(0, marks=pytest.mark.exhaustive), *range(1, len(PARTS))],
    ids=str,
)
def made(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Made]:
    names, package = PARTS[request.param], f"reserved_{request.param}"
    data = api(names)
    tree = shared_directory(tmp_path_factory) / package
    # It takes long: the first of the processes that share out the tests makes it for all.
    with tree.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not tree.exists():
            write_package(tree.with_suffix(".part"), package, data).rename(tree)
    sys.path.insert(0, str(tree))
    yield Made(tree, package, data, names)
    sys.path.remove(str(tree))


def test_all_of_it_imports_and_builds(made: Made) -> None:
    assert list(faults(made.tree, made.package)) == []


@pytest.mark.parametrize("module", ["client", "async_client"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_every_operation_can_be_called(made: Made, module: str) -> None:
    testing = made.modules()["testing"]
    fake = client(made.modules(), made.tree / made.package, module)
    fake._calls.transport._answer = lambda request: testing.response(*answer(made.data, request))
    members = [member for _, member in inspect.getmembers(fake)]
    for group in [member for member in members if type(member).__module__.endswith(module)]:
        for name, method in inspect.getmembers(group, inspect.ismethod):
            if not name.startswith(("_", "follow_")):
                asyncio.run(finished(method(**arguments(name, method))))
    requests = {
        (request.method.lower(), urlsplit(request.url).path): request for request in sent(fake)
    }
    assert set(requests) == {
        (method, path) for path, item in made.data["paths"].items() for method in item
    }
    query = parse_qs(urlsplit(requests["get", "/arguments"].url).query)
    assert query == {name: ["x"] for name in (*made.names, "cursor_of_it")}
    properties = made.data["components"]["schemas"]["AllProperties"]["properties"]
    assert set(json.loads(requests["put", "/properties"].content)) == set(properties)


def arguments(name: str, method: Any) -> dict[str, Any]:
    """All arguments of a method; an empty body where any schema may be."""
    taken = inspect.signature(method).parameters
    if name[0] == "t" and name[1:].isdigit():
        return {"body": {}} if "body" in taken else {}
    examples = {f"last_{snake(name)}": example for name, (_, example) in KINDS.items()}
    return {name: examples.get(name, "x") for name in taken if name != "request_options"}


async def finished(result: Any) -> Any:
    return await result if inspect.isawaitable(result) else result


def sent(fake: Any) -> list[Any]:
    return list(fake._calls.transport.requests)


def answer(data: Json, request: Any) -> tuple[bytes, int]:
    """The body, and the status, of a success of the operation that a request is for."""
    path = urlsplit(request.url).path
    success = data["paths"][path][request.method.lower()]["responses"].get("200")
    if success is None:
        return b"", 204
    name = success["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
    value = KINDS[name][1] if name in KINDS else {"of_it": []}
    return json.dumps(value, default=lambda each: each.isoformat()).encode(), 200


def test_every_handler_of_the_scaffold_is_called(made: Made) -> None:
    own = importlib.import_module(f"own_{made.package}.app")
    server = made.modules()["server"]
    groups = {
        name: getattr(own, str(parameter.annotation).removesuffix(" | None"))()
        for name, parameter in inspect.signature(server.create_app).parameters.items()
        if str(parameter.annotation).removesuffix(" | None") in server.__all__
        and name not in ("authenticate", "rate_limiter")
    }
    app = server.create_app(authenticate=None, **groups)
    for path, item in made.data["paths"].items():
        for method in item:
            assert asyncio.run(status(app, method.upper(), path)) == 501, (method, path)


async def status(app: Any, method: str, path: str) -> int:
    """The status of the answer to a request without arguments."""
    messages: list[Any] = []
    headers = [(b"content-type", b"application/json")] if method == "PUT" else []
    scope = {"type": "http", "method": method, "path": path, "raw_path": path.encode()}

    async def receive() -> Any:
        return {"type": "http.request", "body": b"{}" if method == "PUT" else b""}

    async def send(message: Any) -> None:
        messages.append(message)

    await app({**scope, "query_string": b"", "headers": headers}, receive, send)
    return messages[0]["status"]


def test_no_group_is_called_like_an_option(made: Made) -> None:
    server = made.modules()["server"]
    groups = inspect.signature(server.create_app).parameters
    assert groups.keys().isdisjoint(server.Options.__annotations__)


def test_every_webhook_is_parsed(made: Made) -> None:
    webhooks = made.modules()["webhooks"]
    parsers = [getattr(webhooks, name) for name in webhooks.__all__ if name.startswith("parse_")]
    assert len(parsers) == len(made.names)
    for parse in parsers:
        parse(b"{}")


def test_a_schema_keeps_its_name_whatever_else_is_in_the_document(tmp_path: Path) -> None:
    imported = imports(models(tmp_path, SCHEMAS).source)
    schemas = {name: {"type": "object"} for name in imported if name[0].isupper()}
    alone, together = (
        models(tmp_path, components).index for components in (schemas, schemas | SCHEMAS)
    )
    for pointer, model in alone.models.items():
        assert together.models[pointer].name == model.name


def models(tmp_path: Path, schemas: Json) -> ModelSource:
    path = tmp_path / "api.json"
    path.write_text(json.dumps(document({}, schemas)))
    return generate_models(normalise(load(path)))


def imports(source: str) -> set[str]:
    module = ast.parse(source).body
    found = [alias for node in module if isinstance(node, ast.ImportFrom) for alias in node.names]
    return {alias.asname or alias.name for alias in found}


@pytest.mark.parametrize("module", ["client", "async_client"])
def test_an_annotation_of_a_client_names_a_type_of_python(made: Made, module: str) -> None:
    tree = ast.parse((made.tree / made.package / f"{module}.py").read_text("utf-8"))
    groups = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    annotations = [node.annotation for node in ast.walk(tree) if isinstance(node, ast.arg)]
    read = [
        node
        for annotation in annotations
        if annotation is not None
        for node in ast.walk(annotation)
    ]
    assert groups.isdisjoint(node.id for node in read if isinstance(node, ast.Name))


def test_a_package_is_not_called_like_what_it_imports() -> None:
    imported = set()
    for path in (ROOT / "generated" / "partner_esim").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and not node.level:
                imported.add(str(node.module).partition(".")[0])
            elif isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
    assert imported - sys.stdlib_module_names == naming.PACKAGES
    assert imported.isdisjoint(map(naming.package_name, imported))


def test_only_names_that_something_uses_are_reserved(tmp_path: Path) -> None:
    top = written(tmp_path, every_kind())
    used = taken_names(top) | taken_names(ROOT / "generated" / "partner_esim")
    used |= {name.removeprefix("Async") for name in used}
    unused = {scope: sorted(names - used) for scope, names in RESERVED.items() if names - used}
    assert unused == {}

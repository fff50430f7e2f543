"""A client and a server of one document, which must agree in every call."""

from __future__ import annotations

import importlib
import json
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count, cycle
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx2

from lab.wire.calls import Call, Calls, NoValueError, dumped
from lab.wire.judge import PASSWORD, TOKEN, USER, Judge, Sent, difference
from specwright.config import PackageOptions
from specwright.document.model import Document
from specwright.document.operations.sites import OperationSite
from specwright.document.sources.load import load_in_part
from specwright.findings import Report
from specwright.ir.build import build
from specwright.ir.model.api import Api, OperationGroup
from specwright.ir.model.operations import OperationDefinition
from specwright.mock.application import Mock
from specwright.mock.responses import MockResponse
from specwright.models.generate import ModelSource
from specwright.models.generate import generate as generate_models
from specwright.pipeline import generate, package_names
from specwright.runtime.shared.media.table import medium_of
from tests.serving import Server

# Of packages, as a process imports each name once.
_NUMBERS = count()
_VARIABLE = re.compile(r"\{([^{}]*)\}")


@dataclass(slots=True)
class Proof:
    """The results of the calls of a document.

    Attributes:
        exceptions: the disagreements, by operation.
        untried: missing values, by operation.
    """

    operations: int = 0
    calls: int = 0
    agreed: int = 0
    exceptions: list[tuple[str, str]] = field(default_factory=list)
    untried: list[tuple[str, str]] = field(default_factory=list)


class Recorded:
    """An application that notes the requests that another one answers."""

    def __init__(self, app: Mock) -> None:
        self.app = app
        self.requests: list[Sent] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        headers = [(n.decode("latin-1"), t.decode("latin-1")) for n, t in scope["headers"]]
        path = scope["raw_path"].decode().removeprefix(base_path(self.app))
        query = scope["query_string"].decode()
        self.requests.append(Sent(scope["method"], path, query, headers, body, scope))

        async def nothing() -> Any:
            return {"type": "http.request", "body": b"", "more_body": False}

        await self.app(scope, nothing, send)


def prove(file: Path, place: Path) -> Proof:
    """Generate a package in a directory, and make its calls."""
    document = load_in_part(file)
    normal, api, package = made(document, place)
    # As the command does: the normalised document has the schemas of values, without those of XML.
    mock = Mock(document)
    app = Recorded(mock)
    proof = Proof()
    with Server(app) as server:
        client = connected(api, package, server.url + base_path(mock))
        sites = {site.pointer: site for site in mock.routes.operations}
        calls = Calls(normal, api, package)
        trial = Trial(Judge(file), app, client, package, calls, proof, sites)
        for group in api.groups:
            for operation in group.operations:
                trial.operation(group, operation)
        client.close()
    return proof


def base_path(mock: Mock) -> str:
    """Return the path of the first server, whose variables without a default are their names."""
    return _VARIABLE.sub(r"\1", mock.routes.base_path)


class PartError(Exception):
    """A part of a document has no models, so that its calls are not known."""


def made(
    document: Document,
    place: Path,
    *,
    package: str = "",
    tell: Callable[[Report], None] = lambda report: None,
) -> tuple[Document, Api, ModuleType]:
    """Generate a package in a directory and import it.

    Args:
        package: its name; by default one that no other has.
        tell: called with a report of what is left out.

    Raises:
        PartError: the package is there, but no model generator can make all of its models.
    """
    kept: list[tuple[Document, ModelSource]] = []

    def begin(document: Document) -> Callable[[], ModelSource]:
        kept.append((document, generate_models(document)))
        return lambda: kept[0][1]

    name = package or f"proven_{next(_NUMBERS)}"
    options = PackageOptions(package=name, client_name="Client")
    files = generate(document, options, tell=tell, begin_models=begin)
    for path, content in files.items():
        target = place / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    sys.path.insert(0, str(place))
    module = importlib.import_module(name)
    if not kept:
        raise PartError
    normal, models = kept[0]
    names = package_names(normal, options)
    api = build(normal, models.index, names, short_names=options.short_method_names)
    return normal, api, module


def connected(api: Api, package: ModuleType, url: str) -> Any:
    """A client that has a credential for everything."""
    given: dict[str, Any] = {
        credential.argument: (USER, PASSWORD) if credential.value.startswith("tuple") else TOKEN
        for credential in api.credentials
    }
    given |= {argument.name: next(iter(argument.values), None) for argument in api.server_arguments}
    given = {n: getattr(v, "raw", v) for n, v in given.items()}
    if len(api.schemes) > len(api.credentials):
        given["http_client"] = httpx2.Client()
    return package.Client(base_url=url, max_retries=0, **given)


@dataclass(slots=True)
class Trial:
    """The calls of one package, and their results."""

    judge: Judge
    app: Recorded
    client: Any
    package: ModuleType
    calls: Calls
    proof: Proof
    sites: Mapping[str, OperationSite]

    def operation(self, group: OperationGroup, operation: OperationDefinition) -> None:
        """Make the calls of an operation: each way to ask, and each declared answer."""
        self.proof.operations += 1
        name = f"{operation.method} {operation.path.raw}"
        site = self.sites[operation.pointer]
        answers = self.app.app.responses(site) or (MockResponse("", 200),)
        ways = [
            (answer, seed) for answer in answers for seed in range(min(2, len(answer.values)) or 1)
        ]
        try:
            calls = list(self.calls.of(group, operation))
        except NoValueError as error:
            self.proof.untried.append((name, f"no value for {error}"))
            return
        for answer in answers:
            if answer.media_type is not None and not answer.values:
                said = f"no value for the response {answer.pattern} {answer.media_type}"
                self.proof.untried.append((name, said))
        most = max(len(ways), len(calls))
        for (answer, seed), call, _ in zip(cycle(ways), cycle(calls), range(most), strict=False):
            if answer.media_type is None or answer.values:
                self._call(name, call, answer, seed)

    def _call(self, name: str, call: Call, answer: MockResponse, seed: int) -> None:
        is_stream = answer.media_type is not None and medium_of(answer.media_type).is_stream
        call = call.streamed(is_stream)
        self.proof.calls += 1
        self.app.requests.clear()
        self.app.app.seed = seed
        complaints = [*call.turned]
        try:
            complaints += self._made(call, answer, seed)
        except Exception as error:
            # Any exception is shown on the page.
            complaints.append(f"{type(error).__name__}: {error}"[:300])
        if len(self.app.requests) == 1:
            complaints += self.judge.complaints(call.meant, self.app.requests[0])
        elif not complaints:
            complaints.append(f"{len(self.app.requests)} requests")
        self.proof.agreed += not complaints
        self.proof.exceptions += [(name, complaint) for complaint in complaints]

    def _made(self, call: Call, answer: MockResponse, seed: int) -> Iterator[str]:
        arguments = dict(call.arguments)
        headers = {"Prefer": f"code={answer.status}"}
        operation = call.operation
        is_success = 200 <= answer.status < 300
        names = [media_type.raw for media_type in operation.media_types] if operation.accept else []
        if answer.media_type in names and is_success:
            arguments[operation.accept] = answer.media_type
        elif answer.media_type is not None:
            headers["Accept"] = answer.media_type
        options = arguments.pop("request_options", {})
        options = {**options, "extra_headers": headers}
        method = getattr(getattr(self.client, call.group.name), operation.method_name)
        expected = answer.values[seed % len(answer.values)] if answer.values else None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                came = method(**arguments, request_options=options)
        except self.package.ApiStatusError as error:
            if is_success:
                yield f"a response {answer.status} is an error: {error}"
            elif error.status != answer.status:
                yield f"status: {error.status} is not {answer.status}"
            elif error.response.content != answer.content(seed)[1]:
                yield f"error {answer.pattern}: its bytes are not those that were sent"
            elif expected is not None and medium_of(answer.media_type or "").is_json:
                body = dumped(error.body)
                if differs := difference(body, expected):
                    yield f"error {answer.pattern} {differs}"
            return
        yield from _compared(operation, answer, came, expected)


def _event(sent: dict[str, Any], *, is_text: bool) -> list[Any]:
    """Return the name and the data of an event that was sent; the text of JSON is read."""
    data = sent["data"]
    is_value = is_text or not isinstance(data, str)
    return [sent.get("event", "message"), data if is_value else json.loads(data)]


def _compared(
    operation: OperationDefinition, answer: MockResponse, came: Any, expected: Any
) -> Iterator[str]:
    kind = type(came).__name__
    if kind == "Redirect":
        url = answer.headers.get("Location", "/")
        if (came.status, came.url) != (answer.status, url):
            yield f"redirect: {came.status} {came.url}, not {answer.status} {url}"
        return
    if answer.status >= 300:
        yield f"a response {answer.status} is a success"
        return
    if operation.page is not None:
        for name in operation.page.items:
            expected = expected.get(name) if isinstance(expected, dict) else expected
        came, expected = list(came.items), expected or []
    elif kind == "Stream":
        came = list(came)
        if came and type(came[0]).__name__ == "ServerSentEvent":
            if answer.are_events:
                expected = [
                    _event(sent, is_text=isinstance(event.data, str))
                    for event, sent in zip(came, expected, strict=False)
                ]
                came = [[event.event, event.data] for event in came]
            else:
                came = [json.loads(event.data) for event in came]
    value = dumped(came)
    if isinstance(value, bytes) and isinstance(expected, dict):
        return
    if differs := difference(value, expected):
        yield f"answer {answer.pattern} {answer.media_type} {differs}"

"""The checks of the loop: each compares two readers of one document."""

from __future__ import annotations

import html
import http.client
import inspect
import json
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any

from lab.agreement.processes import RULES, complaints_of_test
from lab.agreement.subject import Subject
from lab.wire.judge import NOTHING, Judge, same
from specwright.conformance.contract.contract import Contract
from specwright.conformance.outcome.evidence import Standards
from specwright.conformance.outcome.report import traffic_report
from specwright.conformance.recording.exchange import Exchange, HttpRequest
from specwright.conformance.traffic import watch
from specwright.document.operations.sites import is_xml
from specwright.findings import Level
from specwright.mock.responses import MockResponse
from specwright.policy import Settings
from specwright.runtime.shared.media.table import medium_of
from tests import command
from tests.serving import Server

Check = Callable[[Subject], Iterator[str]]
# The stub takes a request that it hands over to an implementation, and here it has none.
_TAKEN = 501
_HOST = re.compile("^host$", re.IGNORECASE)


def acceptance(subject: Subject) -> Iterator[str]:
    """No command accepts in silence what `validate` refuses, nor refuses what it accepts."""
    file, run = subject.file, partial(command.run, cwd=subject.place)
    outcomes = {
        "validate": run("validate", file),
        "generate": run("generate", "--document", file, "--output", "accepted"),
        "docs": run("docs", file, "--output", "accepted.html"),
        "diff": run("diff", file, file),
    }
    texts = {name: done.stdout + done.stderr for name, done in outcomes.items()}
    levels = {
        name: "error"
        if done.returncode or ": error " in texts[name]
        else "warning"
        if ": warning " in texts[name]
        else "silence"
        for name, done in outcomes.items()
    }
    # They have one function for it, and serve or test nothing that has an error.
    levels["mock and test"] = "error" if subject.is_refused else "silence"
    accepted = levels["validate"] != "error"
    yield from (
        f"{name}: {level} where validate {'accepts' if accepted else 'refuses'} the document"
        for name, level in levels.items()
        if (level == "error" if accepted else level == "silence")
    )


def samples(subject: Subject) -> Iterator[str]:
    """Every sample is valid for an independent validator, in its direction."""
    to_server = Judge(subject.file, in_full=True)
    to_client = Judge(subject.file, hidden="writeOnly", in_full=True)
    for call in subject.calls:
        name = f"{call.meant.method} {call.meant.path}"
        item = to_server.follow(to_server.data["paths"][call.meant.path])
        operation = to_server.operation(item, call.meant.method)
        for place, value in call.meant.arguments.items():
            schema = _schema_of_parameter(to_server.parameters(item, operation)[place])
            if reason := to_server.invalid(schema, value):
                yield f"{name} {' '.join(place)}: {reason}"
        if call.meant.media_type is not None and call.meant.body is not NOTHING:
            contents = to_server.follow(operation["requestBody"])["content"]
            schema = _schema_of_body(to_server, contents, call.meant.media_type)
            followed, media_type = to_server.follow(schema), call.meant.media_type
            for value in _values(to_server, followed, media_type, call.meant.body):
                if reason := to_server.invalid(schema, value):
                    yield f"{name} {call.meant.media_type}: {reason}"
    for name, operation, response in _responses(subject, to_client):
        declared = to_client.follow(operation["responses"][response.pattern])
        if response.media_type is None:
            continue
        schema = _schema_of_body(to_client, declared["content"], response.media_type)
        if not response.values:
            yield f"{name} {response.pattern} {response.media_type}: no value"
        for body in response.values:
            for value in _values(to_client, to_client.follow(schema), response.media_type, body):
                if reason := to_client.invalid(schema, value):
                    yield f"{name} {response.pattern} {response.media_type}: {reason}"


def client(subject: Subject) -> Iterator[str]:
    """The client sends what the document declares, and returns what the mock sent."""
    proof = subject.prove(subject.mock, Judge(subject.file))
    yield from (f"{name}: {reason}" for name, reason in (*proof.exceptions, *proof.untried))


def traffic(subject: Subject) -> Iterator[str]:
    """`check-traffic` accepts the exchanges of the client and the mock."""
    exchanges = list(_exchanges(subject))
    yield from violations(subject, subject.base_url, exchanges)


def violations(subject: Subject, url: str, exchanges: list[Exchange]) -> Iterator[str]:
    """Yield what `check-traffic` reports of exchanges below a URL."""
    contract = Contract(subject.sound.document, subject.sound.left_out)
    record = watch(contract, (url,), exchanges).record
    standards = Standards(Settings(today=datetime.now(UTC).date()))
    if len(record.exchanges) != len(exchanges):
        yield f"{len(exchanges) - len(record.exchanges)} exchanges belong to no server"
    for finding in traffic_report(contract, record, standards, ()).findings:
        if finding.level is Level.ERROR and finding.rule not in RULES["traffic"]:
            yield f"{finding.rule}: {finding.message}"


def stub(subject: Subject) -> Iterator[str]:
    """The server stub takes every request of the client."""
    exchanges = list(_exchanges(subject))
    yield from refusals(subject, subject.base_url, exchanges)


def refusals(subject: Subject, url: str, exchanges: list[Exchange]) -> Iterator[str]:
    """Yield the requests below a URL that the stub refuses."""
    create = subject.package[2].server.create_app
    hooks = {}
    if "authenticate" in inspect.signature(create).parameters or "Unpack" in str(
        inspect.signature(create)
    ):
        hooks["authenticate"] = _authenticate
    try:
        app = create(**hooks, unimplemented="501")
    except TypeError:
        app = create(unimplemented="501")
    requests = dict.fromkeys(exchange.request for exchange in exchanges)
    with Server(app) as server:
        for request in requests:
            path = request.url.removeprefix(url)
            status, body = _send(server.port, path, request)
            if status != _TAKEN:
                yield f"{request.method} {path}: {status} {body[:200].decode('utf-8', 'replace')}"


def docs(subject: Subject) -> Iterator[str]:
    """The pages show each example that the mock sends."""
    done = command.run("docs", subject.file, "--output", "shown.html", cwd=subject.place)
    page = subject.place / "shown.html"
    if not page.exists():
        yield f"no page: {done.stderr.strip()[:200]}"
        return
    shown = html.unescape(page.read_text("utf-8"))
    judge = Judge(subject.file)
    for name, operation, response in _responses(subject, judge):
        declared = judge.follow(operation["responses"][response.pattern])
        content = declared.get("content", {}).get(response.media_type or "", {})
        content = judge.follow(content)
        named = [judge.follow(each) for each in (content.get("examples") or {}).values()]
        declared_values = [content["example"]] if "example" in content else []
        declared_values += [each["value"] for each in named if "value" in each]
        for value in _shown(response, declared_values):
            text = (
                value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
            )
            if is_xml(response.media_type or ""):
                text = response.content(0)[1].decode()
            if text not in shown:
                yield f"{name} {response.pattern}: {text[:120]} is not shown"


def _shown(response: MockResponse, declared: list[Any]) -> Iterator[Any]:
    """Yield what pages have to show of a response: its first value, or item, if it is declared."""
    is_stream = medium_of(response.media_type or "").is_stream
    (value, *_) = response.values or (None,)
    items = value[:1] if is_stream and isinstance(value, list | tuple) else response.values[:1]
    for value in items:
        # A text may be written from another value, as XML is.
        if declared and (isinstance(value, str) or any(same(value, each) for each in declared)):
            yield value


def processes(subject: Subject) -> Iterator[str]:
    """`specwright test` accepts `specwright mock` of the same document."""
    yield from complaints_of_test(subject.file, subject.place)


CHECKS: Mapping[str, Check] = {
    check.__name__: check for check in (acceptance, samples, client, traffic, stub, docs, processes)
}


async def _authenticate(credential: object, request: object) -> str:
    return "somebody"


def _exchanges(subject: Subject) -> Iterator[Any]:
    """Yield the exchanges of the client, which is called unless that was done before."""
    if not subject.exchanges:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            subject.prove(subject.mock, Judge(subject.file))
    yield from subject.exchanges


def _responses(
    subject: Subject, judge: Judge
) -> Iterator[tuple[str, dict[str, Any], MockResponse]]:
    """Yield the responses of the mock, with the name and the text of their operation."""
    for _, operation in subject.operations:
        item = judge.follow(judge.data["paths"][operation.path.raw])
        declared = judge.operation(item, operation.method)
        for response in subject.mock.responses(subject.sites[operation.pointer]):
            yield f"{operation.method} {operation.path.raw}", declared, response


def _schema_of_parameter(parameter: dict[str, Any]) -> Any:
    contents = parameter.get("content")
    return next(iter(contents.values())).get("schema", {}) if contents else parameter["schema"]


def _schema_of_body(judge: Judge, contents: dict[str, Any], media_type: str) -> Any:
    content = contents.get(media_type)
    if content is None:
        content = next(each for name, each in contents.items() if "*" in name)
    content = judge.follow(content)
    return content.get("itemSchema", content.get("schema", {}))


def _values(judge: Judge, schema: Any, media_type: str, body: Any) -> list[Any]:
    """Return the JSON values in a body, or in the items of a stream."""
    medium = medium_of(media_type)
    # XML without a description, or an example of it.
    is_markup = is_xml(media_type) and isinstance(body, str)
    if not medium.has_schema or isinstance(body, bytes) or is_markup:
        if not isinstance(body, str) or not media_type.startswith("text/"):
            return []
        # A text spells the JSON of what is not a string.
        try:
            spelled = json.loads(body)
        except ValueError:
            return [body]
        return [spelled if judge.invalid(schema, body) else body]
    return list(body) if medium.is_stream else [body]


def _send(port: int, target: str, request: HttpRequest) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.putrequest(request.method, target, skip_accept_encoding=True)
        for name, text in request.headers:
            if not _HOST.match(name) and name.lower() not in ("transfer-encoding",):
                connection.putheader(name, text)
        if request.header("transfer-encoding"):
            connection.putheader("Content-Length", str(len(request.body or b"")))
        connection.endheaders(request.body)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()

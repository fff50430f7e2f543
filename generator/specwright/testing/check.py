"""Contract tests as a function."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from specwright.arguments.documents import completed, lint_settings, without_errors
from specwright.arguments.project import configured
from specwright.arguments.target import (
    check_roles,
    checked_url,
    own_base_urls,
    reachable,
    tested_document,
)
from specwright.conformance.contract.added_links import with_links
from specwright.conformance.contract.contract import Contract, ContractOperation
from specwright.conformance.contract.hidden import conceal
from specwright.conformance.driver.preflight import ElsewhereError, reach
from specwright.conformance.driver.roles import MAIN, UNKNOWN_KEY, stranger
from specwright.conformance.driver.sign_in import sign_ins
from specwright.conformance.driver.target import TargetServer
from specwright.conformance.outcome.coverage import coverage, never_succeeded
from specwright.conformance.outcome.evidence import Standards
from specwright.conformance.outcome.report import run_report
from specwright.conformance.recording.record import Record
from specwright.conformance.run import Run, RunProfile, begin
from specwright.document.model import Document, is_remote
from specwright.document.operations.security import Credential
from specwright.document.sources.load import load
from specwright.errors import InputError
from specwright.findings import Finding, Report
from specwright.report.redaction import Redaction
from specwright.serving import served
from specwright.testing.data import Data, with_data
from specwright.testing.outcome import OperationOutcome, Outcome

DEFAULT_SEED = 1


def check(
    target: object,
    document: str | Path | Mapping[str, object] | None = None,
    *,
    keys: Mapping[str, str] | None = None,
    data: Data | None = None,
    profile: str = RunProfile.QUICK,
    seed: int = DEFAULT_SEED,
    hosts: Sequence[str] = (),
    max_response_time: float | None = None,
    base_path: str = "",
) -> Outcome:
    """Test an implementation against its document, as `specwright test` does.

    Requests change data: use a sandbox and test keys. The settings of the project around the
    current directory apply (sign-in, links), and so do the levels of the `lint.toml` next to the
    document, or of that in the current directory if the document is not a file.

    Args:
        target: an ASGI or WSGI application, which is served locally, or a base URL.
        document: its path, its URL or its content; by default the result of `target.openapi()`,
            as in FastAPI, else the document of the project.
        keys: the keys by role: `main`, `other_tenant` for another tenant, `live_mode` for live
            mode, `limited` for one whose rate limits may be used up, `suspended` for one without
            permissions, `unscoped` for one without scopes and roles.
        data: examples that replace those of the document.
        profile: `quick` or `full`.
        seed: the same seed makes the same requests.
        hosts: hosts other than this machine that may be tested.
        max_response_time: the maximum time for a response, in seconds.
        base_path: where an application has the API, such as `/api/v1`; by default its root, or else
            the path of one of the document's servers.

    Raises:
        InputError: the document, the target or a setting cannot be used.
    """
    read = document_of(target, document, hosts)
    project = configured(document=Path(read.path))
    whole = with_links(with_data(read, data or {}), project.test.links)
    standards = Standards(lint_settings(read.path))
    credential = Credential.of(whole)
    by_role = dict(keys or {})
    check_roles(by_role)
    if credential is not None and credential.is_required and MAIN not in by_role:
        raise InputError("the document requires a credential", hint="pass keys={'main': …}")
    if MAIN in by_role:
        by_role[UNKNOWN_KEY] = stranger(by_role[MAIN])

    def run_at(url: str) -> Outcome:
        here, elsewhere = reachable(whole, url)
        contract, own = Contract(here, elsewhere=elsewhere), own_base_urls(here, url)
        with TargetServer(url, credential, Record(), by_role, own) as server:
            server.signer.sign_in = sign_ins(
                *(contract, server, project.test.sign_in),
                lambda each: checked_url(each, tuple(hosts)),
            )
            reach(contract, server)
            run = begin(
                *(contract, server, RunProfile(profile), seed),
                max_seconds=max_response_time,
            )
            run.go()
        redaction = conceal(contract, run.record, server.signer.secrets)
        return _outcome(run, standards, redaction)

    with _at(target, hosts, base_path) as url:
        try:
            return run_at(url)
        except ElsewhereError as elsewhere:
            if isinstance(target, str) or base_path or not elsewhere.is_declared:
                raise
            return run_at(elsewhere.url)


def document_of(
    target: object, named: str | Path | Mapping[str, object] | None, hosts: Sequence[str] = ()
) -> Document:
    """Return the document of a target, from the arguments of `check`.

    Raises:
        InputError: the document cannot be used.
    """
    openapi = getattr(target, "openapi", None)
    if named is None and callable(openapi):
        named = openapi()
    if isinstance(named, Mapping):
        content = json.dumps(named, indent=2).encode()
        read = load("openapi.json", read=lambda _: content)
        return without_errors(completed(read, Path(read.path)))
    is_address = isinstance(named, str) and is_remote(named)
    return tested_document(named if named is None or is_address else Path(named), (), tuple(hosts))


@contextlib.contextmanager
def _at(target: object, hosts: Sequence[str], base_path: str) -> Iterator[str]:
    if isinstance(target, str):
        if base_path:
            raise InputError("only an application has a base path", hint="write it into the URL")
        checked_url(target, tuple(hosts))
        yield target.rstrip("/")
    else:
        path = base_path.strip("/")
        with served(target) as url:
            yield f"{url}/{path}" if path else url


def name_of(operation: ContractOperation) -> str:
    """Return method and path, the name of a test."""
    return f"{operation.method} {operation.site.key}"


def _outcome(run: Run, standards: Standards, redaction: Redaction) -> Outcome:
    items = coverage(run.contract, run.record)
    report: Report = redaction.report(run_report(run, standards, items))
    findings: dict[str, list[Finding]] = {}
    for finding in report.findings:
        for name, each in finding.by_operation():
            findings.setdefault(name, []).append(each)
    idle = never_succeeded(run.contract, run.record)
    outcomes = {
        name_of(operation): OperationOutcome(
            name_of(operation),
            tuple(findings.get(name_of(operation), ())),
            _obstacle(run, redaction, operation) if operation in idle else None,
        )
        for operation in run.contract.operations.values()
    }
    others = [
        finding for name, all_ in findings.items() if name not in outcomes for finding in all_
    ]
    return Outcome(outcomes, tuple(others), run.stopped, report)


def _obstacle(run: Run, redaction: Redaction, operation: ContractOperation) -> str:
    """Return the last request of an operation and its response, as text."""
    sent = [
        exchange for exchange in run.record.exchanges if exchange.operation == operation.pointer
    ]
    if not sent:
        return "no request could be made"
    last = sent[-1]
    outcome = last.response.shown if last.response else last.failure or "no response"
    return redaction.text(f"{last.request.curl}\n{outcome}")

"""The fuzzing source: requests that schemathesis generates, and the violations they prove."""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from specwright.conformance.checks.requests.validity import RequestJudge, RequestVerdict
from specwright.conformance.checks.robustness.fuzzed import NOTHING_FUZZED
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import Contract
from specwright.conformance.contract.routes import ContractRoutes
from specwright.conformance.driver.roles import ANONYMOUS, MAIN
from specwright.conformance.driver.target import MAX_RESPONSE_BYTES, TargetServer
from specwright.conformance.fuzzing.plan import (
    configuration,
    derive,
    environment,
    idempotency_keys,
    shards_of,
)
from specwright.conformance.fuzzing.process import Line, Processes, command, require
from specwright.conformance.fuzzing.profile import FuzzingLimits
from specwright.conformance.fuzzing.reports import CHECKS, FailedCheck, violation
from specwright.conformance.fuzzing.traffic import TrafficOracle
from specwright.conformance.recording.exchange import FUZZING, Exchange, HttpRequest, HttpResponse
from specwright.conformance.recording.record import Violation
from specwright.document.operations.sites import OperationSite
from specwright.errors import InputError
from specwright.http_messages import Headers
from specwright.pointer import ROOT, Pointer
from specwright.text import visible

# Exit codes of schemathesis: nothing was found, or something was; None if it was ended here.
_ENDS = (0, 1, None)
_LONGEST = 300
_ACCEPTED = CHECKS["negative_data_rejection"].rule
_REFUSED = CHECKS["positive_data_acceptance"].rule
_CREDENTIALS = CHECKS["ignored_auth"].rule
_METHODS = CHECKS["unsupported_method"].rule


def fuzz(
    contract: Contract,
    target: TargetServer,
    profile: FuzzingLimits,
    seed: int,
    slow: Sequence[OperationCall] = (),
) -> None:
    """Fuzz a target with schemathesis; exchanges and violations go into the target's record.

    Args:
        contract: of an upgraded document.
        seed: for the generated data.
        slow: calls for examples that are not sent again.

    Raises:
        InputError: schemathesis is not installed, or does not start.
    """
    require()
    document = contract.document
    routes = ContractRoutes(contract, target.base_url)
    judge = RequestJudge(document, routes)
    # Credentials that are obtained now expire last.
    target.signer.renew()
    keys = idempotency_keys(routes, judge, target.record)
    base_url, distant = _base_url(contract, target)
    derived = derive(contract, routes, target.record.exchanges, profile.processes, distant, slow)
    share = profile.seconds_of_each(len(routes.operations))
    seeds = {shard: seed + shard for shard in shards_of(derived)}
    # A path may have a method that is not tested, or that must not be called.
    uncalled = {method for method, _ in contract.uncalled}
    uncalled |= {contract.operations[pointer].method for pointer in distant}
    environments = [
        environment(target, routes, keys, own_seed, share) for own_seed in seeds.values()
    ]
    with TemporaryDirectory(prefix="specwright-") as name:
        place = Path(name)
        api = place / "openapi.json"
        api.write_text(json.dumps(derived), "utf-8")
        commands = []
        for shard, own_seed in seeds.items():
            config = place / f"{shard}.toml"
            written = configuration(target, profile, CHECKS, shard, uncalled)
            config.write_text(written, "utf-8")
            commands.append(
                command(
                    *("--config-file", str(config), "run", str(api)),
                    *("--url", base_url, "--seed", str(own_seed)),
                )
            )
        run = _Run(contract, target, routes, judge)
        processes = Processes(commands, environments, place, profile.seconds)
        try:
            for number, line in processes.lines():
                run.take(number, line)
        finally:
            for number, line in processes.end():
                run.take(number, line)
            run.conclude()
        for number in range(len(commands)):
            run.account_for(number, processes)
        run.account_for_operations()
        for pointer in distant:
            for rule in (_ACCEPTED, _REFUSED):
                target.record.skip(rule, pointer, f"only operations at {base_url} are fuzzed")


def _base_url(contract: Contract, target: TargetServer) -> tuple[str, set[Pointer]]:
    """Return the base URL of most operations, and the operations that have another one."""
    own = {
        pointer: target.base_urls.get(pointer, target.base_url) for pointer in contract.operations
    }
    ((most, _),) = Counter(own.values()).most_common(1) or [(target.base_url, 0)]
    return most, {pointer for pointer, base_url in own.items() if base_url != most}


class _Run:
    """A fuzzing run, which adds the lines of its processes to the record."""

    def __init__(
        self, contract: Contract, target: TargetServer, routes: ContractRoutes, judge: RequestJudge
    ) -> None:
        self._contract = contract
        self._target = target
        self._routes = routes
        self._judge = judge
        self._started: set[int] = set()
        self._exchanges: dict[tuple[int, str], tuple[Exchange, OperationSite]] = {}
        self._verdicts: dict[int, RequestVerdict] = {}
        self._failures: list[tuple[int, Line]] = []
        self._reached: set[Pointer] = set()

    def take(self, number: int, line: Line) -> None:
        """Add a line that a process wrote."""
        match line["kind"]:
            case "exchange":
                self._take_exchange(number, line)
            case "failure":
                self._failures.append((number, line))
            case "error":
                self._skip(f"schemathesis: {line['label']}: {line['text']}")
            case "fatal":
                self._skip(f"schemathesis ended early: {line['text']}")
            case "started":
                self._started.add(number)

    def conclude(self) -> None:
        """Judge the failed checks; those about created resources need the whole traffic."""
        record = self._target.record
        traffic = TrafficOracle(self._contract, self._routes, record.exchanges)
        for number, line in self._failures:
            report = self._report(number, line)
            violated = report and violation(report, traffic)
            if violated:
                record.violate(violated)

    def account_for(self, number: int, processes: Processes) -> None:
        """Record that a process did not end normally.

        Raises:
            InputError: it did not start.
        """
        code = processes.code(number)
        if number not in self._started and code is None:
            self._skip("schemathesis did not start in time")
        elif number not in self._started:
            details = [self._spoken(line) for line in processes.said(number)]
            raise InputError("schemathesis failed to start", details=details)
        elif code not in _ENDS:
            self._skip(f"a schemathesis process exited early with code {code}")

    def account_for_operations(self) -> None:
        """Record the operations that were not reached, and a violation if none was."""
        if self._routes.operations and not self._reached:
            message = f"fuzzing reached none of {len(self._routes.operations)} operations"
            self._target.record.violate(Violation(NOTHING_FUZZED, ROOT, message))
        for operation in self._routes.operations:
            if operation.pointer not in self._reached:
                for rule in (_ACCEPTED, _REFUSED):
                    reason = "no request was generated for it before fuzzing ended"
                    self._target.record.skip(rule, operation.pointer, reason)

    def _skip(self, reason: str) -> None:
        for rule in sorted({check.rule for check in CHECKS.values()}):
            self._target.record.skip(rule, ROOT, self._spoken(reason))

    def _spoken(self, text: str) -> str:
        """Return a message of schemathesis as one line, without secrets."""
        for secret in self._target.signer.secrets:
            text = text.replace(secret, "…")
        return visible(text)[:_LONGEST]

    def _take_exchange(self, number: int, line: Line) -> None:
        request = HttpRequest(line["method"], line["url"], _headers(line["headers"]), _body(line))
        operation = self._routes.find(line["path"], line["method"])
        response, failure = _response(line["response"])
        before = self._exchanges.get((number, line["id"]))
        if before is not None and (before[0].request, before[0].response) == (request, response):
            # A scenario that goes on is written again with its earlier exchanges.
            return
        exchange = self._target.record.add(
            Exchange(
                0,
                FUZZING,
                self._role(request, operation.pointer if operation else None),
                operation.pointer if operation else None,
                request,
                response,
                failure,
                line["sent_at"],
                line["seconds"],
            )
        )
        # A method that the path does not have is reported for the path.
        nearest = operation or next(
            site for site in self._routes.operations if site.key == line["path"]
        )
        self._exchanges[number, line["id"]] = exchange, nearest
        if operation is None:
            self._target.record.check(_METHODS, nearest.item.pointer)
            return
        self._reached.add(operation.pointer)
        self._verdicts[exchange.number] = self._weigh(operation, request)
        if exchange.role == ANONYMOUS and MAIN in self._target.keys:
            self._target.record.check(_CREDENTIALS, operation.pointer)

    def _weigh(self, operation: OperationSite, request: HttpRequest) -> RequestVerdict:
        verdict = self._judge.judge(operation, request)
        if verdict.faults:
            self._target.record.check(_ACCEPTED, operation.pointer)
        elif verdict.is_valid:
            self._target.record.check(_REFUSED, operation.pointer)
        return verdict

    def _role(self, request: HttpRequest, operation: Pointer | None) -> str:
        if MAIN not in self._target.keys:
            return ANONYMOUS
        return MAIN if self._target.signer.is_signed(request, operation) else ANONYMOUS

    def _report(self, number: int, line: Line) -> FailedCheck | None:
        exchange = self._exchanges.get((number, line["id"]))
        if exchange is None:
            return None
        proof, operation = exchange
        cause = self._exchanges.get((number, line["before"]))
        verdict = self._verdicts.get(proof.number, RequestVerdict(doubtful=True))
        return FailedCheck(line["check"], proof, operation, cause[0] if cause else None, verdict)


def _headers(pairs: list[list[str]]) -> Headers:
    return tuple((name, value) for name, value in pairs)


def _body(line: Line) -> bytes | None:
    return None if line["body"] is None else base64.b64decode(line["body"])


def _response(line: Line | None) -> tuple[HttpResponse | None, str | None]:
    """Return a response, or the reason why it is missing."""
    if line is None:
        return None, "the connection failed, or no response came in time"
    body = _body(line)
    if body is None:
        return None, f"the body has more than {MAX_RESPONSE_BYTES:,} bytes"
    return HttpResponse(line["status"], _headers(line["headers"]), body), None

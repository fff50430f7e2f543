"""The input of schemathesis: a configuration, a derived document, and an environment."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from copy import deepcopy
from dataclasses import replace
from itertools import accumulate
from pathlib import Path

from specwright.caches import cache_home
from specwright.conformance.checks.requests.accepted import INVALID_ACCEPTED
from specwright.conformance.checks.requests.validity import RequestJudge
from specwright.conformance.contract.calls import ABSENT, OperationCall
from specwright.conformance.contract.contract import Contract, ContractOperation
from specwright.conformance.contract.links import inferred
from specwright.conformance.contract.routes import ContractRoutes
from specwright.conformance.driver.driver import with_key
from specwright.conformance.driver.roles import MAIN
from specwright.conformance.driver.target import CA_VARIABLE, HANGS, TargetServer, is_stream
from specwright.conformance.fuzzing.profile import FuzzingLimits
from specwright.conformance.recording.exchange import Exchange
from specwright.conformance.recording.record import Record
from specwright.document.model import Document
from specwright.document.operations.security import Demands
from specwright.document.operations.sent_parameters import sent_parameters
from specwright.document.operations.sites import (
    Direction,
    OperationSite,
    Site,
    json_content,
    members,
    operations,
    parameters,
    request_body,
    schema,
)
from specwright.document.shape import walk
from specwright.json_values import JsonObject, mapping, sequence, texts
from specwright.pointer import ROOT, Pointer, join, resolve, split
from specwright.vocabulary.keywords.idempotency import IDEMPOTENCY

HOOKS = Path(__file__).with_name("hooks.py")
_CREDENTIALS = "SPECWRIGHT_FUZZING_CREDENTIALS"
_HEADER = "SPECWRIGHT_FUZZING_HEADER_{}"
# Variables that would lead the process away from the target.
_ELSEWHERE = frozenset({"http_proxy", "https_proxy", "all_proxy", "no_proxy", "netrc"})
# Formats of a number that is used once; most schemas of keys allow the first one.
_FORMS = ("{:012x}", "00000000-0000-4000-8000-{:012x}", "{:010d}")
_SEEDS, _KEYS_OF_A_SEED = 10_000, 100_000
_TAG = "specwright-"
# Other methods belong to servers and proxies rather than to an API.
_UNEXPECTED = ("GET", "PUT", "POST", "DELETE", "PATCH")
_UNIT_PHASES = ("examples", "coverage", "fuzzing")


def configuration(
    target: TargetServer,
    profile: FuzzingLimits,
    checks: Iterable[str],
    shard: int,
    uncalled: Collection[str] = (),
) -> str:
    """Return the TOML of one process, without text of the document and without keys.

    Args:
        uncalled: methods of operations that are not tested; they are not tried on any path.
    """
    unexpected = [method for method in _UNEXPECTED if method not in uncalled]
    lines = [
        f"hooks = {json.dumps(str(HOOKS))}",
        "workers = 1",
        "continue-on-failure = true",
        "max-redirects = 0",
        f"request-timeout = {target.timeout}",
        "color = false",
        "warnings = false",
        'suppress-health-check = ["all"]',
        "cache.enabled = false",
        "analysis.constants.enabled = false",
        "output.truncation.max-recorded-payload-size = 0",
        "generation.no-shrink = true",
        'generation.database = "none"',
        "generation.with-security-parameters = false",
        f"generation.max-examples = {profile.examples}",
        "phases.enabled = false",
        f"phases.coverage.unexpected-methods = {json.dumps(unexpected)}",
        *(f"phases.{phase}.enabled = true" for phase in profile.phases),
        # Its own ones take an id for that of a parent; the document has the links that we found.
        "phases.stateful.inference.algorithms = []",
        "checks.enabled = false",
        *(f"checks.{check}.enabled = true" for check in checks),
    ]
    for number, name in enumerate(target.signer.headers):
        lines.append(f'headers.{json.dumps(name)} = "${{{_HEADER.format(number)}}}"')
    if CA_VARIABLE in os.environ:
        lines.append(f"tls-verify = {json.dumps(os.environ[CA_VARIABLE])}")
    for other in range(profile.processes):
        if other != shard:
            lines += ["[[operations]]", f'include-tag = "{_tag(other)}"']
            lines += [f"phases.{phase}.enabled = false" for phase in _UNIT_PHASES]
    return "\n".join(lines) + "\n"


def environment(
    target: TargetServer,
    routes: ContractRoutes,
    keys: Mapping[str, object],
    seed: int,
    seconds: float | None = None,
) -> dict[str, str]:
    """Return the environment of a process, with the secrets, which other users cannot read there.

    Args:
        keys: the result of `idempotency_keys`.
        seconds: the time limit of an operation; None for no limit.
    """
    headers = enumerate(target.signer.headers.values())
    inherited = {key: value for key, value in os.environ.items() if key.lower() not in _ELSEWHERE}
    return {
        **inherited,
        "NO_PROXY": "*",
        "NETRC": os.devnull,
        # Tables of characters, which take each process two seconds to build.
        "HYPOTHESIS_STORAGE_DIRECTORY": str(cache_home() / "hypothesis"),
        # The order of sets must not influence the generated data.
        "PYTHONHASHSEED": "0",
        _CREDENTIALS: json.dumps(_credentials(target, routes)),
        **{_HEADER.format(number): value for number, value in headers},
        "SPECWRIGHT_FUZZING_SECONDS": "" if seconds is None else str(seconds),
        "SPECWRIGHT_FUZZING_KEYS": json.dumps(keys),
        "SPECWRIGHT_FUZZING_FIRST_KEY": str(seed % _SEEDS * _KEYS_OF_A_SEED),
    }


def idempotency_keys(
    routes: ContractRoutes, judge: RequestJudge, record: Record
) -> dict[str, object]:
    """Return the path of each operation's idempotency key, with a format that its schema allows."""
    keys: dict[str, object] = {}
    for operation in routes.operations:
        declared = IDEMPOTENCY.read(operation.value)
        # Random values of a header are hardly ever the same.
        if declared is not None and declared.key is not None:
            way = split(declared.key.raw)
            form = next((suited for suited in _FORMS if judge.allows(operation, way, suited)), None)
            if form is None:
                reason = "no key format fits its schema, and a used key would hide other faults"
                record.skip(INVALID_ACCEPTED, operation.pointer, reason)
            else:
                keys[f"{operation.method} {operation.key}"] = {"way": way, "form": form}
    return keys


def _credentials(
    target: TargetServer, routes: ContractRoutes
) -> dict[str, list[tuple[str, str, str]]]:
    """Return the parts of requests that hold credentials, by operation: place, name and text.

    At the place `digest` are the name and the password of a user, for Digest.
    """
    credentials: dict[str, list[tuple[str, str, str]]] = {}
    for operation in routes.operations:
        texts = target.signer.texts(operation.pointer, MAIN)
        for scheme, text in texts:
            parts = credentials.setdefault(f"{operation.method} {operation.key}", [])
            parts.append((scheme.location, scheme.name, text))
        for _, user in target.signer.challenged(operation.pointer, MAIN):
            name, password = user
            parts = credentials.setdefault(f"{operation.method} {operation.key}", [])
            parts.append(("digest", name, password))
    return credentials


def derive(
    contract: Contract,
    routes: ContractRoutes,
    seen: Sequence[Exchange],
    shards: int,
    distant: Set[Pointer] = frozenset(),
    slow: Sequence[OperationCall] = (),
) -> JsonObject:
    """Return the document for schemathesis: without servers, with real ids, divided into shards.

    Args:
        seen: earlier exchanges; the ids in them are known to exist.
        distant: operations that are not to be fuzzed.
        slow: calls for examples that are left out.
    """
    derived = contract.document.with_data(deepcopy(contract.document.data))
    derived.data.pop("webhooks", None)
    for node in walk(derived.data):
        if node.kind in ("document", "pathItem", "operation"):
            node.value.pop("servers", None)
        elif node.kind == "link":
            node.value.pop("server", None)
    left_out = _endless(seen) | distant
    write_links(derived, contract, seen, left_out)
    origins = _own_items(derived)
    known, demands = _known_ids(contract, routes, seen), Demands(derived)
    copies = []
    for site in list(operations(derived)):
        if site.direction is not Direction.PATH:
            continue
        is_called = routes.find(site.key, site.method) is not None
        if is_called and origins[site.pointer] not in left_out:
            copies.append(site)
        else:
            del site.item.value[split(site.pointer)[-1]]
    # Neighbours stay together: values in a response of one are sent to the next one.
    copies.sort(key=lambda site: site.key)
    ends = list(accumulate(_variety(derived, copy) for copy in copies))
    for copy, end in zip(copies, ends, strict=True):
        copy.value["tags"] = [_tag((end - 1) * shards // ends[-1])]
        _leave_out_unsent(derived, copy, demands)
        origin = origins[copy.pointer]
        for call in (call for call in slow if call.operation.pointer == origin):
            _leave_out_example(derived, copy, call)
        if origin in known:
            copy.value["parameters"] = [*_with_ids(derived, copy, known[origin])]
    return derived.data


def _own_items(document: Document) -> dict[Pointer, Pointer]:
    """Give each path an item of its own, and return the former places of its operations.

    The fuzzer takes the operations of a path from the item below `paths`, where an item that is
    referred to, maybe by several paths, is not.
    """
    root = Site(ROOT, document.data)
    origins = {
        _place_of(site): site.pointer
        for site in operations(document)
        if site.direction is Direction.PATH
    }
    items: JsonObject = {
        path: deepcopy(item.value) for path, item in members(document, root, "paths")
    }
    document.data["paths"] = items
    return origins


def _place_of(operation: OperationSite) -> Pointer:
    """Return the place of an operation in a path item of its own."""
    return join("paths", operation.key) + operation.pointer.removeprefix(operation.item.pointer)


def _endless(exchanges: Iterable[Exchange]) -> set[Pointer]:
    """Return the operations that respond with a stream, unreadably, or not in time."""
    return {
        exchange.operation
        for exchange in exchanges
        if exchange.operation
        and (is_stream(exchange.response) or exchange.is_undecodable or exchange.failure == HANGS)
    }


def shards_of(derived: JsonObject) -> list[int]:
    """Return the shards that have operations; a small document does not fill all of them."""
    tags = {
        tag
        for item in mapping(derived.get("paths")).values()
        for operation in mapping(item).values()
        for tag in texts(mapping(operation).get("tags"))
    }
    return sorted(int(tag.removeprefix(_TAG)) for tag in tags if tag.startswith(_TAG))


def _variety(document: Document, operation: OperationSite) -> int:
    """Return the number of parts of a request that vary; the number of cases grows with it."""
    content = json_content(document, request_body(document, operation))
    body = schema(document, content).value.get("properties") if content else None
    return 1 + len(parameters(document, operation)) + len(mapping(body))


def _known_ids(
    contract: Contract, routes: ContractRoutes, seen: Iterable[Exchange]
) -> Mapping[str, Mapping[str, str]]:
    """Return the path parameters of the last successful request for each operation."""
    ids: dict[str, Mapping[str, str]] = {}
    for exchange in seen:
        operation = contract.operations.get(exchange.operation or "")
        if operation is not None and operation.is_success(exchange.response):
            values = routes.path_values(operation.site, exchange.request.url)
            if values:
                ids[operation.pointer] = values
    return ids


def _leave_out_unsent(document: Document, operation: OperationSite, demands: Demands) -> None:
    """Remove the parameters of an operation that cannot be sent."""
    sent = {site.pointer for site in sent_parameters(document, operation, demands).values()}
    unsent = [
        site.value for site in parameters(document, operation).values() if site.pointer not in sent
    ]
    for holder in (operation.item, operation) if unsent else ():
        holder.value["parameters"] = [
            declared
            for declared in sequence(holder.value.get("parameters"))
            if document.follow(declared) not in unsent
        ]


def _leave_out_example(document: Document, operation: OperationSite, call: OperationCall) -> None:
    """Remove the example of a body that a call has sent with any key."""
    content = json_content(document, request_body(document, operation))
    if content is None:
        return
    for name, example in [*members(document, content, "examples")]:
        other = replace(call, body=example.value.get("value"))
        if with_key(other, name).body == with_key(call, name).body:
            del mapping(content.value["examples"])[name]


def _with_ids(
    document: Document, operation: OperationSite, known: Mapping[str, str]
) -> list[JsonObject]:
    """Return the parameters of an operation, with known ids as examples of those in its path."""
    with_examples = []
    for (place, name), parameter in parameters(document, operation).items():
        value = dict(parameter.value)
        if place == "path" and name in known:
            value.pop("examples", None)
            is_text = schema(document, parameter).value.get("type") == "string"
            value["example"] = known[name] if is_text else _number(known[name])
        with_examples.append(value)
    return with_examples


def _number(text: str) -> str | int:
    try:
        return int(text)
    except ValueError:
        return text


def _tag(shard: int) -> str:
    return f"{_TAG}{shard}"


def write_links(
    derived: Document, contract: Contract, seen: Iterable[Exchange], left_out: Set[Pointer]
) -> None:
    """Write the links of the last successful responses into a derived document.

    Args:
        left_out: operations that the derived document will not have.
    """
    last: dict[tuple[Pointer, int], tuple[ContractOperation, Exchange]] = {}
    for exchange in seen:
        operation, response = contract.operations.get(exchange.operation or ""), exchange.response
        if operation is not None and response is not None and operation.is_success(response):
            last[operation.pointer, response.status] = operation, exchange
    for (pointer, status), (operation, exchange) in last.items():
        declared = operation.response(status)
        is_linked = bool(contract.links(operation, status))
        links = {} if is_linked else _links(contract, operation, exchange, left_out)
        if declared is not None and links:
            # A shared response must not get the links of a single operation.
            shared = mapping(derived.follow(resolve(derived.data, declared.pointer)))
            responses_ = mapping(mapping(resolve(derived.data, pointer))["responses"])
            responses_[_pattern(operation, status)] = {**shared, "links": links}


def _links(
    contract: Contract, operation: ContractOperation, exchange: Exchange, left_out: Set[Pointer]
) -> JsonObject:
    sent = exchange.request.json_or_none
    assert exchange.response is not None
    call = OperationCall(operation, body=ABSENT if sent is None else sent)
    links = inferred(contract, call, exchange.response)
    kept = [link for link in links if link.target not in left_out]
    return {
        f"link{number}": {**_target(contract, link.target), "parameters": dict(link.parameters)}
        for number, link in enumerate(kept, 1)
    }


def _target(contract: Contract, pointer: Pointer) -> dict[str, str]:
    site = contract.operations[pointer].site
    return {"operationRef": f"#{_place_of(site)}"} if site.id is None else {"operationId": site.id}


def _pattern(operation: ContractOperation, status: int) -> str:
    return next(
        pattern
        for pattern in (str(status), f"{status // 100}XX", "default")
        if pattern in operation.responses
    )

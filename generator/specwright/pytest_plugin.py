"""A pytest plugin with a test for each operation of a document; inactive without its options.

The reasons are in docs/design/conformance.md.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from specwright.testing import Data, OperationOutcome, Outcome

_PARAMETER = "specwright_operation"
# Tests of operations for projects without their own.
_CASES = Path(__file__).with_name("testing") / "cases.py"
_NODE = "contract"
_NAMES = pytest.StashKey[list[str]]()

_OTHER_TENANT = "other-tenant-api-key-env"
# Its name before.
_OTHER = "--specwright-other-api-key-env"

# Option name, metavar and help.
_OPTIONS = {
    "url": ("URL", "The base URL of the server whose operations are tested."),
    "app": ("MODULE:NAME", "The ASGI or WSGI application whose operations are tested."),
    "base-path": (
        "PATH",
        "The path of the API in the application; by default its root, or else that of a server in "
        "the document.",
    ),
    "document": ("PATH|URL", "The OpenAPI document; by default that of the application."),
    "api-key-env": ("NAME", "The environment variable that holds the API key."),
    _OTHER_TENANT: (
        "NAME",
        "The environment variable that holds the API key of another tenant.",
    ),
    "data": ("PATH", "A TOML file with examples, by operation."),
    "profile": ("quick|full", "How thorough the test is."),
    "seed": ("NUMBER", "The seed of the test: the same seed makes the same requests."),
    "max-response-time": ("SECONDS", "The maximum time for a response."),
}


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("specwright", "contract tests from an OpenAPI document")
    for name, (metavar, help_) in _OPTIONS.items():
        group.addoption(f"--specwright-{name}", metavar=metavar, help=help_)
    group.addoption(_OTHER, help=argparse.SUPPRESS)
    group.addoption(
        "--specwright-allow-host",
        action="append",
        default=[],
        metavar="HOST",
        help="A host other than this machine that may be tested (repeatable).",
    )


def _option(config: pytest.Config, name: str) -> Any:
    return config.getoption(f"--specwright-{name}")


def _is_asked(config: pytest.Config) -> bool:
    return any(_option(config, name) for name in ("url", "app", "document"))


def _given_target(config: pytest.Config) -> object:
    """Return the base URL or the application given by options; None if neither is given."""
    named = _option(config, "app")
    if named is None:
        return _option(config, "url")
    module, _, attribute = named.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise pytest.UsageError(f"--specwright-app {named}: {error}") from None


def pytest_sessionstart(session: pytest.Session) -> None:
    """Read the document at the start, as an unusable one is a usage error."""
    if session.config.getoption(_OTHER) is not None:
        raise pytest.UsageError(f"{_OTHER} is now called --specwright-{_OTHER_TENANT}")
    if _is_asked(session.config):
        session.config.stash[_NAMES] = _operations(session.config)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make a test for each operation."""
    if _PARAMETER in metafunc.fixturenames:
        names = metafunc.config.stash.get(_NAMES, [])
        metafunc.parametrize(_PARAMETER, names, ids=str, indirect=True, scope="session")


def _operations(config: pytest.Config) -> list[str]:
    from specwright.conformance.contract.contract import Contract
    from specwright.errors import InputError
    from specwright.testing.check import document_of, name_of

    try:
        target, hosts = _given_target(config), _option(config, "allow-host")
        contract = Contract(document_of(target, _option(config, "document"), hosts))
    except InputError as error:
        raise pytest.UsageError(str(error)) from None
    return [name_of(operation) for operation in contract.operations.values()]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Add a test for each operation, unless the project has its own tests of operations."""
    has_own = any(_PARAMETER in getattr(item, "fixturenames", ()) for item in items)
    if _is_asked(config) and not has_own:
        module = pytest.Module.from_parent(session, path=_CASES, nodeid=_NODE)
        items += session.genitems(module)


@pytest.fixture(scope="session")
def specwright_target(pytestconfig: pytest.Config) -> object:
    """Return the target of the tests: a base URL, or an ASGI or WSGI application."""
    target = _given_target(pytestconfig)
    if target is None:
        raise pytest.UsageError("no target: set --specwright-url or --specwright-app")
    return target


@pytest.fixture(scope="session")
def specwright_keys(pytestconfig: pytest.Config) -> Mapping[str, str]:
    """Return the keys by role: `main`, `other_tenant`, `limited` and `suspended`."""
    named = {"main": "api-key-env", "other_tenant": _OTHER_TENANT}
    variables = {role: _option(pytestconfig, name) for role, name in named.items()}
    return {role: os.environ[name] for role, name in variables.items() if name}


@pytest.fixture(scope="session")
def specwright_data(pytestconfig: pytest.Config) -> Data:
    """Return custom examples, by operation."""
    from specwright.testing.data import read_data

    file = _option(pytestconfig, "data")
    return read_data(Path(file)) if file else {}


@pytest.fixture(scope="session")
def specwright_outcome(
    pytestconfig: pytest.Config,
    specwright_target: object,
    specwright_keys: Mapping[str, str],
    specwright_data: Data,
) -> Outcome:
    """Return the result of the run, which all tests of operations share."""
    from specwright.testing import check

    chosen = {
        "base_path": _option(pytestconfig, "base-path"),
        "profile": _option(pytestconfig, "profile"),
        "seed": _number(pytestconfig, "seed", int),
        "max_response_time": _number(pytestconfig, "max-response-time", float),
    }
    return check(
        specwright_target,
        _option(pytestconfig, "document"),
        keys=specwright_keys,
        data=specwright_data,
        hosts=_option(pytestconfig, "allow-host"),
        **{name: value for name, value in chosen.items() if value is not None},
    )


def _number(config: pytest.Config, name: str, kind: type[int] | type[float]) -> int | float | None:
    text = _option(config, name)
    try:
        return None if text is None else kind(text)
    except ValueError:
        raise pytest.UsageError(f"--specwright-{name} must be a number, got {text!r}") from None


@pytest.fixture(scope="session")
def specwright_operation(
    request: pytest.FixtureRequest, specwright_outcome: Outcome
) -> OperationOutcome:
    """Return the result of the run for one operation."""
    name = request.param
    if name not in specwright_outcome.operations:
        pytest.skip(f"{name} has servers of its own, on another host")
    return specwright_outcome.operations[name]

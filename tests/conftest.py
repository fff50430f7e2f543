"""Fixtures for all tests: the command, the corpus and a browser."""

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests import axe, command, compiled, slow
from tests.browser import NAMES, Browser, installed

# How fast a machine is must not decide what is red. The examples are the same in every run and on
# every machine; `--hypothesis-profile new` draws more and others, and says how to repeat one. Each
# example may write over the files of the one before.
settings.register_profile(
    "new",
    settings.get_profile("default"),
    max_examples=1_000,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    print_blob=True,
)
settings.register_profile(
    "same", settings.get_profile("new"), max_examples=100, derandomize=True, database=None
)
# For a first look; CI takes all examples of `same`.
settings.register_profile("few", settings.get_profile("same"), max_examples=25)
settings.load_profile("same")

ROOT = Path(__file__).parents[1]
COMMAND = Path(sys.executable).with_name("specwright")

Run = Callable[..., subprocess.CompletedProcess[str]]


def pytest_configure(config: pytest.Config) -> None:
    # Shells start `pytest &` with Ctrl-C ignored, and the commands under test would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    tests = slow.listed()
    for item in items:
        if item.nodeid in tests:
            item.add_marker("slow")


def pytest_collection_finish(session: pytest.Session) -> None:
    # Thousands of tests stay to the end: neither this process nor its copies search them for waste.
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The directory of other people's documents; tests that need it are skipped without it."""
    place = Path(os.environ.get("SPECWRIGHT_CORPUS", ROOT.parent / "shared" / "corpus"))
    if not place.is_dir():
        pytest.skip(f"no corpus at {place}: set SPECWRIGHT_CORPUS to its directory")
    return place


@pytest.fixture(scope="session")
def root() -> Path:
    """The top of this repository."""
    return ROOT


@pytest.fixture(scope="session", autouse=True)
def cache_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A directory for caches; the cache of the current user must not affect the tests."""
    place = tmp_path_factory.mktemp("caches")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(place))
        yield place


@pytest.fixture(scope="session", autouse=True)
def compiled_once() -> Iterator[None]:
    """A hundred packages are generated and imported, and all have the modules of the runtime."""
    with compiled.once():
        yield


@pytest.fixture(scope="session")
def specwright() -> Run:
    """Run the command, in the top of this repository unless a test says where."""
    return partial(command.run, cwd=ROOT)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A headless Chromium; tests that need it are skipped without one on the path."""
    command = installed()
    if command is None:
        pytest.skip(f"no Chromium on the path: none of {', '.join(NAMES)}")
    running = Browser(command, tmp_path_factory.mktemp("browser"))
    yield running
    running.close()


@pytest.fixture(scope="session")
def axe_core() -> str:
    """The code of axe-core; tests that need it are skipped where it is not installed."""
    code = axe.source()
    if code is None:
        pytest.skip(f"no axe-core: {axe.PACKAGE} is not installed")
    return code

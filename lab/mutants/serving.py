"""A mutant served in place of its file, in every process that the environment tells of it.

The file itself stays as it is. This module is run at the start of each interpreter of the
environment, so it imports nothing but the standard library.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.machinery import SourceFileLoader
from pathlib import Path
from sysconfig import get_path
from types import CodeType, FunctionType

# A directory with the name of the file, its text, and the text of the mutant.
VARIABLE = "MUTATION_OF_CODE"
_STARTS = f"import os; '{VARIABLE}' in os.environ and __import__('runpy').run_path({{!r}})"


@contextmanager
def started_everywhere() -> Iterator[None]:
    """Have each interpreter of this environment serve mutants, for the time of the context."""
    start = Path(get_path("purelib"), f"mutation_of_code_{os.getpid()}.pth")
    start.write_text(f"{_STARTS.format(__file__)}\n", "utf-8")
    try:
        yield
    finally:
        start.unlink(missing_ok=True)


def keep(directory: Path, name: str, text: str, mutant: str) -> None:
    """Write a mutant of a file for the processes that serve it."""
    directory.mkdir(parents=True, exist_ok=True)
    for file, content in (("name", name), ("text", text), ("mutant", mutant)):
        (directory / file).write_bytes(content.encode())


def serve(directory: Path) -> Callable[[str], bytes | None]:
    """Serve a mutant to later imports; return a function from a path to its mutated text.

    A copy of the file is mutated as well, wherever it is, and with any comments above it.
    """
    name, text, mutant = ((directory / file).read_bytes() for file in ("name", "text", "mutant"))
    plain = SourceFileLoader.get_code

    def mutated(path: str) -> bytes | None:
        if not path.endswith(os.sep + name.decode()):
            return None
        found = b""
        with suppress(OSError):
            found = Path(path).read_bytes()
        return found.removesuffix(text) + mutant if found.endswith(text) else None

    def get_code(self: SourceFileLoader, fullname: str) -> CodeType | None:
        path = self.get_filename(fullname)
        served = mutated(path)
        if served is None:
            return plain(self, fullname)
        return compile(served, path, "exec", dont_inherit=True)

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign]
    return mutated


def replace(functions: list[FunctionType], mutated: Callable[[str], bytes | None]) -> None:
    """Mutate existing functions in place; every reference to one has the mutant from now on."""
    by_file: dict[str, dict[CodeType, CodeType]] = {}
    for function in functions:
        path = function.__code__.co_filename
        if path not in by_file:
            served = mutated(path)
            by_file[path] = {} if served is None else dict(_pairs(path, served))
        if changed := by_file[path].get(function.__code__):
            function.__code__ = changed


def _pairs(path: str, served: bytes) -> Iterator[tuple[CodeType, CodeType]]:
    before, after = (
        compile(text, path, "exec", dont_inherit=True) for text in (Path(path).read_bytes(), served)
    )
    yield from _differing(before, after)


def _differing(before: CodeType, after: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    if before != after:
        yield before, after
        inner = ([c for c in code.co_consts if isinstance(c, CodeType)] for code in (before, after))
        for pair in zip(*inner, strict=False):
            if pair[0].co_name == pair[1].co_name:
                yield from _differing(*pair)


if __name__ == "<run_path>":
    with suppress(FileNotFoundError):
        serve(Path(os.environ[VARIABLE]))

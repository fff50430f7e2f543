"""Methods of the client as pages show them: example calls, and signatures on one line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from specwright.ir.model.api import Argument, Call, PackageNames
from specwright.render.quoting import identifier, literal

_WIDTH = 88
_MODELS = "models"
_INDENT = "    "


def imports(names: PackageNames, calls: Iterable[Call]) -> Iterator[str]:
    """Yield the imports of a program of these calls."""
    arguments = (argument for call in calls for argument in call.arguments)
    modules = {a.constructor.partition(".")[0] for a in arguments if a.constructor}
    others = sorted(modules - {_MODELS})
    yield from (f"import {module}" for module in others)
    if others:
        yield ""
    own = [names.client, *modules & {_MODELS}]
    yield f"from {names.package} import {', '.join(own)}"


def parameters(signature: str) -> str:
    """Return the parameters of a method, written one below the other, on one line."""
    lines = [line.strip() for line in signature.splitlines() if line.strip()]
    if lines[-1:] == ["*,"]:
        lines.pop()
    return " ".join(lines).removesuffix(",")


def statement(call: Call) -> Iterator[str]:
    """Yield the lines of a call that shows its result."""
    operation = call.operation
    method = f"client.{call.group.name}.{operation.method_name}"
    before, after = {
        (True, False): ("for item in ", ":"),
        (False, False): ("print(", ")"),
    }.get((operation.page is not None, operation.result_of_all == "None"), ("", ""))
    yield from _wrapped(f"{before}{method}(", list(map(_argument, call.arguments)), f"){after}")
    if operation.page is not None:
        yield f"{_INDENT}print(item)"


def _argument(argument: Argument) -> list[str]:
    """Return the lines of an argument."""
    start = f"{identifier(argument.name)}=" if argument.name else ""
    if argument.value is None:
        return [f"{start}..."]
    value = argument.value.value
    if argument.is_list and argument.constructor and isinstance(value, list):
        items = [_constructed(argument.constructor, item) for item in value]
        return list(_wrapped(f"{start}[", items, "]"))
    first, *others = _constructed(argument.constructor, value)
    return [f"{start}{first}", *others]


def _constructed(constructor: str, value: object) -> list[str]:
    if not constructor:
        return _value(value)
    return list(
        _wrapped(f"{'.'.join(map(identifier, constructor.split('.')))}(", [_value(value)], ")")
    )


def _value(value: object) -> list[str]:
    """Return the lines of a JSON value."""
    whole = literal(value)
    if len(whole) <= _WIDTH:
        return [whole]
    if isinstance(value, Mapping):
        members = []
        for name, member in value.items():
            first, *others = _value(member)
            members.append([f"{literal(name)}: {first}", *others])
        return list(_wrapped("{", members, "}"))
    if isinstance(value, list):
        return list(_wrapped("[", [_value(item) for item in value], "]"))
    return [whole]


def _wrapped(before: str, parts: list[list[str]], after: str) -> Iterator[str]:
    """Yield parts on one line if they fit there, else below each other."""
    line = f"{before}{', '.join(' '.join(part) for part in parts)}{after}"
    if not parts or (len(line) <= _WIDTH and all(len(part) == 1 for part in parts)):
        yield line
        return
    if len(parts) == 1 and len(parts[0]) > 1:
        # The brackets of the only part stay beside those around it, as ruff writes them.
        first, *others, last = parts[0]
        yield f"{before}{first}"
        yield from others
        yield f"{last}{after}"
        return
    yield before
    for *lines, last in parts:
        yield from (f"{_INDENT}{line}" for line in lines)
        yield f"{_INDENT}{last},"
    yield after

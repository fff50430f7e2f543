"""The handlers of operations in implementations of the generated Protocols."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from ..shared.operation import Operation

logger = logging.getLogger(__name__.partition(".")[0])

Handler = Callable[..., Awaitable[object]]

_HINT = (
    "Write a handler for each operation, for example with `specwright scaffold`; or pass "
    'unimplemented="501" to respond with 501 to those that have none.'
)


class ImplementationError(TypeError):
    """An implementation does not match its Protocol; the message lists every difference."""


@dataclass(frozen=True, slots=True)
class Group:
    """The operations of a Protocol, with their implementation.

    Attributes:
        argument: the name of the argument with the implementation.
        implementation: None if it was omitted.
        fallback: the class whose methods respond with 501.
    """

    protocol: str
    argument: str
    implementation: object
    fallback: type
    operations: Sequence[Operation[Any]]

    @property
    def is_omitted(self) -> bool:
        """Whether the group has no implementation."""
        return self.implementation is None


def bound_handlers(
    groups: Sequence[Group], *, respond_501: bool
) -> list[tuple[Operation[Any], Handler]]:
    """Return each operation with its handler.

    Args:
        respond_501: whether to log a warning of operations without a handler and of handlers
            without an operation, instead of raising an error.

    Raises:
        ImplementationError: as for `bind`.
    """
    bound: list[tuple[Operation[Any], Handler]] = []
    differences: list[str] = []
    lacking: dict[str, Operation[Any]] = {}
    for group in groups:
        fallback = group.fallback()
        for operation in group.operations:
            name = f"{group.protocol}.{operation.handler}"
            handler = _own_handler(group, operation.handler)
            if handler is None:
                lacking[name] = operation
                handler = getattr(fallback, operation.handler)
            else:
                differences += [f"{name} {words}" for words in _differences(handler, operation)]
            bound.append((operation, handler))
    absent = [*_absent(groups, lacking), *_orphans(groups, lacking)]
    if respond_501:
        for line in absent:
            logger.warning("%s", line)
    elif absent:
        differences += [*absent, _HINT]
    if differences:
        raise ImplementationError("\n".join(["the implementation does not match:", *differences]))
    return bound


def _own_handler(group: Group, name: str) -> Handler | None:
    """Return the handler of an implementation, unless it is the one that responds with 501."""
    own = inspect.getattr_static(group.implementation, name, None)
    if own is inspect.getattr_static(group.fallback, name, None):
        return None
    handler: object = getattr(group.implementation, name, None)
    return cast("Handler", handler) if callable(handler) else None


def _differences(handler: Any, operation: Operation[Any]) -> list[str]:
    differences = [] if inspect.iscoroutinefunction(handler) else ["is not an async function"]
    wanted = {parameter.name for parameter in operation.parameters} | {"context"}
    if operation.body:
        wanted.add("body")
    parameters = inspect.signature(handler).parameters.values()
    names = {p.name for p in parameters if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)}
    if not any(p.kind is p.VAR_KEYWORD for p in parameters):
        differences += [f"does not take {name!r}" for name in sorted(wanted - names)]
    differences += [
        f"requires {p.name!r}, which the operation does not have"
        for p in parameters
        if p.default is p.empty
        and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)
        and p.name not in wanted
    ]
    try:
        inspect.get_annotations(handler, eval_str=True)
    except AttributeError as error:
        differences.append(f"has a type that does not exist: {error}")
    except Exception:
        # Names may be imported for type checkers only.
        pass
    return differences


def _absent(groups: Sequence[Group], lacking: dict[str, Operation[Any]]) -> Iterator[str]:
    """Yield a line for each omitted group, and for each other operation without a handler."""
    for group in groups:
        if group.is_omitted:
            names = ", ".join(operation.handler for operation in group.operations)
            yield f"{group.protocol} has no implementation; {group.argument} was omitted: {names}"
            continue
        for operation in group.operations:
            name = f"{group.protocol}.{operation.handler}"
            if name in lacking:
                yield f"{name} is not implemented ({operation.method} {operation.path})"


def _orphans(groups: Sequence[Group], lacking: dict[str, Operation[Any]]) -> Iterator[str]:
    """Yield a line for each handler that is not an operation, with the likely new name."""
    served: dict[int, tuple[Any, set[str]]] = {}
    for group in groups:
        if not group.is_omitted:
            _, names = served.setdefault(id(group.implementation), (group.implementation, set()))
            names.update(operation.handler for operation in group.operations)
    for implementation, names in served.values():
        # A module may be an implementation, too.
        owner = getattr(implementation, "__name__", type(implementation).__name__)
        for name, attribute in inspect.getmembers_static(implementation):
            function = getattr(attribute, "__func__", attribute)
            if name.startswith("_") or name in names or not _is_handler(function):
                continue
            line = f"{owner}.{name} is not an operation"
            renamed = _likely_name(name, getattr(implementation, name), lacking)
            yield f"{line}; was it renamed to {renamed}?" if renamed else line


def _is_handler(function: object) -> bool:
    """Return whether this is a handler: only those have to take a `context`."""
    if not inspect.iscoroutinefunction(function):
        return False
    return "context" in inspect.signature(function).parameters


def _likely_name(name: str, handler: Any, lacking: dict[str, Operation[Any]]) -> str | None:
    """Return the operation without a handler that is most similar in arguments, then in name."""
    # Imported here: only this needs it.
    from difflib import SequenceMatcher

    def similarity(candidate: str) -> float:
        return SequenceMatcher(None, name, lacking[candidate].handler).ratio()

    fitting = [key for key, operation in lacking.items() if not _differences(handler, operation)]
    if len(fitting) == 1:
        return fitting[0]
    best = max(fitting or lacking, key=similarity, default=None)
    return best if best and similarity(best) >= _SIMILAR else None


# `difflib.get_close_matches` has the same default.
_SIMILAR = 0.6

"""The errors of the tools in published documents, and those that two others share and we lack."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path

from lab.validators.tools import HERE, HOME, OURS, REDOCLY, SPEC_VALIDATOR, SPECTRAL, TOOLS, Message
from specwright.pointer import split

# Other tools take minutes for the largest documents, so their messages are kept.
_KEPT = HOME / "published"
_AT_ONCE = 2
# Advice about style, security and documentation, which OpenAPI leaves to authors.
_ADVICE = {
    REDOCLY: {
        *("info-license", "no-empty-servers", "no-path-trailing-slash"),
        *("no-server-trailing-slash", "no-unused-components", "operation-2xx-response"),
        *("operation-4xx-response", "operation-operationId-url-safe", "operation-summary"),
        "security-defined",
    },
    SPECTRAL: {
        *("info-contact", "info-description", "oas3-api-servers", "oas3-server-trailing-slash"),
        *("oas3-unused-component", "operation-description", "operation-operationId-valid-in-url"),
        *("operation-success-response", "operation-tags", "path-keys-no-trailing-slash"),
    },
    SPEC_VALIDATOR: set[str](),
}
ByTool = Mapping[str, Sequence[Message]]


@dataclass(frozen=True, slots=True, order=True)
class Shared:
    """Errors at one place by two other tools, where we have no message.

    Attributes:
        rules: the rules that both name, as `redocly struct`.
    """

    document: str
    rules: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Opinion:
    """The opinion of a reader about errors that others share.

    Attributes:
        rules: see `Shared`.
        why: the reason why we have no message there.
    """

    document: str
    rules: tuple[str, str]
    why: str


def opinions() -> list[Opinion]:
    """Return the opinions of the data file."""
    entries = tomllib.loads((HERE / "read.toml").read_text("utf-8"))["shared"]
    return [Opinion(entry["document"], tuple(entry["rules"]), entry["why"]) for entry in entries]


def messages(corpus: Path) -> dict[str, ByTool]:
    """Return the messages of every tool about each document of the corpus."""
    files = sorted(file for file in (corpus / "specs").iterdir() if file.name != "index.json")
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        others = {
            tool: pool.map(lambda file, tool=tool: _kept(tool, file), files)
            for tool in TOOLS
            if tool != OURS
        }
        ours = TOOLS[OURS].run(files)
        return {
            file.name: {OURS: ours[file], **dict(zip(others, of_others, strict=True))}
            for file, *of_others in zip(files, *others.values(), strict=True)
        }


def _kept(tool: str, file: Path) -> list[Message]:
    key = hashlib.sha256(file.read_bytes()).hexdigest()[:16]
    kept = _KEPT / f"{tool}-{TOOLS[tool].version}" / f"{key}.json"
    if not kept.exists():
        found = TOOLS[tool].run([file])[file]
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps([asdict(message) for message in found]), "utf-8")
    return [Message(**fields) for fields in json.loads(kept.read_text("utf-8"))]


def shared(document: str, by_tool: ByTool) -> Iterator[Shared]:
    """Yield the errors that two other tools have at one place, and we do not.

    A message without a place cannot be compared.
    """
    others = {
        tool: [m for m in by_tool[tool] if m.rule not in advice] for tool, advice in _ADVICE.items()
    }
    for first, second in combinations(others, 2):
        for one in others[first]:
            for other in others[second]:
                is_error = one.is_error or other.is_error
                if is_error and _near(one, other) and not _ours(by_tool[OURS], one, other):
                    yield Shared(document, (f"{first} {one.rule}", f"{second} {other.rule}"))


def _ours(ours: Sequence[Message], one: Message, other: Message) -> bool:
    return any(_near(message, one) or _near(message, other) for message in ours)


def _near(one: Message, other: Message) -> bool:
    """Return whether two messages are about one object, or an object and one of its fields."""
    first, second = sorted((split(one.pointer), split(other.pointer)), key=len)
    return bool(first) and second[: len(first)] == first and len(second) - len(first) <= 1

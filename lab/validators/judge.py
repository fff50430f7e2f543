"""Whether a tool finds a fault: its messages about the broken document, and not the control."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from lab.validators.faults import DOCUMENT, Fault
from lab.validators.tools import TOOLS, Message


def found(faults: Sequence[Fault], tool: str) -> Mapping[str, list[Message]]:
    """Return the messages of a tool about each fault, by its name; none if it does not find it.

    Advice that applies to both documents cancels out, so these are the effects of the fault.
    Messages of rules that a reader found unrelated are left out.
    """
    with TemporaryDirectory() as directory:
        broken = {fault.name: Path(directory, "broken", fault.name, DOCUMENT) for fault in faults}
        control = {fault.name: Path(directory, "control", fault.name, DOCUMENT) for fault in faults}
        for fault in faults:
            _write(broken[fault.name], fault.broken)
            _write(control[fault.name], fault.control)
        messages = TOOLS[tool].run([*broken.values(), *control.values()])
    return {
        fault.name: [
            message
            for message in _added(messages[broken[fault.name]], messages[control[fault.name]])
            if message.rule not in fault.unrelated.get(tool, ())
        ]
        for fault in faults
    }


def _write(file: Path, content: bytes) -> None:
    file.parent.mkdir(parents=True)
    file.write_bytes(content)


def _added(broken: Sequence[Message], control: Sequence[Message]) -> Iterator[Message]:
    """Yield the messages that another document has no counterpart of."""
    # Lines and places move with the edit.
    known = Counter((message.rule, message.text) for message in control)
    for message in sorted(broken):
        if known[message.rule, message.text] > 0:
            known[message.rule, message.text] -= 1
        else:
            yield message

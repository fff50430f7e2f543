"""A stand-in for systemd: it reads unit files, and runs their processes with their ports."""

from __future__ import annotations

import shlex
import signal
import socket
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from .running import DEADLINE, activated, environment


def unit(text: str) -> Mapping[str, list[str]]:
    """Return the settings of a unit, which may occur several times."""
    settings = defaultdict(list)
    for line in text.splitlines():
        name, is_setting, value = line.partition("=")
        if is_setting and not line.startswith("#"):
            settings[name].append(value)
    return settings


def variables(text: str) -> dict[str, str]:
    """Return the variables of a line, or of a file."""
    lines = [shlex.split(line) for line in text.splitlines() if not line.startswith("#")]
    return dict(word.split("=", 1) for line in lines for word in line)


class Systemd:
    """Units of a directory that are started and stopped."""

    def __init__(self, units: Path) -> None:
        self._units = units
        self._ports: dict[str, socket.socket] = {}
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str) -> None:
        """Start a service and wait until it is ready, or open a socket."""
        settings = self._read(name)
        if name.endswith(".socket"):
            host, number = settings["ListenStream"][0].split(":")
            backlog = int(settings["Backlog"][0])
            self._ports[name] = socket.create_server((host, int(number)), backlog=backlog)
            return
        [file], [directory] = settings["EnvironmentFile"], settings["WorkingDirectory"]
        Path(directory).mkdir(parents=True, exist_ok=True)
        port = self._ports[settings["Requires"][0]]
        with (
            # A short path: the name of a socket has a hundred characters at most.
            tempfile.TemporaryDirectory(prefix="notify-") as place,
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager,
        ):
            manager.bind(f"{place}/socket")
            manager.settimeout(DEADLINE)
            self._processes[name] = subprocess.Popen(
                activated(port, shlex.split(settings["ExecStart"][0])),
                cwd=directory,
                env={
                    **environment({"NOTIFY_SOCKET": f"{place}/socket"}),
                    **variables("\n".join(settings["Environment"])),
                    **variables(Path(file).read_text("utf-8")),
                },
                pass_fds=[port.fileno()],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            assert manager.recv(100) == b"READY=1"

    def stop(self, name: str) -> None:
        """Stop a service and wait for its end, or close a socket."""
        if name.endswith(".socket"):
            self._ports.pop(name).close()
            return
        process = self._processes.pop(name)
        process.send_signal(signal.SIGTERM)
        assert process.wait(DEADLINE) == 0

    def close(self) -> None:
        """Kill and close what is left."""
        for process in self._processes.values():
            process.kill()
            process.wait()
        for port in self._ports.values():
            port.close()

    def _read(self, name: str) -> Mapping[str, list[str]]:
        template, _, rest = name.partition("@")
        instance, _, kind = rest.partition(".")
        text = (self._units / f"{template}@.{kind}").read_text("utf-8")
        return unit(text.replace("%i", instance))

"""A document with what is made of it: its package, a mock, and the exchanges of both."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import quote

from lab.wire.calls import Call, Calls, NoValueError
from lab.wire.judge import Judge
from lab.wire.proof import Proof, Recorded, Trial, base_path, connected, made
from specwright.check.sound import Sound, sound
from specwright.conformance.recording.exchange import Exchange, HttpRequest, HttpResponse
from specwright.document.model import Document
from specwright.document.operations.sites import OperationSite
from specwright.document.sources.load import load, load_in_part
from specwright.document.sources.upgrade import upgrade
from specwright.errors import InputError
from specwright.ir.model.api import Api, OperationGroup
from specwright.ir.model.operations import OperationDefinition
from specwright.mock.application import Mock
from tests.serving import Server


@dataclass
class Subject:
    """A document in a file, and a directory for what is made of it.

    Attributes:
        exchanges: those of the generated client with the mock, once the client was called.
        base_url: the URL that these requests have in common.
    """

    file: Path
    place: Path
    exchanges: list[Exchange] = field(default_factory=list)
    base_url: str = ""

    @cached_property
    def sound(self) -> Sound:
        """The part of the document that mock and tests use."""
        return sound(upgrade(load(self.file)))

    @property
    def is_refused(self) -> bool:
        """Whether mock and tests refuse the document, or leave a part of it out."""
        try:
            return bool(self.sound.errors)
        except InputError:
            return True

    @cached_property
    def package(self) -> tuple[Document, Api, ModuleType]:
        """The normalised document, its operations, and the generated package."""
        return made(load_in_part(self.file), self.place)

    @cached_property
    def mock(self) -> Mock:
        """The mock of the document."""
        return Mock(self.sound.document)

    @cached_property
    def sites(self) -> dict[str, OperationSite]:
        """The operations of the mock by their places."""
        return {site.pointer: site for site in self.mock.routes.operations}

    @cached_property
    def calls(self) -> list[Call]:
        """The calls of the generated client."""
        calls = Calls(*self.package)
        return [call for pair in self.operations for call in _calls(calls, *pair)]

    @cached_property
    def operations(self) -> list[tuple[OperationGroup, OperationDefinition]]:
        """The operations of the package, without those that mock and tests leave out."""
        return [
            (group, operation)
            for group in self.package[1].groups
            for operation in group.operations
            if operation.pointer in self.sites
        ]

    def prove(self, mock: Mock, judge: Judge) -> Proof:
        """Have the generated client make its calls to a mock; a judge reads the requests."""
        normal, api, package = self.package
        proof = Proof()
        recorded = Recorded(mock)
        tap = _Tap(recorded, self.exchanges)
        with Server(tap) as server:
            tap.url = server.url
            self.base_url = server.url + base_path(self.mock)
            with connected(api, package, self.base_url) as client:
                calls = Calls(normal, api, package)
                trial = Trial(judge, recorded, client, package, calls, proof, self.sites)
                for group, operation in self.operations:
                    trial.operation(group, operation)
        return proof


def _calls(calls: Calls, *operation: Any) -> Iterator[Call]:
    try:
        yield from calls.of(*operation)
    except NoValueError:
        # The calls themselves report it.
        return


class _Tap:
    """An application that keeps the exchanges of another one."""

    def __init__(self, app: Any, exchanges: list[Exchange]) -> None:
        self.url = ""
        self._app, self._exchanges = app, exchanges

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        bodies: tuple[list[bytes], list[bytes]] = ([], [])
        start: dict[str, Any] = {}

        async def received() -> Any:
            message = await receive()
            bodies[0].append(message.get("body", b""))
            return message

        async def sent(message: Any) -> None:
            start.update(message)
            bodies[1].append(message.get("body", b""))
            await send(message)

        await self._app(scope, received, sent)
        query = scope["query_string"].decode("latin-1")
        path = quote(scope["raw_path"], safe="/%:@!$&'()*+,;=~")
        url = f"{self.url}{path}{'?' if query else ''}{query}"
        body = b"".join(bodies[0])
        request = HttpRequest(scope["method"], url, _texts(scope["headers"]), body or None)
        response = HttpResponse(start["status"], _texts(start["headers"]), b"".join(bodies[1]))
        number = len(self._exchanges) + 1
        self._exchanges.append(
            Exchange(number, "client", "", None, request, response, None, time.time(), 0.0)
        )


def _texts(headers: Any) -> Any:
    return tuple((name.decode("latin-1"), text.decode("latin-1")) for name, text in headers)

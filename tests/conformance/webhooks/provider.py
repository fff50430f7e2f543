"""A small provider of webhooks with a contract of its own, which can be told to break it."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import ssl
import threading
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2

# A parcel is due 90 minutes after it was sent.
DUE, SOONEST, LATEST = 5_400, 3_600, 7_200
# The boxes at first, of which one is lost, and below how many of them more are needed.
BOXES, FEW = 3, 2
TIMEOUT = 1
PAUSES = [2, 2]
WITHIN = 3


def _webhook(name: str, operation: str, scenario: str | None, **more: Any) -> dict[str, Any]:
    headers = ("Parcel-Event", "Parcel-Kind", "Parcel-Mac")
    text = {"type": "string"}
    return {
        "post": {
            "operationId": name.replace(".", "_"),
            "parameters": [
                {"name": header, "in": "header", "required": True, "schema": text}
                for header in headers
            ],
            "requestBody": {
                "required": True,
                "content": {
                    "application/json": {
                        "schema": {
                            "type": "object",
                            "properties": {
                                "event": text,
                                "kind": {"const": name},
                                "weight": {"type": "integer"},
                                "due": {"type": "string", "format": "date-time"},
                            },
                            "required": ["event", "kind", "weight"],
                        }
                    }
                },
            },
            "responses": {"2XX": {"description": "Received."}, "default": {"description": "Not."}},
            "x-contract-delivery": {
                "retry_after_seconds": PAUSES,
                "success": "2XX",
                "connect_timeout_seconds": 1,
                "timeout_seconds": TIMEOUT,
                "event_id_header": "Parcel-Event",
                "event_type_header": "Parcel-Kind",
                "event_id": "/event",
                "event_type": "/kind",
            },
            "x-contract-signature": {
                "header": "Parcel-Mac",
                "template": "mac={digest};at={timestamp}",
                "payload": "{timestamp}\n{body}",
                "algorithm": "hmac-sha256",
                "encoding": "hex",
                "tolerance_seconds": 300,
                "secret": "text",
            },
            "x-contract-trigger": {
                "operation": operation,
                "scenario": scenario,
                "within_seconds": WITHIN,
                **more,
            },
        }
    }


def _operation(name: str, status: str, **members: Any) -> dict[str, Any]:
    return {"operationId": name, "responses": {status: {"description": "Done."}}, **members}


_ID = [{"name": "hook", "in": "path", "required": True, "schema": {"type": "string"}}]
_HOOK = {
    "type": "object",
    "properties": {
        "target": {"type": "object", "properties": {"address": {"type": "string"}}},
        "wanted": {"type": "array", "items": {"type": "string"}},
        "key": {"type": "object", "properties": {"text": {"type": "string"}}},
        "number": {"type": "integer"},
    },
}
_BOXES = {
    "type": "object",
    "properties": {"left": {"type": "integer"}, "few": {"type": "integer"}},
    "required": ["left", "few"],
}
DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.1",
    "info": {"title": "Parcels", "version": "1"},
    "paths": {
        "/parcels": {
            "post": _operation(
                "sendParcel",
                "201",
                requestBody={
                    "content": {
                        "application/json": {
                            "schema": {"type": "object"},
                            "examples": {
                                each: {"value": {}} for each in ("plain", "fragile", "lost")
                            },
                        }
                    }
                },
            )
        },
        "/boxes": {
            "get": {
                "operationId": "countBoxes",
                "responses": {
                    "200": {
                        "description": "Counted.",
                        "content": {"application/json": {"schema": _BOXES}},
                    }
                },
            }
        },
        "/hooks": {
            "post": {
                "operationId": "addHook",
                "requestBody": {"content": {"application/json": {"schema": _HOOK}}},
                "responses": {
                    "201": {
                        "description": "Added.",
                        "content": {"application/json": {"schema": _HOOK}},
                    }
                },
                "x-contract-webhook-endpoint": {
                    "url": "/target/address",
                    "event_types": "/wanted",
                    "id": "/number",
                    "secret": "/key/text",
                    "remove": "dropHook",
                    "test": "pingHook",
                },
            }
        },
        "/hooks/{hook}": {"delete": _operation("dropHook", "204", parameters=_ID)},
        "/hooks/{hook}/ping": {"post": _operation("pingHook", "202", parameters=_ID)},
    },
    "webhooks": {
        "parcel.sent": _webhook(
            "parcel.sent",
            "sendParcel",
            None,
            carries={"at": "/weight", "values": ["5"]},
            ahead={"at": "/due", "least_seconds": SOONEST, "most_seconds": LATEST},
        ),
        "parcel.broken": _webhook(
            "parcel.broken",
            "sendParcel",
            "fragile",
            carries={"at": "/weight", "values": ["5", "7"]},
        ),
        "boxes.few": _webhook(
            "boxes.few",
            "sendParcel",
            None,
            falls={"read": "countBoxes", "at": "/left", "below": "/few"},
        ),
        "hook.ping": _webhook("hook.ping", "pingHook", None),
    },
}


@dataclass
class Hook:
    number: int
    url: str
    wanted: list[str]
    secret: str
    is_gone: bool = False


@dataclass
class Event:
    id: str
    kind: str
    weight: int | str = 5
    due: str = field(default_factory=lambda: soon(DUE))

    def body(self, **layout: Any) -> bytes:
        shown = {"event": self.id, "kind": self.kind, "weight": self.weight, "due": self.due}
        return json.dumps(shown, **layout).encode()


def soon(seconds: float) -> str:
    return (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat()


@dataclass
class Attempt:
    """A delivery before a fault has changed it."""

    body: bytes
    headers: dict[str, str]


@dataclass
class Provider:
    """Follows its contract; each fault overrides one of the small methods."""

    authority: Path
    hooks: dict[int, Hook] = field(default_factory=dict)
    stopped: threading.Event = field(default_factory=threading.Event)
    threads: list[threading.Thread] = field(default_factory=list)
    boxes: int = BOXES
    follows_redirects = False
    timeout = float(TIMEOUT)

    def __enter__(self) -> Provider:
        trust = ssl.create_default_context(cafile=str(self.authority))
        self.http = httpx2.Client(
            verify=trust,
            timeout=self.timeout,
            follow_redirects=self.follows_redirects,
            trust_env=False,
        )
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=[0.02])
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopped.set()
        self.server.shutdown()
        self.server.server_close()
        for thread in (self.thread, *self.threads):
            thread.join()
        self.http.close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                length = int(self.headers.get("Content-Length", 0))
                body = json.loads(self.rfile.read(length) or b"{}")
                status, shown = provider.handle(self.command, self.path, body)
                data = json.dumps(shown).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data) if status != 204 else 0))
                self.end_headers()
                if status != 204:
                    self.wfile.write(data)

            do_GET = do_POST = do_DELETE = answer  # noqa: N815

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        return Handler

    def handle(self, method: str, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        _, first, *rest = path.split("/")
        if first == "boxes":
            return 200, {"left": self.boxes, "few": FEW}
        if first == "parcels":
            self.boxes -= 1
            kinds = [] if body.get("lost") else self.kinds(bool(body.get("fragile")))
            for kind in [*kinds, *(["boxes.few"] if self.is_short() else [])]:
                for weight in self.weights(kind):
                    self.emit(Event(secrets.token_hex(8), kind, weight))
            return 201, {}
        if first != "hooks":
            return 404, {}
        if not rest:
            hook = Hook(
                len(self.hooks) + 1,
                body["target"]["address"],
                body["wanted"],
                base64.b64encode(secrets.token_bytes(24)).decode(),
            )
            self.hooks[hook.number] = hook
            return 201, {"number": hook.number, "key": {"text": hook.secret}}
        hook = self.hooks[int(rest[0])]
        if method == "DELETE":
            hook.is_gone = True
            return 204, None
        self.start(hook, Event(secrets.token_hex(8), "hook.ping"))
        return 202, {}

    def kinds(self, is_fragile: bool) -> list[str]:
        return ["parcel.sent", "parcel.broken"] if is_fragile else ["parcel.sent"]

    def weights(self, kind: str) -> list[int]:
        return [5, 7] if kind == "parcel.broken" else [5]

    def is_short(self) -> bool:
        """Whether there are few boxes since this one."""
        return self.boxes == FEW - 1

    def emit(self, event: Event) -> None:
        for hook in self.hooks.values():
            if self.is_addressed(hook, event):
                self.start(hook, event)

    def is_addressed(self, hook: Hook, event: Event) -> bool:
        return not hook.is_gone and event.kind in hook.wanted

    def start(self, hook: Hook, event: Event) -> None:
        thread = threading.Thread(target=self.deliver, args=[hook, event])
        self.threads.append(thread)
        thread.start()

    def deliver(self, hook: Hook, event: Event) -> None:
        for number, pause in enumerate([*self.pauses(), None]):
            if self.is_over(hook) or self.stopped.is_set():
                return
            attempt = self.attempt(hook, event, number)
            if self.post(hook, attempt) or pause is None:
                self.after(hook, attempt)
                return
            self.stopped.wait(pause)

    def pauses(self) -> list[float]:
        return list(PAUSES)

    def is_over(self, hook: Hook) -> bool:
        return hook.is_gone

    def post(self, hook: Hook, attempt: Attempt) -> bool:
        try:
            answer = self.http.post(hook.url, content=attempt.body, headers=attempt.headers)
        except httpx2.TransportError:
            return False
        return bool(answer.is_success)

    def after(self, hook: Hook, attempt: Attempt) -> None:
        """Do nothing more."""

    def attempt(self, hook: Hook, event: Event, number: int) -> Attempt:
        body = event.body()
        headers = {
            "Content-Type": "application/json",
            "Parcel-Event": event.id,
            "Parcel-Kind": event.kind,
            "Parcel-Mac": self.sign(hook.secret.encode(), body, int(time.time())),
        }
        return Attempt(body, headers)

    def sign(self, key: bytes, body: bytes, at: int) -> str:
        digest = hmac.new(key, str(at).encode() + b"\n" + body, hashlib.sha256).hexdigest()
        return f"mac={digest};at={at}"

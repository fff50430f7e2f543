"""openai."""

from __future__ import annotations

import json
import logging
import time
from typing import Any

import openai
from openai.types import webhooks as events
from outcome import NotOfferedError

from . import signatures
from .member import Member

KEY = "sk-proj-" + "3fq8zd1x" * 6
CREDENTIAL = "Authorization"
ERRORS = (openai.OpenAIError, openai.InvalidWebhookSignatureError)
RESOURCE: dict[str, Any] = {
    "id": "file-1",
    "object": "file",
    "bytes": 120000,
    "created_at": 1677610602,
    "filename": "salesOverview.pdf",
    "purpose": "batch",
    "status": "processed",
    "status_details": "fine",
}
REQUIRED = "filename"
REFERENCE = b"never"
CREATED: dict[str, Any] = {
    "id": "batch_1",
    "object": "batch",
    "completion_window": "24h",
    "created_at": 1711471533,
    "endpoint": "/v1/embeddings",
    "input_file_id": "file-1",
    "status": "validating",
}
IN_PROGRESS = "conflict"
PAGE = {"object": "list", "data": [RESOURCE], "has_more": True}
EVENT: dict[str, Any] = {
    "id": "evt_1",
    "object": "event",
    "created_at": 1719168000,
    "type": "response.completed",
    "data": {"id": "resp_1"},
}
KNOWN_EVENTS = {name for name in dir(events) if name.endswith("Event")}


def client(base: str, key: str = KEY, **options: Any) -> openai.OpenAI:
    options.pop("deadline", None)
    if "headers" in options:
        options["default_headers"] = options.pop("headers")
    if "proxy" in options:
        options["http_client"] = openai.DefaultHttpxClient(proxy=options.pop("proxy"))
    return openai.OpenAI(
        api_key=key, base_url=base, webhook_secret=signatures.STANDARD_SECRET, **options
    )


def async_client(base: str, **options: Any) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(api_key=KEY, base_url=base, **options)


def get(client: openai.OpenAI, name: str = "file-1") -> Any:
    return client.files.retrieve(name)


def _file(url: str) -> Any:
    return get(client(url))


OPTIONAL = Member(RESOURCE, _file, "status_details", "status_details")
NULLABLE = OPTIONAL
ENUM = Member(RESOURCE, _file, "purpose", "purpose")
TEXT = Member(RESOURCE, _file, "filename", "filename")
NUMBER = Member(RESOURCE, _file, "bytes", "bytes")
INSTANT = None


async def get_async(client: openai.AsyncOpenAI) -> Any:
    return await client.files.retrieve("file-1")


def named(name: str) -> dict[str, Any]:
    return {**RESOURCE, "id": name}


def name_of(model: Any) -> str:
    return str(model.id)


def create(client: openai.OpenAI) -> object:
    return client.batches.create(
        completion_window="24h", endpoint="/v1/embeddings", input_file_id="file-1"
    )


create_safely = create


def mistake(client: openai.OpenAI) -> object:
    return client.files.retrieve("")


def iterate(client: openai.OpenAI) -> Any:
    return client.files.list()


def failure(code: str) -> dict[str, Any]:
    return {"error": {"message": "No.", "type": "invalid_request_error", "code": code}}


def is_given(model: Any, member: Member) -> bool:
    return member.attribute in model.model_fields_set


def extra(model: Any, name: str) -> object:
    return (model.model_extra or {}).get(name)


def status(error: Any) -> int:
    return int(error.status_code)


def log_all() -> None:
    logging.getLogger("openai").setLevel(logging.DEBUG)


sign = signatures.standard


def rotated(headers: dict[str, str]) -> dict[str, str]:
    both = f"{signatures.OLD_STANDARD} {headers['webhook-signature']}"
    return {**headers, "webhook-signature": both}


def in_other_case(headers: dict[str, str]) -> dict[str, str]:
    raise NotOfferedError("digests are in base64")


def receive(body: bytes, headers: dict[str, str]) -> object:
    return client("http://127.0.0.1").webhooks.unwrap(body, headers)


def read_event(event: dict[str, Any], server: Any) -> Any:
    body = json.dumps(event).encode()
    return receive(body, sign(body, time.time()))

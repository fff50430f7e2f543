"""svix."""

from __future__ import annotations

import logging
from typing import Any

from outcome import NotOfferedError
from standardwebhooks import WebhookVerificationError
from svix.api import Svix, SvixAsync, SvixOptions
from svix.api.errors.http_error import HttpError
from svix.api.errors.http_validation_error import HTTPValidationError
from svix.models import ApplicationIn
from svix.webhooks import Webhook

from . import signatures
from .member import Member

KEY = "testsk_" + "3fq8zd1x" * 6
CREDENTIAL = "Authorization"
ERRORS = (HttpError, HTTPValidationError, WebhookVerificationError)
RESOURCE: dict[str, Any] = {
    "id": "app_1",
    "uid": "ours",
    "name": "Ada",
    "throttleRate": 5,
    "metadata": {},
    "createdAt": "2026-01-01T00:00:00Z",
    "updatedAt": "2026-01-01T00:00:00Z",
}
TASK: dict[str, Any] = {
    "id": "qtask_1",
    "data": {},
    "status": "running",
    "task": "endpoint.replay",
    "updatedAt": "2026-01-01T00:00:00Z",
}
REQUIRED = "name"
REFERENCE = b"never"
CREATED = RESOURCE
IN_PROGRESS = "conflict"
PAGE: dict[str, Any] = {"data": [RESOURCE], "done": False, "iterator": "same", "prevIterator": None}
EVENT: dict[str, Any] = {"type": "invoice.paid", "id": 1}
KNOWN_EVENTS: set[str] = set()


def _options(options: dict[str, Any], base: str) -> SvixOptions:
    options.pop("deadline", None)
    if "headers" in options:
        raise NotOfferedError("no headers of one's own")
    if "max_retries" in options:
        count = options.pop("max_retries")
        if count < 0:
            raise NotOfferedError("a list of pauses instead")
        options["retry_schedule"] = [0.05] * count
    return SvixOptions(server_url=base, **options)


def client(base: str, key: str = KEY, **options: Any) -> Svix:
    return Svix(key, _options(options, base))


def async_client(base: str, **options: Any) -> SvixAsync:
    return SvixAsync(KEY, _options(options, base))


def get(client: Svix, name: str = "app_1") -> Any:
    return client.application.get(name)


def _application(url: str) -> Any:
    return get(client(url))


def _task(url: str) -> Any:
    return client(url).background_task.get("qtask_1")


OPTIONAL = Member(RESOURCE, _application, "uid", "uid")
NULLABLE = OPTIONAL
ENUM = Member(TASK, _task, "status", "status")
TEXT = Member(RESOURCE, _application, "name", "name")
NUMBER = Member(RESOURCE, _application, "throttleRate", "throttle_rate")
INSTANT = Member(RESOURCE, _application, "createdAt", "created_at")


async def get_async(client: SvixAsync) -> Any:
    return await client.application.get("app_1")


def named(name: str) -> dict[str, Any]:
    return {**RESOURCE, "id": name}


def name_of(model: Any) -> str:
    return str(model.id)


def create(client: Svix) -> object:
    return client.application.create(ApplicationIn(name="Ada"))


create_safely = create


def mistake(client: Svix) -> object:
    return client.application.create(ApplicationIn())


def iterate(client: Svix) -> Any:
    raise NotOfferedError("pages are fetched by hand")


def failure(code: str) -> dict[str, Any]:
    return {"code": code, "detail": "No."}


def is_given(model: Any, member: Member) -> bool:
    return member.attribute in model.model_fields_set


def extra(model: Any, name: str) -> object:
    return (model.model_extra or {}).get(name)


def status(error: Any) -> int:
    return int(error.status_code)


def log_all() -> None:
    logging.getLogger("svix").setLevel(logging.DEBUG)


def sign(body: bytes, moment: float) -> dict[str, str]:
    headers = signatures.standard(body, moment)
    return {name.replace("webhook", "svix"): value for name, value in headers.items()}


def rotated(headers: dict[str, str]) -> dict[str, str]:
    both = f"{signatures.OLD_STANDARD} {headers['svix-signature']}"
    return {**headers, "svix-signature": both}


def in_other_case(headers: dict[str, str]) -> dict[str, str]:
    raise NotOfferedError("digests are in base64")


def receive(body: bytes, headers: dict[str, str]) -> object:
    return Webhook(signatures.STANDARD_SECRET).verify(body, headers)


def read_event(event: dict[str, Any], server: Any) -> Any:
    raise NotOfferedError("verifies and does not read")

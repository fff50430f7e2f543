"""HTTP applications from implementations of the generated Protocols."""

from __future__ import annotations

import asyncio
import logging
import os
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect
from starlette.routing import BaseRoute, Match
from starlette.types import Lifespan, Receive, Scope, Send

from ..shared.auth.digest import DigestOptions
from ..shared.auth.scheme import Scheme
from ..shared.codec import Codecs, shortened
from ..shared.operation import ErrorShape, Operation, Security
from .authentication import Authenticate, Authentication
from .context import Context
from .digest import DigestGuard
from .endpoint import Conduct, Endpoint
from .hooks import RateLimitClass, RateLimiter
from .implementations import Group, bound_handlers
from .paths import Paths
from .problems import ErrorWriter, Problem, ServerResponse

logger = logging.getLogger(__name__.partition(".")[0])

MAX_BODY = 1024 * 1024

_SAFE = frozenset(("GET", "HEAD", "OPTIONS"))
_REQUEST_ID = re.compile(r"[\x21-\x7e]{1,128}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The rules of a contract that apply to all operations.

    Attributes:
        schemes: the security schemes of the operations, by their names in the document.
        max_body: maximum bytes of a request body; None if the contract sets no limit.
        rate_headers: names of the headers for policy, state and retry.
    """

    errors: ErrorShape
    schemes: Mapping[str, Scheme] = field(default_factory=dict[str, Scheme])
    max_body: int | None = None
    rate_limits: tuple[RateLimitClass, ...] = ()
    rate_headers: tuple[str | None, str | None, str | None] = (None, None, "Retry-After")


class Hooks(TypedDict, total=False):
    """The hooks that an application provides."""

    authenticate: Authenticate | None
    rate_limiter: RateLimiter | None


class Options(TypedDict, total=False):
    """Options of `create_app`.

    unimplemented: for operations without a handler, and handlers without an operation: `error`
        raises an `ImplementationError` (the default), `501` logs a warning of each and responds
        with 501 to such operations.
    check_responses: respond with 500 if a response breaks the contract (default: True).
    refuse_unknown_query: reject query parameters that the operation does not declare.
    refuse_unsafe_paths: reject path parameters that are `.` or `..`, or contain a slash, a
        backslash or NUL, which are unsafe in the names of files.
    as_problem: returns the Problem that an exception of a handler means, such as one of the
        database; or None for a 500.
    request_id: returns the id of a request, given the client's id or None.
    max_body: maximum bytes of a request body if the contract sets no limit (default: 1 MiB).
    prefix: path prefix of the operations, such as `/api/v1`.
    digest: the challenges of HTTP Digest, if the document has such a security scheme.
    middleware, lifespan: as in Starlette.
    """

    unimplemented: Literal["error", "501"]
    check_responses: bool
    refuse_unknown_query: bool
    refuse_unsafe_paths: bool
    as_problem: Callable[[Exception], Problem | None]
    request_id: Callable[[str | None], str]
    max_body: int
    prefix: str
    digest: DigestOptions
    middleware: Sequence[Middleware]
    lifespan: Lifespan[Starlette]


def bind(
    groups: Sequence[Group],
    *,
    codecs: Codecs,
    policy: Policy,
    hooks: Hooks,
    options: Options,
) -> Starlette:
    """Return an application of the implementations; more routes and mounts may be added to it.

    Raises:
        ImplementationError: a handler takes other arguments than its operation has, or
            `unimplemented` is `error` and a handler or its operation is missing.
    """
    bound = bound_handlers(groups, respond_501=options.get("unimplemented") == "501")
    conduct = Conduct(
        codecs=codecs,
        errors=ErrorWriter(policy.errors, codecs),
        max_body=policy.max_body or options.get("max_body", MAX_BODY),
        check_responses=options.get("check_responses", True),
        refuse_unknown_query=options.get("refuse_unknown_query", False),
        refuse_unsafe_paths=options.get("refuse_unsafe_paths", False),
        query_keys=frozenset(
            scheme.name for scheme in policy.schemes.values() if scheme.location == "query"
        ),
    )
    endpoints = [Endpoint(operation, handler, conduct) for operation, handler in bound]
    service = _Service(endpoints, conduct.errors, policy, hooks, options)
    return _Application(
        routes=[service],
        middleware=options.get("middleware"),
        lifespan=options.get("lifespan"),
    )


class _Application(Starlette):
    """An application that skips routing while it has only one route."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to a request; the service handles all errors, so that no middleware has to."""
        if scope["type"] == "http" and len(self.routes) == 1 and not self.user_middleware:
            scope["app"] = self
            await self.routes[0].handle(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)


class _Service(BaseRoute):
    """All operations as one route, which also responds to requests that match no operation."""

    def __init__(
        self,
        endpoints: Sequence[Endpoint],
        errors: ErrorWriter,
        policy: Policy,
        hooks: Hooks,
        options: Options,
    ) -> None:
        operations = [endpoint.operation for endpoint in endpoints]
        self._paths = Paths(endpoints, options.get("prefix", ""))
        self._errors = errors
        authenticate = hooks.get("authenticate")
        guard = DigestGuard(options.get("digest", DigestOptions()))
        self._authentication = authenticate and Authentication(policy.schemes, authenticate, guard)
        self._common_security = _common_security(operations)
        self._rate_limiter = hooks.get("rate_limiter")
        self._rate_limits = {limit.name: limit for limit in policy.rate_limits}
        self._rate_headers = policy.rate_headers
        self._common_limits = {safe: _common_limit(operations, safe) for safe in (True, False)}
        self._as_problem = options.get("as_problem")
        self._request_id = options.get("request_id", _request_id)
        self._request_id_header = (policy.errors.request_id_header or "").lower().encode()

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Match every HTTP request that no other route of the application matches."""
        return (Match.PARTIAL if scope["type"] == "http" else Match.NONE), {}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to a request, even if its handler fails."""
        context = Context(scope, receive)
        sent = context.fields.get(self._request_id_header)
        context.request_id = self._request_id(sent.decode("latin-1") if sent else None)
        tasks: Sequence[BackgroundTask] = ()
        try:
            try:
                response = await self._respond(context)
                tasks = context.tasks
            except Exception as error:
                problem = self._problem(error)
                if problem is None:
                    raise
                response = self._errors.response(problem, context.request_id, context.operation)
            headers = {**context.rate_headers, **context.headers, **response.headers}
            fields = self._fields(headers, response, context)
        except ClientDisconnect:
            return
        except Exception:
            tasks = ()
            logger.exception("%s %s failed, request %s", *_named(context))
            failure = Problem("internal_error", "The server failed to handle this request.")
            response = self._errors.response(failure, context.request_id, context.operation)
            # The handler's own headers may be at fault.
            fields = self._fields({**context.rate_headers, **response.headers}, response, context)
        await send({"type": "http.response.start", "status": response.status, "headers": fields})
        if scope["method"] == "HEAD":
            await send({"type": "http.response.body", "body": b""})
        elif isinstance(response.body, bytes):
            await send({"type": "http.response.body", "body": response.body})
        else:
            await _send_parts(response.body, receive, send)
        for task in tasks:
            try:
                await task()
            except Exception:
                logger.exception("a task after %s %s failed, request %s", *_named(context))

    def _problem(self, error: Exception) -> Problem | None:
        if isinstance(error, Problem):
            return error
        return None if self._as_problem is None else self._as_problem(error)

    def _fields(
        self, headers: Mapping[str, str], response: ServerResponse, context: Context
    ) -> list[tuple[bytes, bytes]]:
        fields = [(k.lower().encode("latin-1"), v.encode("latin-1")) for k, v in headers.items()]
        if self._request_id_header:
            fields.append((self._request_id_header, context.request_id.encode("latin-1")))
        if response.status != 204 and isinstance(response.body, bytes):
            fields.append((b"content-length", b"%d" % len(response.body)))
        return fields

    async def _respond(self, context: Context) -> ServerResponse:
        method = context.scope["method"]
        methods, path_texts = self._paths.find(context.scope)
        endpoint = methods.get(method)
        if endpoint is None and method == "HEAD":
            endpoint = methods.get("GET")
        if endpoint is None and method == "OPTIONS" and methods:
            return ServerResponse(204, b"", _allow(methods))
        if endpoint is None:
            security, limit = self._common_security, self._common_limits[method in _SAFE]
        else:
            operation = context.operation = endpoint.operation
            security, limit = operation.security, operation.rate_limit
        if security and self._authentication:
            context.principal = await self._authentication.principal(security, context)
        if limit and self._rate_limiter:
            await self._count(self._rate_limiter, self._rate_limits[limit], context)
        if endpoint is not None:
            return await endpoint(context, path_texts)
        if methods:
            message = f"This path does not support {method}."
            raise Problem("method_not_allowed", message, headers=_allow(methods))
        raise Problem("route_not_found", "There is nothing at this path.")

    async def _count(self, limiter: RateLimiter, limit: RateLimitClass, context: Context) -> None:
        allowance = await limiter.take(limit, context)
        most = limit.limit if allowance.limit is None else allowance.limit
        seconds = allowance.reset_seconds
        policy, state, retry = self._rate_headers
        if policy:
            context.rate_headers[policy] = f'"{limit.name}";q={most};w={limit.window_seconds}'
        if state:
            context.rate_headers[state] = f'"{limit.name}";r={allowance.remaining};t={seconds}'
        if not allowance.allowed:
            message = f"At most {most} requests are allowed in {limit.window_seconds} seconds."
            headers = {retry: str(seconds)} if retry else {}
            raise Problem("rate_limited", message, headers=headers)


async def _send_parts(parts: AsyncIterator[bytes], receive: Receive, send: Send) -> None:
    """Send a body in chunks; stop if the client disconnects."""

    async def sent() -> None:
        async for part in parts:
            await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    async def gone() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass

    sending, leaving = asyncio.create_task(sent()), asyncio.create_task(gone())
    try:
        await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
        if sending.done():
            await sending
    finally:
        for task in (sending, leaving):
            task.cancel()
        await asyncio.gather(sending, leaving, return_exceptions=True)


def _named(context: Context) -> tuple[str, str, str]:
    # A decoded path may have line breaks, which would look like other entries.
    path = shortened(context.scope["path"].encode("unicode_escape").decode())
    return context.scope["method"], path, context.request_id


def _allow(methods: Mapping[str, object]) -> dict[str, str]:
    implied = {"OPTIONS", *(("HEAD",) if "GET" in methods else ())}
    return {"Allow": ", ".join(sorted(implied.union(methods)))}


def _common_security(operations: Sequence[Operation[Any]]) -> Security:
    # Without credentials, callers cannot find out which paths exist.
    if not all(operation.secured for operation in operations):
        return ()
    alternatives: list[Mapping[str, tuple[str, ...]]] = []
    for operation in operations:
        alternatives += [
            alternative for alternative in operation.security if alternative not in alternatives
        ]
    return tuple(alternatives)


def _common_limit(operations: Sequence[Operation[Any]], safe: bool) -> str | None:
    # A request that matches no operation also counts if only one limit can apply.
    limits = {
        operation.rate_limit for operation in operations if (operation.method in _SAFE) is safe
    }
    return limits.pop() if len(limits) == 1 else None


def _request_id(sent: str | None) -> str:
    return sent if sent and _REQUEST_ID.fullmatch(sent) else os.urandom(16).hex()

"""POST /orders with Starlette and Pydantic, as one would write it by hand."""

import json
import secrets

from orders import OrderCreate, made_from
from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

JSON = "application/json"
MAX_BODY = 65536


async def create_order(request: Request) -> Response:
    try:
        body = OrderCreate.model_validate_json(await request.body())
    except ValidationError as error:
        return Response(error.json(), 400, media_type=JSON)
    return Response(made_from(body).model_dump_json(), 201, media_type=JSON)


async def create_order_as_agreed(request: Request) -> Response:
    """Do the checks of the contract: credential, id, media type, size, no repeated keys."""
    headers = {"request-id": request.headers.get("request-id") or secrets.token_hex(16)}
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not await authenticate(key, request):
        return Response(b"{}", 401, headers, media_type=JSON)
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
        return Response(b"{}", 415, headers, media_type=JSON)
    data = b""
    async for chunk in request.stream():
        data += chunk
        if len(data) > MAX_BODY:
            return Response(b"{}", 413, headers, media_type=JSON)
    try:
        json.loads(data, object_pairs_hook=without_repeats)
        body = OrderCreate.model_validate_json(data)
    except ValueError as error:
        return Response(str(error), 400, headers, media_type=JSON)
    return Response(made_from(body).model_dump_json(), 201, headers, media_type=JSON)


async def authenticate(key: str, request: Request) -> str:
    return key


def without_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is repeated")
    return found


app = Starlette(routes=[Route("/orders", create_order, methods=["POST"])])
as_agreed = Starlette(routes=[Route("/orders", create_order_as_agreed, methods=["POST"])])

"""POST /orders with Starlette and Pydantic, as one would write it by hand."""

from orders import OrderCreate, made_from
from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route


async def create_order(request: Request) -> Response:
    try:
        body = OrderCreate.model_validate_json(await request.body())
    except ValidationError as error:
        return Response(error.json(), 400, media_type="application/json")
    return Response(made_from(body).model_dump_json(), 201, media_type="application/json")


app = Starlette(routes=[Route("/orders", create_order, methods=["POST"])])

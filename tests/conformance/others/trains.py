"""Stations, trips, bookings and payments: OAuth, problem details, no error codes."""

from __future__ import annotations

import json
import uuid
from collections.abc import Awaitable, Callable
from typing import Any, ClassVar
from xml.etree import ElementTree

import jsonschema_rs
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

DOCUMENT = "train-travel.yaml"
BERLIN, PARIS = "efdbb9d1-02c2-4bc3-afb7-6788d8782b1e", "b2e783e1-c824-4d63-b37a-d8d698862f1d"
Handler = Callable[[Request], Awaitable[Response]]
STATIONS = [
    {"id": BERLIN, "name": "Berlin Hauptbahnhof", "address": "Berlin", "country_code": "DE"},
    {"id": PARIS, "name": "Paris Gare du Nord", "address": "Paris", "country_code": "FR"},
]


def booking_in_xml(text: str) -> dict[str, Any]:
    """Read the elements of a booking; flags are booleans (XML Schema 1.1, datatypes, 3.3.2)."""
    booking = ElementTree.fromstring(text)
    texts = [booking.text, *(element.tail for element in booking)]
    if booking.tag != "booking" or any(text and not text.isspace() for text in texts):
        raise ValueError(text)
    values: dict[str, Any] = {element.tag: element.text or "" for element in booking}
    flags = {"true": True, "1": True, "false": False, "0": False}
    return values | {
        name: flags.get(values[name].strip(), values[name])
        for name in ("has_bicycle", "has_dog")
        if name in values
    }


class Trains:
    """Bookings in memory; `schemas` are those of the document."""

    reads: ClassVar[dict[str, dict[str, Callable[[str], Any]]]] = {
        "Booking": {"application/json": json.loads, "application/xml": booking_in_xml},
        "BookingPayment": {"application/json": json.loads},
    }

    def __init__(self, schemas: dict[str, Any], key: str) -> None:
        self.key = key
        self.bookings: dict[str, dict[str, Any]] = {}
        self.validators = {
            name: jsonschema_rs.Draft202012Validator(
                {"$ref": f"#/components/schemas/{name}", "components": {"schemas": schemas}},
                validate_formats=True,
            )
            for name in ("Booking", "BookingPayment")
        }

    def application(self) -> Starlette:
        one = "/bookings/{booking}"
        return Starlette(
            routes=[
                Route("/stations", self.guarded(self.stations)),
                Route("/trips", self.guarded(self.trips)),
                Route("/bookings", self.guarded(self.all_bookings), methods=["GET", "POST"]),
                Route(one, self.guarded(self.one_booking), methods=["GET", "DELETE"]),
                Route(f"{one}/payment", self.guarded(self.pay), methods=["POST"]),
            ],
            exception_handlers={HTTPException: problem},
        )

    def guarded(self, handler: Handler) -> Handler:
        async def handle(request: Request) -> Response:
            if not self.is_known(request.headers.get("authorization", "")):
                raise HTTPException(401)
            for name in ("page", "limit"):
                given = request.query_params.get(name)
                if given is not None and not (given.isascii() and given.isdecimal() and int(given)):
                    raise HTTPException(400)
            if int(request.query_params.get("limit", 10)) > 100:
                raise HTTPException(400)
            return await handler(request)

        return handle

    def is_known(self, authorization: str) -> bool:
        return authorization == f"Bearer {self.key}"

    async def stations(self, request: Request) -> Response:
        return JSONResponse({"data": STATIONS, "links": {}})

    async def trips(self, request: Request) -> Response:
        query = request.query_params
        try:
            origin, destination = uuid.UUID(query["origin"]), uuid.UUID(query["destination"])
            day, _, rest = query["date"].partition("T")
            assert len(day) == 10 and rest
            assert {query.get(name, "true") for name in ("dogs", "bicycles")} <= {"true", "false"}
        except (KeyError, ValueError, AssertionError):
            raise HTTPException(400) from None
        trip = {"id": str(uuid.uuid4()), "origin": str(origin), "destination": str(destination)}
        return JSONResponse({"data": [{**trip, "price": 50}], "links": {}})

    async def all_bookings(self, request: Request) -> Response:
        if request.method == "GET":
            return JSONResponse({"data": list(self.bookings.values()), "links": {}})
        booking = {**await self.body(request, "Booking"), "id": str(uuid.uuid4())}
        self.bookings[booking["id"]] = booking
        return JSONResponse(booking, 201)

    async def one_booking(self, request: Request) -> Response:
        booking = self.found(request)
        if request.method == "DELETE":
            del self.bookings[booking["id"]]
            return Response(status_code=204)
        return JSONResponse(booking)

    async def pay(self, request: Request) -> Response:
        # The document has no 404 here.
        self.found(request, otherwise=403)
        payment = await self.body(request, "BookingPayment")
        return JSONResponse({**payment, "id": str(uuid.uuid4())})

    def found(self, request: Request, otherwise: int = 404) -> dict[str, Any]:
        try:
            return self.bookings[str(uuid.UUID(request.path_params["booking"]))]
        except (KeyError, ValueError):
            raise HTTPException(otherwise) from None

    async def body(self, request: Request, schema: str) -> dict[str, Any]:
        read = self.reads[schema].get(request.headers.get("content-type", ""))
        if read is None:
            raise HTTPException(400)
        try:
            value = read((await request.body()).decode())
            json.dumps(value, ensure_ascii=False).encode()
        except (ValueError, RecursionError, ElementTree.ParseError):
            raise HTTPException(400) from None
        if not self.validators[schema].is_valid(value):
            raise HTTPException(400)
        return value


async def problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    details = {"title": error.detail, "status": error.status_code}
    return JSONResponse(
        details, error.status_code, error.headers, media_type="application/problem+json"
    )

"""Resources of which there may be only one, made by several requests at the same time."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest
from fastapi import FastAPI, HTTPException
from pydantic import BaseModel

from specwright.conformance.checks.lifecycle.read_after_write import WRITTEN_IS_READ, written
from specwright.conformance.checks.lifecycle.uniqueness import (
    UNIQUE_AT_ONCE,
    uniqueness,
)
from tests.conformance.fastapi_apps import driver_of, messages

PROVEN = (UNIQUE_AT_ONCE,)


class Booking(BaseModel):
    slot: int = 7
    guest: str = "Zoe"


class StoredBooking(Booking):
    id: str


class Item(BaseModel):
    name: str


@dataclass
class Hotel:
    """A server of bookings.

    Attributes:
        waits: it looks for a booking of the slot, and stores its own when others have looked, too.
        unique: a slot is booked once.
        declared: the document declares 409.
        same: a second booking by the same guest returns the first one.
    """

    waits: bool = False
    unique: bool = True
    declared: bool = True
    same: bool = False

    def app(self) -> FastAPI:
        app, bookings = FastAPI(), dict[int, StoredBooking]()
        lock, together, numbers = threading.Lock(), threading.Barrier(2), count()
        responses = {409: {"model": str}} if self.declared else {}

        @app.post("/bookings", status_code=201, responses=responses)  # type: ignore[arg-type]
        def book(booking: Booking) -> StoredBooking:
            with lock:
                known = bookings.get(booking.slot)
            if self.waits and known is None:
                # A single request goes on alone.
                try:
                    together.wait(0.2)
                except threading.BrokenBarrierError:
                    together.reset()
            with lock:
                known = known if self.waits else bookings.get(booking.slot)
                if known is not None and self.same:
                    return known
                if known is not None and self.unique:
                    raise HTTPException(409)
                stored = StoredBooking(id=f"b{next(numbers)}", **booking.model_dump())
                bookings[booking.slot] = stored
                return stored

        return app


@pytest.mark.parametrize(
    ("hotel", "violations"),
    [
        (Hotel(), []),
        (
            Hotel(waits=True),
            ["POST /bookings: several creations at the same time succeed; in turn, one is refused"],
        ),
        (Hotel(unique=False), []),
        (Hotel(same=True), []),
    ],
)
def test_what_must_be_unique_is_made_once(
    tmp_path: Path, hotel: Hotel, violations: list[str]
) -> None:
    with driver_of(hotel.app(), tmp_path) as driver:
        operation = driver.contract.operations["/paths/~1bookings/post"]
        assert driver.first_success(operation) is not None
        uniqueness(driver)
        assert messages(driver, UNIQUE_AT_ONCE) == violations


def test_a_creation_gets_new_values_if_its_values_are_taken(tmp_path: Path) -> None:
    with driver_of(Hotel().app(), tmp_path) as driver:
        operation = driver.contract.operations["/paths/~1bookings/post"]
        successes = [driver.first_success(operation) for _ in range(3)]
        bodies = [success[0].body for success in successes if success is not None]
        assert len({json.dumps(body) for body in bodies}) == 3


def test_a_creation_that_never_succeeded_is_not_varied(tmp_path: Path) -> None:
    app, sent = FastAPI(), list[Booking]()

    @app.post("/bookings", status_code=201)
    def book(booking: Booking) -> None:
        sent.append(booking)
        raise HTTPException(409)

    with driver_of(app, tmp_path) as driver:
        assert driver.first_success(driver.contract.operations["/paths/~1bookings/post"]) is None
    # The least body, and the whole one.
    assert sent == [Booking(), Booking()]


def test_values_of_a_resource_with_a_unique_name_are_compared(tmp_path: Path) -> None:
    app, bookings = FastAPI(), dict[int, StoredBooking]()

    @app.post("/bookings", status_code=201)
    def book(booking: Booking) -> StoredBooking:
        if booking.slot in bookings:
            raise HTTPException(409)
        stored = StoredBooking(id="b", slot=booking.slot, guest="always")
        bookings[booking.slot] = stored
        return stored

    with driver_of(app, tmp_path) as driver:
        written(driver)
        [message] = messages(driver, WRITTEN_IS_READ)
        assert message.startswith("POST /bookings: 'guest' is the same")


def test_a_conflict_that_is_not_declared_is_enough(tmp_path: Path) -> None:
    with driver_of(Hotel(waits=True, declared=False).app(), tmp_path) as driver:
        operation = driver.contract.operations["/paths/~1bookings/post"]
        success = driver.first_success(operation)
        assert success is not None
        driver.send(success[0])
        uniqueness(driver)
        assert len(messages(driver, UNIQUE_AT_ONCE)) == 1


def test_a_replacement_gets_new_values_if_its_values_are_taken(tmp_path: Path) -> None:
    app, names = FastAPI(), {"i1": "one", "i2": "text"}

    @app.put("/items/i1")
    def replace(item: Item) -> Item:
        if item.name == names["i2"] and sent:
            raise HTTPException(409)
        sent.append(item.name)
        return item

    sent = list[str]()
    with driver_of(app, tmp_path) as driver:
        operation = driver.contract.operations["/paths/~1items~1i1/put"]
        assert driver.first_success(operation) is not None
        assert driver.first_success(operation) is not None
    assert sent[0] == "text" != sent[1]

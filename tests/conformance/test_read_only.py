"""Members that only the server sets are not taken from the body of a creation."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Annotated, Any

import pytest
from fastapi import Body, FastAPI, HTTPException
from pydantic import BaseModel, Field

from specwright.conformance.checks.lifecycle.read_only import READ_ONLY, read_only_members
from specwright.conformance.checks.requests.explore import explore
from tests.conformance.fastapi_apps import driver_of, messages

PROVEN = (READ_ONLY,)
TAKEN = "POST /users: '{}', which is read-only, has the value that the body says"
OWN: Any = Field(json_schema_extra={"readOnly": True})


class NewUser(BaseModel):
    name: str


class User(NewUser):
    id: Annotated[str, OWN]
    is_admin: Annotated[bool, OWN]
    number: Annotated[int, OWN]
    note: Annotated[str | None, OWN]


@dataclass
class Server:
    """A server of users.

    Attributes:
        taken: the read-only members that it takes from a body.
        refused: those with which it refuses a body.
        counts: the number of the first user.
        unique: the names are unique.
    """

    taken: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    counts: int = 100
    unique: bool = False

    def app(self) -> FastAPI:
        app, users, numbers = FastAPI(), dict[str, dict[str, Any]](), count(self.counts)

        @app.post(
            "/users",
            status_code=201,
            openapi_extra={
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": NewUser.model_json_schema()}},
                }
            },
        )
        def create(sent: Annotated[dict[str, Any], Body()]) -> User:
            if set(self.refused) & sent.keys() or not isinstance(sent.get("name"), str):
                raise HTTPException(400)
            if self.unique and sent["name"] in [user["name"] for user in users.values()]:
                raise HTTPException(409)
            number = next(numbers)
            own = {"id": f"u{number}", "is_admin": False, "number": number, "note": None}
            taken = {name: sent[name] for name in self.taken if name in sent}
            users[own["id"]] = {"name": sent["name"], **own, **taken}
            return User(**users[own["id"]])

        @app.get("/users/{user_id}")
        def read(user_id: str) -> User:
            if user_id not in users:
                raise HTTPException(404)
            return User(**users[user_id])

        return app


@pytest.mark.parametrize(
    ("server", "names"),
    [
        (Server(), []),
        (Server(unique=True), []),
        (Server(refused=("is_admin", "number", "note")), []),
        # Its next numbers are those that the test sends.
        *((Server(counts=number), []) for number in range(1, 9)),
        (Server(taken=("is_admin",)), ["is_admin"]),
        (Server(taken=("is_admin",), unique=True), ["is_admin"]),
        (Server(taken=("number", "note")), ["number", "note"]),
        (Server(taken=("is_admin",), refused=("number",)), ["is_admin"]),
    ],
)
def test_read_only_members_are_those_of_the_server(
    server: Server, names: list[str], tmp_path: Path
) -> None:
    with driver_of(server.app(), tmp_path) as driver:
        explore(driver)
        read_only_members(driver)
        assert messages(driver, READ_ONLY) == [TAKEN.format(name) for name in names]


def test_later_calls_do_not_have_the_members(tmp_path: Path) -> None:
    with driver_of(Server().app(), tmp_path) as driver:
        explore(driver)
        before = dict(driver.successes)
        read_only_members(driver)
        assert [call.body for call, *_ in driver.successes.values() if call.body] == [
            call.body for call, *_ in before.values() if call.body
        ]

"""The board of a game: one resource, coordinates in the path, errors as HTML."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

DOCUMENT = "oas-tictactoe-3.1.yaml"
EMPTY = "."
Handler = Callable[[Request], Awaitable[Response]]
LINES = (
    *[[(row, column) for column in range(3)] for row in range(3)],
    *[[(row, column) for row in range(3)] for column in range(3)],
    [(at, at) for at in range(3)],
    [(at, 2 - at) for at in range(3)],
)


class Game:
    """A game that restarts when the board is full."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.board = [[EMPTY] * 3 for _ in range(3)]

    def application(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/board", self.guarded(self.get_board)),
                Route("/board/{row}/{column}", self.guarded(self.square), methods=["GET", "PUT"]),
            ]
        )

    def guarded(self, handler: Handler) -> Handler:
        async def handle(request: Request) -> Response:
            keys = request.headers.get("api-key"), request.headers.get("authorization")
            if keys not in ((self.key, None), (None, f"Bearer {self.key}")):
                return Response(status_code=401)
            return await handler(request)

        return handle

    async def get_board(self, request: Request) -> Response:
        return JSONResponse(self.status())

    async def square(self, request: Request) -> Response:
        coordinates = [request.path_params[name] for name in ("row", "column")]
        if not all(re.fullmatch("[123]", coordinate) for coordinate in coordinates):
            return HTMLResponse("Illegal coordinates.", 400)
        row, column = (int(coordinate) - 1 for coordinate in coordinates)
        if request.method == "PUT":
            if request.headers.get("content-type") != "application/json":
                return HTMLResponse("Send application/json.", 400)
            return self.put(row, column, await request.body())
        return JSONResponse(self.board[row][column])

    def put(self, row: int, column: int, body: bytes) -> Response:
        try:
            mark = json.loads(body)
        except (ValueError, RecursionError):
            mark = None
        if mark not in (EMPTY, "X", "O"):
            return HTMLResponse("Invalid Mark (X or O).", 400)
        if all(each != EMPTY for line in self.board for each in line):
            self.board = [[EMPTY] * 3 for _ in range(3)]
        self.board[row][column] = mark
        return JSONResponse(self.status())

    def status(self) -> dict[str, object]:
        return {"winner": self.winner(), "board": self.board}

    def winner(self) -> str:
        for line in LINES:
            marks = {self.board[row][column] for row, column in line}
            if len(marks) == 1 and marks != {EMPTY}:
                return marks.pop()
        return EMPTY

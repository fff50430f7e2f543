"""The same service in FastAPI, to compare: its document comes from this code.

Run it with `uvicorn --factory fastapi_service:create`.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

from fastapi import (
    APIRouter,
    BackgroundTasks,
    Depends,
    FastAPI,
    Form,
    HTTPException,
    Query,
    Request,
    Response,
    Security,
    UploadFile,
)
from fastapi import (
    File as FileField,
)
from fastapi import (
    Path as PathField,
)
from fastapi.exceptions import RequestValidationError
from fastapi.middleware.cors import CORSMiddleware
from fastapi.middleware.gzip import GZipMiddleware
from fastapi.responses import JSONResponse, PlainTextResponse
from fastapi.security import APIKeyHeader, HTTPAuthorizationCredentials, HTTPBearer
from fastapi.sse import EventSourceResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException as StarletteHTTPException
from store import PASSWORDS, RefusedError, Row, Store, Tables
from work import disposition, follow, make_report, notify, page

logger = logging.getLogger("helpdesk")
MAX_UPLOAD = 10 * 1024 * 1024
STATUS = {"wrong_password": 401, "not_found": 404}

Status = Literal["open", "closed"]
Priority = Literal["low", "normal", "urgent"]


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Error(BaseModel):
    code: str
    message: str
    param: str | None = None


class Health(BaseModel):
    healthy: bool


class Login(Closed):
    name: str = Field(min_length=1, max_length=50)
    password: str = Field(min_length=1, max_length=200)


class Session(BaseModel):
    token: str


class Agent(BaseModel):
    id: int
    name: str


class KeyCreate(Closed):
    label: str = Field(min_length=1, max_length=50)


class Key(BaseModel):
    id: int
    label: str


class NewKey(Key):
    secret: str


class TicketCreate(Closed):
    subject: str = Field(min_length=1, max_length=200)
    customer: str = Field(max_length=200, pattern=r"^[^@\s]+@[^@\s]+$")
    priority: Priority = "normal"


class TicketChange(Closed):
    subject: str | None = Field(default=None, min_length=1, max_length=200)
    priority: Priority | None = None


class Assignment(Closed):
    agent_id: int = Field(ge=1)


class Ticket(BaseModel):
    id: int
    subject: str
    customer: str
    priority: Priority
    status: Status
    agent_id: int | None
    created_at: datetime


class TicketPage(BaseModel):
    items: list[Ticket]
    next_cursor: str | None


class CommentCreate(Closed):
    text: str = Field(min_length=1, max_length=5000)


class Comment(BaseModel):
    id: int
    text: str
    author: str
    created_at: datetime


class Change(BaseModel):
    kind: Literal["created", "changed", "commented", "closed", "reopened"]
    at: datetime


class File(BaseModel):
    id: int
    name: str
    media_type: str
    size: int
    note: str


class Report(BaseModel):
    id: int
    status: Literal["pending", "done"]


def store_of(request: Request) -> Store:
    store: Store = request.app.state.store
    return store


def session(store: Annotated[Store, Depends(store_of)]) -> Iterator[Tables]:
    with store.begin() as tables:
        yield tables


bearer = HTTPBearer(auto_error=False)
api_key = APIKeyHeader(name="X-Api-Key", auto_error=False)
# The transaction ends before the response is sent, so that a client sees its own writes.
Session_ = Annotated[Tables, Depends(session, scope="function")]
Bearer = Annotated[HTTPAuthorizationCredentials | None, Security(bearer)]
Id = Annotated[int, PathField(ge=1, le=9007199254740991)]


def agent_of_token(tables: Session_, token: Bearer) -> Row:
    row = tables.agent_of(token.credentials) if token else None
    if row is None:
        raise HTTPException(401, "A valid token is required.", {"WWW-Authenticate": "Bearer"})
    return row


def agent_of_any(
    tables: Session_, token: Bearer, key: Annotated[str | None, Security(api_key)]
) -> Row:
    secret = token.credentials if token else key
    row = tables.agent_of(secret) if secret else None
    if row is None:
        challenges = {"WWW-Authenticate": "Bearer, ApiKey"}
        raise HTTPException(401, "A valid credential is required.", challenges)
    return row


Person = Annotated[Row, Depends(agent_of_token)]
Caller = Annotated[Row, Depends(agent_of_any)]
api = APIRouter(responses={"default": {"model": Error}})


@api.get("/health", tags=["account"])
async def get_health() -> Health:
    return Health(healthy=True)


@api.post("/sessions", tags=["account"], status_code=201)
def log_in(body: Login, tables: Session_) -> Session:
    agent = tables.agent(body.name, body.password)
    return Session(token=tables.add_credential(agent["id"])["secret"])


@api.delete("/sessions/current", tags=["account"], status_code=204)
def log_out(caller: Person, tables: Session_, token: Bearer) -> None:
    assert token is not None
    tables.remove_token(token.credentials)


@api.get("/me", tags=["account"], response_model=Agent)
def get_me(caller: Caller) -> Row:
    return caller


@api.get("/keys", tags=["account"], response_model=list[Key])
def list_keys(caller: Person, tables: Session_) -> list[Row]:
    return tables.keys(caller["id"])


@api.post("/keys", tags=["account"], status_code=201, response_model=NewKey)
def create_key(body: KeyCreate, caller: Person, tables: Session_) -> Row:
    return tables.add_credential(caller["id"], body.label)


@api.delete("/keys/{key_id}", tags=["account"], status_code=204)
def delete_key(key_id: Id, caller: Person, tables: Session_) -> None:
    tables.remove_key(caller["id"], key_id)


@api.get("/tickets", tags=["tickets"])
def list_tickets(
    caller: Caller,
    tables: Session_,
    status: Status | None = None,
    q: Annotated[str | None, Query(max_length=100)] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    cursor: Annotated[str | None, Query(min_length=1)] = None,
) -> TicketPage:
    if cursor is not None and not cursor.isdecimal():
        raise HTTPException(400, "The cursor does not belong to this list.")
    rows = tables.tickets(status, q, int(cursor) if cursor else None, limit + 1)
    return TicketPage(
        items=[Ticket.model_validate(row) for row in rows[:limit]],
        next_cursor=str(rows[limit - 1]["id"]) if len(rows) > limit else None,
    )


@api.post("/tickets", tags=["tickets"], status_code=201, response_model=Ticket)
def create_ticket(
    body: TicketCreate,
    caller: Caller,
    tables: Session_,
    response: Response,
    background: BackgroundTasks,
) -> Row:
    row = tables.add_ticket(body.model_dump())
    background.add_task(notify, row["id"], row["subject"])
    response.headers["Location"] = f"/api/tickets/{row['id']}"
    return row


@api.get("/tickets/{ticket_id}", tags=["tickets"], response_model=Ticket)
def get_ticket(ticket_id: Id, caller: Caller, tables: Session_) -> Row:
    return tables.ticket(ticket_id)


@api.patch("/tickets/{ticket_id}", tags=["tickets"], response_model=Ticket)
def change_ticket(ticket_id: Id, body: TicketChange, caller: Caller, tables: Session_) -> Row:
    changes = body.model_dump(exclude_unset=True)
    if not changes or None in changes.values():
        raise HTTPException(400, "At least one member is required, and none is null.")
    return tables.change_ticket(ticket_id, changes)


@api.delete("/tickets/{ticket_id}", tags=["tickets"], status_code=204)
def delete_ticket(ticket_id: Id, caller: Person, tables: Session_) -> None:
    tables.remove_ticket(ticket_id)


@api.post("/tickets/{ticket_id}/assign", tags=["tickets"], response_model=Ticket)
def assign_ticket(ticket_id: Id, body: Assignment, caller: Caller, tables: Session_) -> Row:
    return tables.assign(ticket_id, body.agent_id)


@api.post("/tickets/{ticket_id}/close", tags=["tickets"], response_model=Ticket)
def close_ticket(ticket_id: Id, caller: Caller, tables: Session_) -> Row:
    return tables.close(ticket_id)


@api.post("/tickets/{ticket_id}/reopen", tags=["tickets"], response_model=Ticket)
def reopen_ticket(ticket_id: Id, caller: Caller, tables: Session_) -> Row:
    return tables.reopen(ticket_id)


@api.get("/tickets/{ticket_id}/comments", tags=["tickets"], response_model=list[Comment])
def list_comments(ticket_id: Id, caller: Caller, tables: Session_) -> list[Row]:
    return tables.comments(ticket_id)


@api.post(
    "/tickets/{ticket_id}/comments", tags=["tickets"], status_code=201, response_model=Comment
)
def add_comment(ticket_id: Id, body: CommentCreate, caller: Caller, tables: Session_) -> Row:
    return tables.add_comment(ticket_id, body.text, caller["name"])


def watched(ticket_id: Id, caller: Caller, tables: Session_) -> int:
    # A stream has begun when its function runs, and cannot be a 404 any more.
    tables.ticket(ticket_id)
    return ticket_id


@api.get("/tickets/{ticket_id}/events", tags=["tickets"], response_class=EventSourceResponse)
async def watch_ticket(
    ticket_id: Annotated[int, Depends(watched)], store: Annotated[Store, Depends(store_of)]
) -> AsyncIterator[Change]:
    async for row in follow(store, ticket_id):
        yield Change.model_validate(row)


@api.get("/tickets/{ticket_id}/files", tags=["files"], response_model=list[File])
def list_files(ticket_id: Id, caller: Caller, tables: Session_) -> list[Row]:
    return tables.files(ticket_id)


@api.post("/tickets/{ticket_id}/files", tags=["files"], status_code=201, response_model=File)
def upload_file(
    ticket_id: Id,
    caller: Caller,
    tables: Session_,
    file: Annotated[UploadFile, FileField()],
    note: Annotated[str, Form(max_length=200)] = "",
) -> Row:
    values = {
        "name": file.filename or "file",
        "media_type": file.content_type or "application/octet-stream",
        "content": file.file.read(MAX_UPLOAD + 1),
        "note": note,
    }
    if len(values["content"]) > MAX_UPLOAD:
        raise HTTPException(413, "The file is too large.")
    return tables.add_file(ticket_id, values)


@api.get("/files/{file_id}", tags=["files"], response_class=Response)
def download_file(file_id: Id, caller: Caller, tables: Session_) -> Response:
    row = tables.file(file_id)
    return Response(row["content"], 200, disposition(row["name"]), "application/octet-stream")


@api.delete("/files/{file_id}", tags=["files"], status_code=204)
def delete_file(file_id: Id, caller: Caller, tables: Session_) -> None:
    tables.remove_file(file_id)


@api.post("/reports", tags=["reports"], status_code=202, response_model=Report)
def create_report(
    caller: Caller,
    tables: Session_,
    store: Annotated[Store, Depends(store_of)],
    background: BackgroundTasks,
) -> Row:
    row = tables.add_report()
    background.add_task(make_report, store, row["id"])
    return row


@api.get("/reports/{report_id}", tags=["reports"], response_model=Report)
def get_report(report_id: Id, caller: Caller, tables: Session_) -> Row:
    return tables.report(report_id)


@api.get("/reports/{report_id}/csv", tags=["reports"], response_class=PlainTextResponse)
def download_report(report_id: Id, caller: Caller, tables: Session_) -> Response:
    return PlainTextResponse(tables.table_of(report_id), media_type="text/csv")


def error(status: int, code: str, message: str) -> JSONResponse:
    return JSONResponse({"code": code, "message": message}, status)


async def refused(request: Request, exc: Exception) -> Response:
    assert isinstance(exc, RefusedError)
    return error(STATUS.get(exc.code, 409), exc.code, exc.message)


async def invalid(request: Request, exc: Exception) -> Response:
    assert isinstance(exc, RequestValidationError)
    first = exc.errors()[0]
    return error(400, "invalid_value", f"{'.'.join(map(str, first['loc']))}: {first['msg']}")


async def failed(request: Request, exc: Exception) -> Response:
    assert isinstance(exc, StarletteHTTPException)
    response = error(exc.status_code, "failed", str(exc.detail))
    response.headers.update(exc.headers or {})
    return response


def create(path: Path = Path("helpdesk.sqlite3")) -> FastAPI:
    """Return the service: the API, and a page beside it."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
        logger.info("the helpdesk is open")
        yield
        logger.info("the helpdesk is closed")

    app = FastAPI(
        title="Helpdesk",
        version="1.0.0",
        lifespan=lifespan,
        generate_unique_id_function=lambda route: route.name,
        exception_handlers={
            RefusedError: refused,
            RequestValidationError: invalid,
            StarletteHTTPException: failed,
        },
    )
    app.state.store = Store(path, PASSWORDS)
    app.add_middleware(CORSMiddleware, allow_origins=["https://desk.example.com"])
    app.add_middleware(GZipMiddleware)
    app.include_router(api, prefix="/api")
    app.add_api_route("/", page, include_in_schema=False)
    return app

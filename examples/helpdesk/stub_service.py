"""The helpdesk on the server stub that specwright generates from openapi.yaml.

Run it with `uvicorn --factory stub_service:create`; README.md explains the client.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from helpdesk_sdk import models
from helpdesk_sdk.server import (
    Context,
    Credentials,
    Cursors,
    Problem,
    Reply,
    UnimplementedAccount,
    UnimplementedFiles,
    UnimplementedReports,
    UnimplementedTickets,
    create_app,
    in_thread,
)
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.routing import Mount, Route
from store import PASSWORDS, RefusedError, Row, Store
from work import disposition, follow, make_report, notify, page

logger = logging.getLogger("helpdesk")
MAX_UPLOAD = 10 * 1024 * 1024


class Account(UnimplementedAccount):
    def __init__(self, store: Store) -> None:
        self.store = store

    async def get_health(self, *, context: Context) -> models.Health:
        return models.Health(healthy=True)

    @in_thread
    def log_in(self, *, body: models.Login, context: Context) -> models.Session:
        with self.store.begin() as tables:
            agent = tables.agent(body.name, body.password)
            return models.Session(token=tables.add_credential(agent["id"])["secret"])

    @in_thread
    def log_out(self, *, context: Context[Row]) -> None:
        with self.store.begin() as tables:
            tables.remove_token(context.request.headers["Authorization"].partition(" ")[2])

    async def get_me(self, *, context: Context[Row]) -> models.Agent:
        return models.Agent.model_validate(context.principal)

    @in_thread
    def list_keys(self, *, context: Context[Row]) -> list[models.Key]:
        with self.store.begin() as tables:
            return [models.Key.model_validate(row) for row in tables.keys(context.principal["id"])]

    @in_thread
    def create_key(self, *, body: models.KeyCreate, context: Context[Row]) -> models.NewKey:
        with self.store.begin() as tables:
            row = tables.add_credential(context.principal["id"], body.label)
        return models.NewKey.model_validate(row)

    @in_thread
    def delete_key(self, *, key_id: int, context: Context[Row]) -> None:
        with self.store.begin() as tables:
            tables.remove_key(context.principal["id"], key_id)


class Tickets(UnimplementedTickets):
    def __init__(self, store: Store) -> None:
        self.store = store
        self.cursors = Cursors(b"a secret of this service")

    @in_thread
    def list_tickets(
        self,
        *,
        status: models.Status | None = None,
        q: str | None = None,
        limit: int = 20,
        cursor: str | None = None,
        context: Context[Row],
    ) -> models.TicketPage:
        before = self.cursors.decode(cursor, status, q) if cursor else None
        assert before is None or isinstance(before, int)
        with self.store.begin() as tables:
            rows = tables.tickets(status, q, before, limit + 1)
        more = len(rows) > limit
        return models.TicketPage(
            items=[models.Ticket.model_validate(row) for row in rows[:limit]],
            next_cursor=self.cursors.encode(rows[limit - 1]["id"], status, q) if more else None,
        )

    @in_thread
    def create_ticket(
        self, *, body: models.TicketCreate, context: Context[Row]
    ) -> Reply[models.Ticket]:
        with self.store.begin() as tables:
            ticket = models.Ticket.model_validate(tables.add_ticket(body.model_dump()))
        context.background.add_task(notify, ticket.id, ticket.subject)
        return Reply(ticket, headers={"Location": f"/api/tickets/{ticket.id}"})

    @in_thread
    def get_ticket(self, *, ticket_id: int, context: Context[Row]) -> models.Ticket:
        with self.store.begin() as tables:
            return models.Ticket.model_validate(tables.ticket(ticket_id))

    @in_thread
    def change_ticket(
        self, *, ticket_id: int, body: models.TicketChange, context: Context[Row]
    ) -> models.Ticket:
        with self.store.begin() as tables:
            row = tables.change_ticket(ticket_id, body.model_dump(exclude_unset=True))
        return models.Ticket.model_validate(row)

    @in_thread
    def delete_ticket(self, *, ticket_id: int, context: Context[Row]) -> None:
        with self.store.begin() as tables:
            tables.remove_ticket(ticket_id)

    @in_thread
    def assign_ticket(
        self, *, ticket_id: int, body: models.Assignment, context: Context[Row]
    ) -> models.Ticket:
        with self.store.begin() as tables:
            return models.Ticket.model_validate(tables.assign(ticket_id, body.agent_id))

    @in_thread
    def close_ticket(self, *, ticket_id: int, context: Context[Row]) -> models.Ticket:
        with self.store.begin() as tables:
            return models.Ticket.model_validate(tables.close(ticket_id))

    @in_thread
    def reopen_ticket(self, *, ticket_id: int, context: Context[Row]) -> models.Ticket:
        with self.store.begin() as tables:
            return models.Ticket.model_validate(tables.reopen(ticket_id))

    @in_thread
    def list_comments(self, *, ticket_id: int, context: Context[Row]) -> list[models.Comment]:
        with self.store.begin() as tables:
            return [models.Comment.model_validate(row) for row in tables.comments(ticket_id)]

    @in_thread
    def add_comment(
        self, *, ticket_id: int, body: models.CommentCreate, context: Context[Row]
    ) -> models.Comment:
        with self.store.begin() as tables:
            row = tables.add_comment(ticket_id, body.text, context.principal["name"])
        return models.Comment.model_validate(row)

    @in_thread
    def watch_ticket(
        self, *, ticket_id: int, context: Context[Row]
    ) -> AsyncIterator[models.Change]:
        with self.store.begin() as tables:
            tables.ticket(ticket_id)
        rows = follow(self.store, ticket_id)
        return (models.Change.model_validate(row) async for row in rows)


class Files(UnimplementedFiles):
    def __init__(self, store: Store) -> None:
        self.store = store

    @in_thread
    def list_files(self, *, ticket_id: int, context: Context[Row]) -> list[models.File]:
        with self.store.begin() as tables:
            return [models.File.model_validate(row) for row in tables.files(ticket_id)]

    @in_thread
    def upload_file(
        self, *, ticket_id: int, body: models.Upload, context: Context[Row]
    ) -> models.File:
        values = {
            "name": body.file.name or "file",
            "media_type": body.file.media_type,
            "content": body.file.read(),
            "note": body.note,
        }
        with self.store.begin() as tables:
            return models.File.model_validate(tables.add_file(ticket_id, values))

    @in_thread
    def download_file(self, *, file_id: int, context: Context[Row]) -> Reply[bytes]:
        with self.store.begin() as tables:
            row = tables.file(file_id)
        return Reply(row["content"], headers=disposition(row["name"]))

    @in_thread
    def delete_file(self, *, file_id: int, context: Context[Row]) -> None:
        with self.store.begin() as tables:
            tables.remove_file(file_id)


class Reports(UnimplementedReports):
    def __init__(self, store: Store) -> None:
        self.store = store

    @in_thread
    def create_report(self, *, context: Context[Row]) -> models.Report:
        with self.store.begin() as tables:
            report = models.Report.model_validate(tables.add_report())
        context.background.add_task(make_report, self.store, report.id)
        return report

    @in_thread
    def get_report(self, *, report_id: int, context: Context[Row]) -> models.Report:
        with self.store.begin() as tables:
            return models.Report.model_validate(tables.report(report_id))

    @in_thread
    def download_report(self, *, report_id: int, context: Context[Row]) -> str:
        with self.store.begin() as tables:
            return tables.table_of(report_id)


def as_problem(error: Exception) -> Problem | None:
    return Problem(error.code, error.message) if isinstance(error, RefusedError) else None


def create(path: Path = Path("helpdesk.sqlite3")) -> Starlette:
    """Return the service: the API, and a page beside it."""
    store = Store(path, PASSWORDS)

    @in_thread
    def authenticate(credentials: Credentials, request: Request) -> Row | None:
        with store.begin() as tables:
            return tables.agent_of(credentials.get("token") or credentials.get("key", ""))

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncGenerator[None]:
        logger.info("the helpdesk is open")
        yield
        logger.info("the helpdesk is closed")

    api = create_app(
        account=Account(store),
        tickets=Tickets(store),
        files=Files(store),
        reports=Reports(store),
        authenticate=authenticate,
        as_problem=as_problem,
        max_body=MAX_UPLOAD,
    )
    cors = Middleware(CORSMiddleware, allow_origins=["https://desk.example.com"])
    return Starlette(
        routes=[Mount("/api", api), Route("/", page)],
        middleware=[cors, Middleware(GZipMiddleware)],
        lifespan=lifespan,
    )

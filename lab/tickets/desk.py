"""Requests to the ticket system, as made by hand."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx2

# Guards against pages without an end, and jobs.
MANY_PAGES = 40
PATIENCE_SECONDS = 1.5


@dataclass
class Desk:
    """A ticket system with a client for each of two accounts."""

    base_url: str
    acme: httpx2.Client = field(init=False)
    globex: httpx2.Client = field(init=False)

    def __post_init__(self) -> None:
        self.acme, self.globex = (
            httpx2.Client(base_url=self.base_url, headers={"X-API-Key": key}, timeout=60)
            for key in ("test-acme", "test-globex")
        )

    def close(self) -> None:
        """Close the connections."""
        self.acme.close()
        self.globex.close()

    def opened(self, by: httpx2.Client | None = None, **given: Any) -> Any:
        """Open a ticket."""
        body = {"subject": secrets.token_hex(4), **given}
        return (by or self.acme).post("/tickets", json=body).raise_for_status().json()

    def read(self, ticket: Any) -> Any:
        """Return a ticket as it is now."""
        return self.acme.get(f"/tickets/{ticket['id']}").raise_for_status().json()

    def etag(self, ticket: Any) -> str:
        """Return the ETag of a ticket."""
        return str(self.acme.get(f"/tickets/{ticket['id']}").headers["ETag"])

    def change(self, ticket: Any, **given: Any) -> Any:
        """Change a ticket."""
        return self.patch(ticket, given).raise_for_status().json()

    def patch(self, ticket: Any, body: Any, if_match: str = "") -> httpx2.Response:
        """Send a change of a ticket."""
        headers = {"Content-Type": "application/merge-patch+json"}
        if if_match:
            headers["If-Match"] = if_match
        path = f"/tickets/{ticket['id']}"
        return self.acme.patch(path, json=body, headers=headers)

    def keeps(self, name: str, value: Any) -> bool:
        """Whether a member is stored as it was sent, by each way of writing it."""
        ticket = self.opened(**{name: value})
        shown = [ticket, self.read(ticket), self.change(self.opened(), **{name: value})]
        return all(row[name] == value for row in shown)

    def listed(self, limit: int = 100, **query: Any) -> Iterator[Any]:
        """Yield the tickets of all pages."""
        for number in range(MANY_PAGES):
            sent = {"limit": limit, "offset": number * limit, **query}
            body = self.acme.get("/tickets", params=sent).raise_for_status().json()
            yield from body["items"]
            if (number + 1) * limit >= body["total"]:
                return

    def commented(self, ticket: Any, by: httpx2.Client | None = None) -> Any:
        """Comment on a ticket."""
        path = f"/tickets/{ticket['id']}/comments"
        return (by or self.acme).post(path, json={"text": "seen"}).raise_for_status().json()

    def label(self, name: str) -> int:
        """Create a label; return the status of the response."""
        body = {"name": name, "colour": "#00aa00"}
        return self.acme.post("/labels", json=body).status_code

    def batch(self, *subjects: str) -> Any:
        """Open several tickets; return the results."""
        body = {"tickets": [{"subject": subject} for subject in subjects]}
        return self.acme.post("/ticket-batches", json=body).raise_for_status().json()["results"]

    def ends(self, path: str) -> bool:
        """Whether a job is done soon."""
        ends = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < ends:
            if self.acme.get(path).json()["status"] == "done":
                return True
        return False

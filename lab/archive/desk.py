"""Requests to the archive, as made by hand."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import httpx2

# Guards against pages without an end, and jobs.
MANY_PAGES = 40
PATIENCE_SECONDS = 5


@dataclass
class Desk:
    """An archive with the clients of two editors and a reader."""

    base_url: str
    north: httpx2.Client = field(init=False)
    south: httpx2.Client = field(init=False)
    reader: httpx2.Client = field(init=False)

    def __post_init__(self) -> None:
        self.north, self.south, self.reader = (
            self.client(f"test-{name}") for name in ("north-editor", "south-editor", "north-reader")
        )

    def client(self, token: str) -> httpx2.Client:
        """Return a client with a token."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx2.Client(base_url=self.base_url, headers=headers, timeout=60)

    def close(self) -> None:
        """Close the connections."""
        for client in (self.north, self.south, self.reader):
            client.close()

    def make(self, by: httpx2.Client | None = None, **given: Any) -> httpx2.Response:
        """Send a new collection."""
        body = {"name": secrets.token_hex(4), **given}
        return (by or self.north).post("/collections", json=body)

    def collection(self, by: httpx2.Client | None = None, **given: Any) -> str:
        """Make a collection; return its path."""
        return str(self.make(by, **given).raise_for_status().headers["Location"])

    def upload(
        self,
        collection: str,
        content: bytes = b"content",
        *,
        title: str = "a title",
        by: httpx2.Client | None = None,
    ) -> httpx2.Response:
        """Upload a file into a collection."""
        files = {"content": ("a.bin", content, "application/octet-stream")}
        sent = {"data": {"title": title}, "files": files}
        return (by or self.north).post(f"{collection}/files", **sent)

    def file(
        self, collection: str = "", content: bytes = b"content", by: httpx2.Client | None = None
    ) -> str:
        """Upload a file; return its path."""
        response = self.upload(collection or self.collection(by), content, by=by)
        return str(response.raise_for_status().headers["Location"])

    def content(self, file: str) -> bytes:
        """Download the content of a file."""
        return self.north.get(f"{file}/content").raise_for_status().content

    def json(self, path: str) -> Any:
        """Return what is at a path."""
        return self.north.get(path).raise_for_status().json()

    def patch(self, path: str, **given: Any) -> Any:
        """Change a file."""
        return self.north.patch(path, json=given).raise_for_status().json()

    def replace(self, collection: str, if_match: str = "", **given: Any) -> httpx2.Response:
        """Replace a collection."""
        body = {"name": secrets.token_hex(4), **given}
        headers = {"If-Match": if_match} if if_match else {}
        return self.north.put(collection, json=body, headers=headers)

    def etag(self, path: str) -> str:
        """Return the ETag of a resource."""
        return str(self.north.get(path).headers["ETag"])

    def move(self, file: str, collection: str) -> httpx2.Response:
        """Move a file to a collection."""
        body = {"collection_id": collection.rpartition("/")[2]}
        return self.north.post(f"{file}/move", json=body)

    def files(self, collection: str, limit: int = 100, **query: Any) -> Iterator[Any]:
        """Yield the files of all pages."""
        sent = {"limit": limit, **query}
        for _ in range(MANY_PAGES):
            body = self.north.get(f"{collection}/files", params=sent).raise_for_status().json()
            yield from body["items"]
            if body["next_cursor"] is None:
                return
            sent["cursor"] = body["next_cursor"]

    def job(self, by: httpx2.Client | None = None) -> str:
        """Begin a job on a new collection; return its path."""
        client = by or self.north
        body = {"collection_id": self.collection(by).rpartition("/")[2]}
        response = client.post("/jobs", json=body).raise_for_status()
        return str(response.headers["Location"])

    def settled(self, job: str) -> str:
        """Return the state that a job has when it does not run any more."""
        ends = time.monotonic() + PATIENCE_SECONDS
        while (state := str(self.json(job)["state"])) == "running" and time.monotonic() < ends:
            pass
        return state

    def at_once(self, *requests: tuple[Any, ...]) -> list[httpx2.Response]:
        """Send requests at the same time: functions with their arguments."""
        with ThreadPoolExecutor(len(requests)) as pool:
            sent = [pool.submit(*request) for request in requests]
        return [response.result() for response in sent]

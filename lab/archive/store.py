"""Everything that the archive stores, in memory."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import UUID, uuid4

import msgspec
from litestar.exceptions import NotFoundException

from lab.archive.bug import has
from lab.archive.models import Collection, FileInfo, Job, NewCollection

JOB_SECONDS = 0.3


def now() -> datetime:
    """Return the time."""
    return datetime.now(UTC)


@dataclass
class CollectionRow:
    """A collection with its owner."""

    org: str
    shown: Collection

    @property
    def etag(self) -> str:
        """Its ETag."""
        content = msgspec.json.encode(self.shown)
        return f'"{hashlib.sha256(content).hexdigest()[:16]}"'


@dataclass
class FileRow:
    """A file with its owner, its content and the ids of the collections that list it."""

    org: str
    shown: FileInfo
    content: bytes
    places: set[UUID]


@dataclass
class JobRow:
    """A job with its owner and its beginning."""

    org: str
    shown: Job
    begun: float = field(default_factory=time.monotonic)

    def at_present(self) -> Job:
        """Return the job as it is by now."""
        took = time.monotonic() - self.begun
        is_running = self.shown.state == "running"
        if (is_running or has("cancel-ignored")) and took > JOB_SECONDS:
            self.shown = msgspec.structs.replace(self.shown, state="done")
        return self.shown


class Store:
    """The rows of all organisations."""

    def __init__(self) -> None:
        self.collections: dict[UUID, CollectionRow] = {}
        self.files: dict[UUID, FileRow] = {}
        self.jobs: dict[UUID, JobRow] = {}
        self.numbers: dict[str, itertools.count[int]] = {}

    def collection(self, org: str, collection_id: UUID) -> CollectionRow:
        """Return a collection of an organisation."""
        row = self.collections.get(collection_id)
        if row is None or row.org != org:
            raise NotFoundException("There is no such collection")
        return row

    def file(self, org: str, collection_id: UUID, file_id: UUID) -> FileRow:
        """Return a file of a collection."""
        self.collection(org, collection_id)
        row = self.files.get(file_id)
        if row is None or row.org != org or collection_id not in row.places:
            raise NotFoundException("There is no such file")
        return row

    def job(self, org: str, job_id: UUID) -> JobRow:
        """Return a job of an organisation."""
        row = self.jobs.get(job_id)
        if row is None or (row.org != org and not has("job-of-others")):
            raise NotFoundException("There is no such job")
        return row

    def files_in(self, collection_id: UUID) -> list[FileRow]:
        """Return the files of a collection, by their numbers."""
        rows = [row for row in self.files.values() if collection_id in row.places]
        return sorted(rows, key=lambda row: row.shown.number)

    def is_taken(self, org: str, name: str, other_than: UUID | None = None) -> bool:
        """Whether a collection of an organisation has a name already."""
        return any(
            row.shown.name == name
            and row.shown.id != other_than
            and (row.org == org or has("name-of-others"))
            for row in self.collections.values()
        )

    def add_collection(self, org: str, data: NewCollection) -> CollectionRow:
        """Add a collection."""
        at = now()
        members = msgspec.structs.asdict(data)
        shown = Collection(id=uuid4(), **members, created_at=at, updated_at=at)
        row = self.collections[shown.id] = CollectionRow(org, shown)
        return row

    def add_job(self, org: str, collection_id: UUID) -> JobRow:
        """Begin a job."""
        shown = Job(id=uuid4(), collection_id=collection_id, state="running", created_at=now())
        row = self.jobs[shown.id] = JobRow(org, shown)
        return row

    async def next_number(self, org: str) -> int:
        """Return the number of the next file of an organisation."""
        if has("number-twice"):
            number = 1 + sum(row.org == org for row in self.files.values())
            await database()
            return number
        return next(self.numbers.setdefault(org, itertools.count(1)))

    async def add_file(self, org: str, collection_id: UUID, title: str, content: bytes) -> FileRow:
        """Add a file to a collection."""
        at, number = now(), await self.next_number(org)
        shown = FileInfo(
            id=uuid4(),
            collection_id=collection_id,
            number=number,
            title=title,
            tags=[],
            size=len(content),
            sha256=checksum(content),
            created_at=at,
            updated_at=at,
        )
        row = self.files[shown.id] = FileRow(org, shown, content, {collection_id})
        return row


async def database() -> None:
    """Wait as long as a database takes, while other requests go on."""
    await asyncio.sleep(0.05)


def checksum(content: bytes) -> str:
    """Return the SHA-256 of a content."""
    return hashlib.sha256(b"" if has("wrong-checksum") else content).hexdigest()

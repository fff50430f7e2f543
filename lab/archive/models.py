"""Bodies and parameters of the archive."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from litestar.datastructures import UploadFile
from litestar.params import HeaderParameter, QueryParameter
from msgspec import UNSET, Meta, Struct, UnsetType

from lab.archive.bug import has

# Something to read: at least one letter or digit.
_READABLE = None if has("blank-title") else "[0-9A-Za-z]"
Name = Annotated[str, Meta(min_length=1, max_length=80, pattern=_READABLE)]
Tags = Annotated[list[str], Meta(max_length=None if has("too-many-tags") else 5)]
Days = Annotated[int, Meta(ge=1, le=3650)]
Visibility = Literal["private", "public"]
PerPage = Annotated[int, QueryParameter(ge=1, le=100, description="Items of a page.")]
Page = Annotated[int, QueryParameter(ge=None if has("page-zero") else 1, le=100000)]
IfMatch = Annotated[str | None, HeaderParameter(name="If-Match", description="An ETag.")]
IfNoneMatch = Annotated[str | None, HeaderParameter(name="If-None-Match", description="An ETag.")]


class NewCollection(Struct):
    """What makes a collection, or replaces it; its name is unique in the organisation."""

    name: Name
    description: Annotated[str, Meta(max_length=500)] = ""
    visibility: Visibility = "public" if has("default-public") else "private"
    retention_days: Days | None = None


class Collection(Struct, kw_only=True):
    """A collection of files."""

    id: UUID
    name: str
    description: str
    visibility: Visibility
    retention_days: int | None
    created_at: datetime
    updated_at: datetime


class Collections(Struct):
    """A page of collections."""

    items: list[Collection]
    total: int
    pages: int


class NewFile(Struct):
    """A file with its title."""

    title: Name
    content: UploadFile


class NewContent(Struct):
    """Another content for a file."""

    content: UploadFile


class FileChange(Struct):
    """What changes in a file; the rest stays."""

    title: Name | UnsetType = UNSET
    tags: Tags | UnsetType = UNSET


class Target(Struct):
    """Where a file goes to."""

    collection_id: UUID


class FileInfo(Struct, kw_only=True):
    """All about a file but its content. Numbers count the files of an organisation."""

    id: UUID
    collection_id: UUID
    number: int
    title: str
    tags: list[str]
    size: Annotated[int, Meta(ge=0, description="Bytes of the content.")]
    sha256: Annotated[str, Meta(pattern="^[0-9a-f]{64}$", description="Of the content.")]
    created_at: datetime
    updated_at: datetime


class Files(Struct):
    """A page of files."""

    items: list[FileInfo]
    next_cursor: str | None


class Usage(Struct):
    """What an organisation stores."""

    files: int
    bytes: int


class NewJob(Struct):
    """A list of checksums to make."""

    collection_id: UUID


class Job(Struct, kw_only=True):
    """A job; its result can be read when it is done."""

    id: UUID
    collection_id: UUID
    state: Literal["running", "done", "cancelled"]
    created_at: datetime

"""Downloads to a file, which broken connections do not begin again (RFC 9110, 13.1.5 and 14)."""

from __future__ import annotations

import re
from contextlib import suppress
from email.utils import parsedate_to_datetime
from hashlib import sha256
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self
from uuid import uuid4

from ...shared.files import Progress
from ..errors import ApiConnectionError, ApiStatusError, InvalidArgumentError, InvalidResponseError
from ..transport.base import Headers, Request, Response
from .flows import CallStep, Flow
from .retries import Pause, backoff

# RFC 9110, 14.4, of the one range that was requested.
_RANGE = re.compile(r"bytes ([0-9]{1,18})-([0-9]{1,18})/([0-9]{1,18}|\*)")
# Seconds between `Last-Modified` and `Date` after which no other change can have the same time.
_SETTLED = 60


class Download:
    """A file with content from one or several responses.

    The content is written next to the path and moved there when it is complete. The name of a part
    that is kept depends on the URL and the validator, so that two contents never share a part.

    Args:
        name: of the method, for messages.
        request: the request for the whole content.
        is_kept: whether to keep a part for a later download, and to continue that of an earlier
            one.
        progress: called with the bytes so far, and with all if their number is known.

    Raises:
        InvalidArgumentError: the path is not that of a file, or a part of the response to this
            request cannot be requested.
    """

    def __init__(
        self,
        name: str,
        request: Request,
        path: str | PathLike[str],
        *,
        is_kept: bool,
        progress: Progress | None,
    ) -> None:
        self._name = name
        self._progress = progress
        self._url = request.url
        # Ranges are only defined for GET (RFC 9110, 14.2).
        self.is_repeatable = request.method == "GET"
        # The target of a link, and not the link, is replaced.
        self._path = Path(path).resolve()
        self._is_kept = is_kept
        self._own_part = self._path.with_name(f"{self._path.name}.{uuid4().hex}.part")
        self._part = self._own_part
        self._file: BinaryIO | None = None
        self._validator: str | None = None
        self._size = 0
        # The sizes of the content, and of its part that ends with the current response.
        self._total: int | None = None
        self._end: int | None = None
        if self._path.exists() and not self._path.is_file():
            raise InvalidArgumentError("path: not a file; write the bytes of iter_bytes() instead")
        if is_kept and not self.is_repeatable:
            raise InvalidArgumentError(f"{name}: only the response to a GET can be resumed")

    @property
    def is_complete(self) -> bool:
        """Whether all bytes have arrived."""
        return self._size == self._total

    @property
    def rest(self) -> Headers:
        """The headers of a request for the missing bytes; none if it has to begin again."""
        if self._validator is None or self._size == 0:
            return []
        return [("range", f"bytes={self._size}-"), ("if-range", self._validator)]

    def continues(self, response: Response) -> bool:
        """Return whether an earlier download has left a part of the content of a response."""
        self._open(response)
        kept = self._part.stat().st_size
        # A longer part is not of this content.
        self._size = kept if self._total is None or kept <= self._total else 0
        return self._size > 0

    def begin(self, response: Response, headers: Headers) -> None:
        """Continue with the content of a response if it is the requested rest, else begin again.

        Args:
            headers: those of the request for the rest.

        Raises:
            InvalidResponseError: the response has a range that was not requested.
        """
        if not headers or response.status != 206:
            self._open(response)
            self._size, self._end = 0, self._total
        elif not self._is_rest(response):
            raise InvalidResponseError(
                f"{self._name}: the response has a range that was not requested", response
            )
        assert self._file is not None
        self._file.seek(self._size)

    def write(self, chunk: bytes) -> None:
        """Write the next bytes."""
        assert self._file is not None
        self._file.write(chunk)
        self._size += len(chunk)
        if self._progress is not None:
            self._progress(self._size, self._total)

    def end(self) -> None:
        """Record that a response has ended.

        Raises:
            ApiConnectionError: it has another size than it announced.
        """
        if self._end is None:
            self._total = self._size
        elif self._size != self._end:
            if self._size > self._end:
                self.forget()
            raise ApiConnectionError(f"{self._name}: the response has another size than announced")

    def forget(self) -> None:
        """Begin again with the next response."""
        self._validator = None

    def finish(self) -> None:
        """Move the complete file to its path."""
        assert self._file is not None
        self._file.truncate(self._size)
        self._file.close()
        self._part.replace(self._path)

    def __enter__(self) -> Self:
        """Return the download; its part is removed at the end of the block unless it is kept."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
        if not (self._is_kept and self.rest):
            self._part.unlink(missing_ok=True)

    def _open(self, response: Response) -> None:
        """Open the part for the content of a response, without truncating it."""
        # A part that the caller has requested has no rest.
        is_whole = self.is_repeatable and response.status == 200
        self._validator = _validator(response) if is_whole else None
        self._total = _length(response)
        part = self._own_part
        if self._is_kept and self._validator is not None:
            digest = sha256(f"{self._url}\n{self._validator}".encode()).hexdigest()
            part = self._path.with_name(f"{self._path.name}.{digest[:16]}.part")
        if self._file is None or part != self._part:
            if self._file is not None:
                self._file.close()
                self._part.unlink()
            part.touch()
            self._file = part.open("r+b")
            self._part = part

    def _is_rest(self, response: Response) -> bool:
        match = _RANGE.fullmatch(response.header("content-range") or "")
        tag = response.header("etag")
        if match is None or int(match[1]) != self._size or int(match[2]) < self._size:
            return False
        # RFC 9110, 15.3.7.3: parts are only combined if they have the same strong validator.
        if tag is not None and tag != self._validator:
            return False
        total = self._total if match[3] == "*" else int(match[3])
        is_same = self._total in (None, total)
        self._total, self._end = total, int(match[2]) + 1
        return is_same


def saving(download: Download, retries: int) -> Flow[Headers | None, None, None]:
    """Yield the steps of a flow that receives a file.

    Each question is the headers of a request for the rest; None reads the response at hand.
    """
    headers: Headers | None = None
    failures = 0
    while True:
        try:
            yield CallStep(headers)
        except ApiConnectionError:
            failures += 1
            if failures > retries or not download.is_repeatable:
                raise
            yield Pause(backoff(failures))
        except ApiStatusError as error:
            if error.status != 416 or not headers:
                raise
            download.forget()
        else:
            if download.is_complete:
                download.finish()
                return
        headers = download.rest


def _validator(response: Response) -> str | None:
    """Return the strong validator of a response (RFC 9110, 8.8.1); None if it cannot be resumed."""
    tag = response.header("etag")
    ranges = response.header("accept-ranges") or "bytes"
    encoding = response.header("content-encoding") or "identity"
    if ranges.strip().lower() != "bytes" or encoding.strip().lower() != "identity":
        return None
    if tag is not None:
        return tag if tag.startswith('"') else None
    changed, sent = response.header("last-modified"), response.header("date")
    with suppress(ValueError, TypeError):
        age = parsedate_to_datetime(sent or "") - parsedate_to_datetime(changed or "")
        return changed if age.total_seconds() >= _SETTLED else None
    return None


def _length(response: Response) -> int | None:
    """Return the number of bytes of a body that is left to be streamed; None if it is unknown."""
    text = response.header("content-length") or ""
    return int(text) if response.chunks is not None and text.isdecimal() else None

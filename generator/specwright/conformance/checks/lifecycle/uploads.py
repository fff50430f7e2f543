"""Uploaded files, compared with their downloads and descriptions."""

from __future__ import annotations

import hashlib
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from specwright.conformance.checks.lifecycle.readers import reader_of_created
from specwright.conformance.checks.lifecycle.written_members import is_done
from specwright.conformance.checks.requests.explore import success_now
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import ContractOperation
from specwright.conformance.contract.resources import Shape, shape, variables
from specwright.conformance.contract.routes import ContractRoutes
from specwright.conformance.driver.driver import Driver
from specwright.conformance.recording.exchange import Exchange, HttpResponse
from specwright.document.operations import sites
from specwright.findings import Level, values_of
from specwright.json_values import JsonValue, mapping
from specwright.names import snake
from specwright.runtime.shared.media.table import medium_of
from specwright.vocabulary.keywords.capacity import CAPACITY
from specwright.vocabulary.keywords.charge import CHARGE

FILE_IS_KEPT = BehaviourRule(
    "file-is-kept",
    BehaviourCategory.STATE,
    "A file is downloaded with the bytes that were uploaded; a server may convert files on "
    "purpose, which it then does with a short text, too.",
    example="POST /files with 66,560 bytes -> 201, then GET /files/7/content -> 1,024 bytes",
    advice="Read the upload to its end, and store bytes rather than text.",
    level=Level.WARNING,
    weight=8,
)
FILE_IS_DESCRIBED = BehaviourRule(
    "file-is-described",
    BehaviourCategory.STATE,
    "Size and checksum of a file are those of the bytes that were uploaded last.",
    example='PUT /files/7/content with 5 bytes -> 200, then GET /files/7 -> {"size": 4}',
    advice="Compute size and checksum from the stored bytes, whenever these are replaced.",
    level=Level.WARNING,
)

# The last part of a path below a file, where its bytes are.
_CONTENTS = frozenset(
    (
        *("content", "contents", "download", "file", "raw", "data", "bytes", "body", "binary"),
        *("media", "blob"),
    )
)
_SIZES = frozenset(
    (
        *("size", "bytes", "byte_size", "size_bytes", "size_in_bytes", "file_size", "filesize"),
        *("content_length", "content_size", "length"),
    )
)
_ALGORITHMS = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512")
_SHORT = "a short text"
# All bytes, and more of them than a usual buffer has; as `surrogateescape` decodes them.
_LONG = (bytes(range(256)) * 260).decode("utf-8", "surrogateescape")
_EMPTY = ""


@scenario(after="modification times", share=2)
def uploads(driver: Driver) -> None:
    """Upload a short text, a longer file and an empty one by each operation; download them."""
    routes = ContractRoutes(driver.contract, driver.target.base_url)
    exact = set[tuple[str, str]]()
    operations = driver.contract.operations.values()
    # Sizes of new files tell which members count bytes.
    for uploader in sorted(operations, key=lambda each: each.method != "POST"):
        is_free = uploader.get(CAPACITY) is None and uploader.get(CHARGE) is None
        if uploader.is_safe or not _takes_a_file(uploader) or not is_free:
            continue
        success = success_now(driver, uploader)
        if success is not None:
            _Trial(driver, routes, success[0], exact).run()
            # Later calls must not use the files tried here.
            driver.successes[uploader.pointer] = success


def _takes_a_file(operation: ContractOperation) -> bool:
    """Return whether a body is one file, or has one."""
    body = operation.other_body
    return body is not None and (len(operation.files) == 1 or medium_of(body[0]).is_binary)


@dataclass(frozen=True, slots=True)
class _Stored:
    """A file that was uploaded: the path of its description, and the values in it."""

    content: str
    path: Shape
    values: tuple[JsonValue, ...]
    exchange: Exchange

    @property
    def bytes(self) -> bytes:
        """Its bytes as they were sent."""
        return self.content.encode("utf-8", "surrogateescape")

    def call(self, operation: ContractOperation) -> OperationCall:
        """Return the call of an operation on this file."""
        names = (("path", name) for name in variables(operation.site.key))
        return OperationCall(operation, dict(zip(names, self.values, strict=True)))


@dataclass(frozen=True, slots=True)
class _Trial:
    """Uploads by one operation.

    Attributes:
        exact: the operations that read files, with the members that had their sizes.
    """

    driver: Driver
    routes: ContractRoutes
    call: OperationCall
    exact: set[tuple[str, str]] = field(repr=False)

    @property
    def uploader(self) -> ContractOperation:
        return self.call.operation

    def run(self) -> None:
        """Upload the files; where the first one comes back as it was, the others should.

        A server may refuse an empty file, but not fail at it.
        """
        short = self._upload(_SHORT)
        if short is None:
            self._upload(_EMPTY)
            return
        back = self._download(short)
        self._description(short)
        for content in (_LONG, _EMPTY):
            stored = self._upload(content)
            if stored is not None:
                self._description(stored)
                if _body(back) == short.bytes:
                    self._compare(stored, self._download(stored))

    def _upload(self, content: str) -> _Stored | None:
        """Upload a file; return where it is, or None if it was refused or is stored later."""
        body: JsonValue = content
        if self.uploader.files:
            [name] = self.uploader.files
            usual = mapping(self.call.body)
            is_list = isinstance(usual.get(name), list)
            body = {**usual, name: [content] if is_list else content}
        call = replace(self.driver.with_fresh_key(self.call), body=body)
        sent = self.driver.send(call)
        if not is_done(sent.response):
            return None
        is_new = self.uploader.method == "POST"
        reader = reader_of_created(self.driver, self.routes, call, sent) if is_new else None
        place = reader or call
        path = shape(place.operation.site.key)
        if reader is None and path[-1:] and path[-1] in _CONTENTS:
            path = path[:-1]
        elif reader is None and is_new and path[-1:] != (None,):
            # It is somewhere below, and no operation reads it.
            return None
        arguments = [("path", name) for name in variables(place.operation.site.key)]
        values = tuple(place.arguments[key] for key in arguments if key in place.arguments)
        return _Stored(content, path, values, sent) if len(values) == len(arguments) else None

    def _download(self, stored: _Stored) -> Exchange | None:
        """Return the exchange with the bytes of a file; None if no operation returns them."""
        for operation in self._readers(stored, *((*stored.path, end) for end in _CONTENTS)):
            exchange = self.driver.send(stored.call(operation))
            if exchange.succeeded and not _is_json(exchange.response):
                return exchange
        return None

    def _readers(self, stored: _Stored, *more: Shape) -> Iterator[ContractOperation]:
        """Yield the operations that read a file, or one of the other paths."""
        for operation in self.driver.contract.operations.values():
            if operation.method == "GET" and shape(operation.site.key) in (stored.path, *more):
                yield operation

    def _compare(self, stored: _Stored, exchange: Exchange | None) -> None:
        if exchange is None:
            return
        self.driver.target.record.check(FILE_IS_KEPT, self.uploader.pointer)
        body = _body(exchange)
        if body is not None and body != stored.bytes:
            is_part = len(body) < len(stored.bytes) and stored.bytes.startswith(body)
            what = (
                "a long file is cut"
                if is_part
                else "a file has other bytes than it was uploaded with"
            )
            message = f"{what}; a short text comes back as it was"
            self.driver.violate(
                *(FILE_IS_KEPT, self.uploader, message, stored.exchange, exchange),
                cause=what,
                values=values_of(is_part),
            )

    def _description(self, stored: _Stored) -> None:
        """Compare the members that describe the bytes of a file with them."""
        for reader in self._readers(stored):
            exchange = self.driver.send(stored.call(reader))
            response = exchange.response
            if response is None or not exchange.succeeded:
                continue
            for name, value in mapping(response.json_or_none).items():
                self._checksum(stored, exchange, name, value)
                self._size(stored, exchange, name, value)

    def _checksum(self, stored: _Stored, exchange: Exchange, name: str, value: JsonValue) -> None:
        joined = snake(name).replace("_", "")
        algorithm = next((known for known in _ALGORITHMS if known in joined), None)
        if algorithm is None or "hmac" in joined or not isinstance(value, str):
            return
        digest = hashlib.new(algorithm, stored.bytes, usedforsecurity=False).digest()
        texts = (digest.hex(), b64encode(digest).decode(), urlsafe_b64encode(digest).decode())
        shown = value.rpartition(":")[2]
        # In another form, or of nothing so far.
        if len(shown) not in map(len, texts):
            return
        self.driver.target.record.check(FILE_IS_DESCRIBED, self.uploader.pointer)
        if shown.lower() != texts[0] and shown not in texts[1:]:
            self._violate("checksum", name, stored, exchange)

    def _size(self, stored: _Stored, exchange: Exchange, name: str, value: JsonValue) -> None:
        """Compare a size; one that has been right before counts bytes."""
        if snake(name) not in _SIZES or type(value) is not int:
            return
        key = (str(exchange.operation), name)
        # Of nothing, each unit has the same size.
        if value == len(stored.bytes) > 0:
            self.exact.add(key)
        self.driver.target.record.check(FILE_IS_DESCRIBED, self.uploader.pointer)
        if key in self.exact and value != len(stored.bytes):
            self._violate("size", name, stored, exchange)

    def _violate(self, what: str, name: str, stored: _Stored, exchange: Exchange) -> None:
        message = f"'{name}' is not that of the uploaded bytes"
        cause = f"the {what} of a file is not that of its bytes"
        self.driver.violate(
            *(FILE_IS_DESCRIBED, self.uploader, message, stored.exchange, exchange),
            cause=cause,
            values=values_of(name),
        )


def _is_json(response: HttpResponse | None) -> bool:
    return response is not None and sites.is_json(response.header("content-type") or "")


def _body(exchange: Exchange | None) -> bytes | None:
    return (
        exchange.response.body if exchange is not None and exchange.response is not None else None
    )

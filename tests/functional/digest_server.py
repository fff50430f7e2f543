"""A server that requires Digest, written by RFC 7616 and independent of the code under test."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from werkzeug.datastructures import Authorization

USER, PASSWORD, REALM = "Mufasa", "Circle, of Life", "a realm, quoted"
HASHES = {"MD5": "md5", "SHA-256": "sha256", "SHA-512-256": "sha512_256"}


@dataclass
class DigestServer:
    """An application that knows one user.

    Attributes:
        uses: requests that one nonce is good for.
        says_stale: whether a refusal says that only the nonce was wrong.
        before: challenges before its own.
        seen: the requests: their bodies, and the parameters of their credentials.
        texts: the credentials as they came.
    """

    algorithm: str | None = "SHA-256"
    qop: str | None = "auth"
    user: str = USER
    userhash: bool = False
    opaque: str | None = "an opaque=text"
    realm: str = REALM
    uses: int = 1000
    says_stale: bool = True
    before: str = ""
    result: str = '{"id": "a"}'
    seen: list[tuple[bytes, dict[str, Any]]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    _numbers: Any = field(default_factory=count)
    _counts: dict[str, int] = field(default_factory=dict)

    def hash(self, *parts: str) -> str:
        name = HASHES[(self.algorithm or "MD5").removesuffix("-sess")]
        return hashlib.new(name, ":".join(parts).encode()).hexdigest()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        request = Request(scope, receive)
        text = request.headers.get("authorization")
        octets = None if text is None else text.encode("latin-1").decode()
        self.texts.append(octets or "")
        given = Authorization.from_header(octets)
        params = {} if given is None or given.type != "digest" else dict(given.parameters)
        self.seen.append((await request.body(), params))
        is_fresh = self._counts.get(params.get("nonce", ""), self.uses) < self.uses
        if params and is_fresh and self._is_right(request, params):
            self._counts[params["nonce"]] += 1
            response = Response(self.result, 200, media_type="application/json")
        else:
            nonce = f"nonce{next(self._numbers)}/+="
            self._counts[nonce] = 0
            stale = bool(params) and not is_fresh and self.says_stale
            headers = {"www-authenticate": self.challenge(nonce, stale)}
            response = JSONResponse({"code": "unauthorized"}, 401, headers)
        await response(scope, receive, send)

    def challenge(self, nonce: str, stale: bool) -> str:
        params = [f'realm="{self.realm}"', f'nonce="{nonce}"']
        params += [f'qop="{self.qop}"'] if self.qop else []
        params += [f"algorithm={self.algorithm}"] if self.algorithm else []
        params += [f'opaque="{self.opaque}"'] if self.opaque else []
        params += ["userhash=true"] if self.userhash else []
        params += ["stale=TRUE"] if stale else []
        return f"{self.before}Digest {', '.join(params)}".encode().decode("latin-1")

    def _is_right(self, request: Request, params: dict[str, Any]) -> bool:
        target = request.scope["raw_path"].decode()
        if request.scope["query_string"]:
            target += "?" + request.scope["query_string"].decode()
        secret = self.hash(self.user, self.realm, PASSWORD)
        if (self.algorithm or "").endswith("-sess"):
            secret = self.hash(secret, params["nonce"], params["cnonce"])
        ha2 = self.hash(request.method, target)
        parts = (params["nonce"], params["nc"], params["cnonce"], "auth") if self.qop else None
        expected = self.hash(secret, *(parts or (params["nonce"],)), ha2)
        name = self.hash(self.user, self.realm) if self.userhash else self.user
        number = self._counts[params["nonce"]] + 1
        return (
            params["response"] == expected
            and params.get("username") == name
            and params["realm"] == self.realm
            and params["uri"] == target
            and params.get("opaque") == self.opaque
            and params.get("algorithm", "MD5") == (self.algorithm or "MD5")
            and (not self.qop or params["nc"] == f"{number:08x}")
        )

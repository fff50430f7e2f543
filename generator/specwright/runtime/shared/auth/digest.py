"""HTTP Digest: a proof of a user's password that differs for each request (RFC 7616)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from hmac import compare_digest
from typing import Any, ClassVar, Literal, Self
from urllib.parse import quote, unquote

from .challenges import challenges, written
from .user import User, user_of

Algorithm = Literal["SHA-256", "SHA-512-256", "MD5"]

# RFC 7616, 6.1; OpenSSL decides which are there.
_HASHES = {"MD5": "md5", "SHA-256": "sha256", "SHA-512-256": "sha512_256"}
_SESSION = "-SESS"
# RFC 7616, 3.3 and 3.4.
_PLAIN = frozenset({"algorithm", "stale", "userhash", "charset"})
_PLAIN_SENT = frozenset({"algorithm", "nc", "qop", "userhash", "username*"})
_EXTENDED = "UTF-8''"


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestOptions:
    """The challenges of a server.

    Attributes:
        realm: the name that users know the service by. Stored hashes depend on it.
        algorithm: of the digests. Stored hashes depend on it.
        secret: protects nonces against forgery. Processes that serve the same clients need the
            same one; None for a random one.
        seconds: the lifetime of a nonce; a client answers a new one after it, on its own.
    """

    realm: str = "api"
    algorithm: Algorithm = "SHA-256"
    secret: bytes | None = field(default=None, repr=False)
    seconds: int = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestChallenge:
    """A challenge (RFC 7616, 3.3).

    Attributes:
        qop: the offered qualities of protection; empty in the first version of Digest (RFC 2069).
        stale: whether only the nonce of the refused request was wrong.
        userhash: whether the user name may be sent as a hash.
    """

    realm: str
    nonce: str
    algorithm: str = "MD5"
    qop: tuple[str, ...] = ()
    opaque: str | None = None
    stale: bool = False
    userhash: bool = False

    @classmethod
    def of(cls, params: Mapping[str, str]) -> Self | None:
        """Return the challenge with these parameters; None without realm or nonce."""
        if not {"realm", "nonce"} <= params.keys():
            return None
        qop = (word.strip().lower() for word in params.get("qop", "").split(","))
        return cls(
            realm=params["realm"],
            nonce=params["nonce"],
            algorithm=params.get("algorithm", "MD5"),
            qop=tuple(filter(None, qop)),
            opaque=params.get("opaque"),
            stale=params.get("stale", "").lower() == "true",
            userhash=params.get("userhash", "").lower() == "true",
        )

    @property
    def is_supported(self) -> bool:
        """Whether a client can answer it: a known algorithm, and not only `auth-int`."""
        return _is_known(self.algorithm) and (not self.qop or "auth" in self.qop)

    def write(self) -> str:
        """Return the value of `WWW-Authenticate`."""
        params = {
            "realm": self.realm,
            "qop": ", ".join(self.qop),
            "algorithm": self.algorithm,
            "nonce": self.nonce,
            "opaque": self.opaque or "",
            "stale": "true" if self.stale else "",
            "charset": "UTF-8",
        }
        return written("Digest", {name: text for name, text in params.items() if text}, _PLAIN)


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestCredentials:
    """The credentials that answer a challenge (RFC 7616, 3.4).

    Attributes:
        username: or its hash, if `userhash` says so.
        uri: the target of the request.
        response: the proof of the password.
        nc: the number of requests with this nonce, in eight hexadecimal digits.
        method: that of the request, which the header itself does not contain.
    """

    username: str
    realm: str
    nonce: str
    uri: str
    response: str = field(default="", repr=False)
    algorithm: str = "MD5"
    qop: str = ""
    nc: str = ""
    cnonce: str = ""
    opaque: str | None = None
    userhash: bool = False
    method: str = ""

    @classmethod
    def of(cls, params: Mapping[str, str]) -> Self | None:
        """Return the credentials with these parameters; None if one is missing or invalid."""
        name = params.get("username")
        if name is None and params.get("username*", "").upper().startswith(_EXTENDED):
            name = unquote(params["username*"][len(_EXTENDED) :], errors="replace")
        if name is None or not {"realm", "nonce", "uri", "response"} <= params.keys():
            return None
        return cls(
            username=name,
            realm=params["realm"],
            nonce=params["nonce"],
            uri=params["uri"],
            response=params["response"].lower(),
            algorithm=params.get("algorithm", "MD5"),
            qop=params.get("qop", ""),
            nc=params.get("nc", ""),
            cnonce=params.get("cnonce", ""),
            opaque=params.get("opaque"),
            userhash=params.get("userhash", "").lower() == "true",
        )

    def is_valid(self, password: str) -> bool:
        """Return whether they prove this password."""
        return self.is_valid_for(ha1(self.username, password, self.realm, self.algorithm))

    def is_valid_for(self, stored: str) -> bool:
        """Return whether they prove the password of a hash that `ha1` returned."""
        return compare_digest(self.response.encode(), self.proof(stored).encode())

    def proof(self, stored: str) -> str:
        """Return the response for the hash of user, realm and password (RFC 7616, 3.4.1)."""
        algorithm = self.algorithm
        if algorithm.upper().endswith(_SESSION):
            stored = _hash(algorithm, stored, self.nonce, self.cnonce)
        nonce = (self.nonce, self.nc, self.cnonce, self.qop) if self.qop else (self.nonce,)
        return _hash(algorithm, stored, *nonce, _hash(algorithm, self.method, self.uri))

    def write(self) -> str:
        """Return the value of `Authorization`."""
        name = self.username
        is_plain = name.isascii() and name.isprintable()
        params = {
            **({"username": name} if is_plain else {"username*": _EXTENDED + quote(name, safe="")}),
            "realm": self.realm,
            "uri": self.uri,
            "algorithm": self.algorithm,
            "nonce": self.nonce,
            "nc": self.nc,
            "cnonce": self.cnonce,
            "qop": self.qop,
            "response": self.response,
            "opaque": self.opaque or "",
            "userhash": "true" if self.userhash else "",
        }
        params = {name: text for name, text in params.items() if text or name == "realm"}
        return written("Digest", params, _PLAIN_SENT)


def ha1(username: str, password: str, realm: str = "api", algorithm: str = "SHA-256") -> str:
    """Return the hash to store for a user instead of the password, such as that of `htdigest`.

    Args:
        realm, algorithm: those of the challenges.
    """
    return _hash(algorithm, username, realm, password)


def digest_challenges(texts: Iterable[str]) -> Iterator[DigestChallenge]:
    """Yield the Digest challenges in the values of `WWW-Authenticate`, the preferred one first."""
    for scheme, params in challenges(texts):
        challenge = DigestChallenge.of(dict(params)) if scheme == "digest" else None
        if challenge is not None:
            yield challenge


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest(User):
    """User name and password, of which requests contain only a proof (RFC 7616)."""

    is_challenged: ClassVar[bool] = True
    received: ClassVar[str] = "DigestCredentials"
    exports: ClassVar[tuple[str, ...]] = ("DigestCredentials", "DigestOptions", "ha1")

    @classmethod
    def of(cls, argument: str, declared: Mapping[str, Any]) -> Self | None:
        """Return the scheme declared by an object of the document, if it is of this kind."""
        is_digest = str(declared.get("scheme")).lower() == "digest"
        return cls(argument=argument) if declared.get("type") == "http" and is_digest else None

    def write(self, credential: object) -> str | None:
        """Return an empty text, as there is no challenge; None for an invalid credential."""
        return None if user_of(credential) is None else ""

    def read(self, text: str) -> DigestCredentials | None:
        """Return the credential in a received text; None if it has none."""
        (scheme, params), *others = challenges([text]) or [("", [])]
        # A repeated parameter is rejected: implementations differ in which one they use.
        is_single = not others and len(dict(params)) == len(params)
        return DigestCredentials.of(dict(params)) if scheme == "digest" and is_single else None

    def secrets(self, credential: object) -> tuple[str, ...]:
        """Return the texts that would reveal the credential in a report."""
        match credential:
            case DigestCredentials():
                return (credential.response,)
            case (object(), str() as password):
                return (password,)
            case _:
                return ()


def authorization(
    credential: object, challenge: DigestChallenge, method: str, uri: str, nc: int, cnonce: str
) -> str:
    """Return the value of `Authorization` for a request.

    Args:
        credential: a valid one.
        challenge: a supported one.
        nc: the number of this request among those with the nonce.
        cnonce: the client's own random text.
    """
    pair = user_of(credential)
    assert pair is not None
    name, password = pair
    algorithm, realm = challenge.algorithm, challenge.realm
    unproven = DigestCredentials(
        username=_hash(algorithm, name, realm) if challenge.userhash else name,
        realm=realm,
        nonce=challenge.nonce,
        uri=uri,
        algorithm=algorithm,
        qop="auth" if challenge.qop else "",
        nc=f"{nc:08x}" if challenge.qop else "",
        cnonce=cnonce if challenge.qop or algorithm.upper().endswith(_SESSION) else "",
        opaque=challenge.opaque,
        userhash=challenge.userhash,
        method=method,
    )
    return replace(unproven, response=unproven.proof(ha1(name, password, realm, algorithm))).write()


def _is_known(algorithm: str) -> bool:
    try:
        _hash(algorithm)
    except (KeyError, ValueError):
        # A build for FIPS has no MD5.
        return False
    return True


def _hash(algorithm: str, *parts: str) -> str:
    name = _HASHES[algorithm.upper().removesuffix(_SESSION)]
    return hashlib.new(name, ":".join(parts).encode()).hexdigest()
